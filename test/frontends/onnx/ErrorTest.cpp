// What is wrong with a model is said once: file, node, operator, what was
// expected, what was found. Nothing that a file may hold crashes the importer.
#include "Models.h"

#include <random>

using namespace tilewright::onnx::test;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;
using Catch::Matchers::StartsWith;

namespace {
ModelMaker one(const char *type, std::vector<std::string> inputs) {
  ModelMaker maker;
  return maker.input("x", {2, 3}).output("z").node(type, inputs, {"z"});
}
} // namespace

TEST_CASE("bytes that are no model") {
  CHECK_THAT(errorOf(std::string("hello, world")),
             StartsWith("test.onnx: not a"));
  CHECK_THAT(errorOf(std::string()),
             Equals("test.onnx: not an ONNX model: it has no graph"));
}

TEST_CASE("a file that is not there") {
  mlir::MLIRContext context;
  auto model = tilewright::onnx::importModel(context, "no/such/model.onnx");
  CHECK_THAT(model.status().message(),
             StartsWith("cannot open 'no/such/model.onnx': "));
  CHECK(model.status().code() == tilewright::StatusCode::notFound);
}

TEST_CASE("an operator that is not known") {
  CHECK_THAT(errorOf(one("Frobnicate", {"x"})),
             Equals("test.onnx: node 'Frobnicate_1' (Frobnicate): operator "
                    "Frobnicate is not supported"));
}

TEST_CASE("an input that is not defined, as in a cycle") {
  CHECK_THAT(errorOf(one("Relu", {"z"})),
             Equals("test.onnx: node 'Relu_1' (Relu): input 'z' is not the "
                    "output of an earlier node, an input or an initializer"));
  CHECK_THAT(errorOf(one("Add", {"x"})),
             Equals("test.onnx: node 'Add_1' (Add): input 1 is missing"));
}

TEST_CASE("an output that is not defined, or defined twice") {
  CHECK_THAT(errorOf(ModelMaker().input("x", {2}).output("z").node(
                 "Relu", {"x"}, {"y"})),
             Equals("test.onnx: output 'z' is not defined"));
  CHECK_THAT(errorOf(ModelMaker()
                         .input("x", {2})
                         .output("z")
                         .node("Relu", {"x"}, {"z"})
                         .node("Exp", {"x"}, {"z"})),
             Equals("test.onnx: node 'Exp_2' (Exp): output 'z' is defined "
                    "twice"));
}

TEST_CASE("attributes of another kind or value") {
  CHECK_THAT(errorOf(one("Softmax", {"x"}).set("axis", 1.0f)),
             Equals("test.onnx: node 'Softmax_1' (Softmax): attribute 'axis' "
                    "is not an integer"));
  CHECK_THAT(errorOf(one("Softmax", {"x"}).set("axis", int64_t(2))),
             Equals("test.onnx: node 'Softmax_1' (Softmax): axis is 2, "
                    "expected a value in [-2, 1]"));
  CHECK_THAT(
      errorOf(one("Transpose", {"x"}).set("perm", std::vector<int64_t>{0, 0})),
      Equals("test.onnx: node 'Transpose_1' (Transpose): attribute "
             "'perm' is not a permutation of the 2 dimensions"));
}

TEST_CASE("shapes that do not go together") {
  ModelMaker maker;
  maker.input("x", {2, 3}).input("y", {2, 4}).output("z");
  maker.node("Add", {"x", "y"}, {"z"});
  CHECK_THAT(errorOf(maker),
             Equals("test.onnx: node 'Add_1' (Add): operands have shapes that "
                    "do not broadcast: [2, 3] and [2, 4]: 3 and 4 differ"));
  maker.model.mutable_graph()->mutable_node(0)->set_op_type("MatMul");
  CHECK_THAT(errorOf(maker),
             Equals("test.onnx: node 'Add_1' (MatMul): operands have shapes "
                    "[2, 3] and [2, 4]: the inner sizes 3 and 2 differ"));
  CHECK_THAT(errorOf(one("Reshape", {"x", "s"}).integers("s", {4, 2})),
             Equals("test.onnx: node 'Reshape_1' (Reshape): cannot reshape "
                    "[2, 3] to [4, 2]: 6 elements and 8"));
}

TEST_CASE("element types that do not go together") {
  ModelMaker maker;
  maker.input("x", {2}).input("y", {2}, ::onnx::TensorProto::INT32);
  maker.output("z").node("Add", {"x", "y"}, {"z"});
  CHECK_THAT(errorOf(maker), Equals("test.onnx: node 'Add_1' (Add): operands "
                                    "have types f32 and i32"));
  ModelMaker string;
  string.input("x", {2}, ::onnx::TensorProto::STRING);
  string.output("z").node("Identity", {"x"}, {"z"});
  CHECK_THAT(errorOf(string), Equals("test.onnx: input 'x' has strings, which "
                                     "are not supported"));
  ModelMaker complex;
  complex.input("x", {2}, ::onnx::TensorProto::COMPLEX64);
  complex.output("z").node("Identity", {"x"}, {"z"});
  CHECK_THAT(errorOf(complex), Equals("test.onnx: input 'x' has data type "
                                      "complex64, which is not supported"));
  for (auto [type, name] : {std::pair(18, "float8e4m3fnuz"), {26, "int2"}}) {
    ModelMaker input;
    input.input("x", {2}, type).output("z").node("Cast", {"x"}, {"z"});
    input.set("to", int64_t(::onnx::TensorProto::FLOAT));
    CHECK_THAT(errorOf(input),
               Equals("test.onnx: input 'x' has data type " +
                      std::string(name) + ", which is not supported"));
    ModelMaker output;
    output.input("x", {2}).output("z", type).node("Cast", {"x"}, {"z"});
    output.set("to", int64_t(type));
    CHECK_THAT(errorOf(output),
               Equals("test.onnx: output 'z' has data type " +
                      std::string(name) + ", which is not supported"));
  }
  ModelMaker maps;
  maps.input("x", {2}).output("z").node("ZipMap", {"x"}, {"z"});
  maps.model.mutable_graph()->mutable_node(0)->set_domain("ai.onnx.ml");
  CHECK_THAT(errorOf(maps), Contains("its results are maps"));
  ModelMaker declared;
  declared.input("x", {2}).output("z", ::onnx::TensorProto::INT32);
  declared.node("Relu", {"x"}, {"z"});
  CHECK_THAT(errorOf(declared),
             Equals("test.onnx: output 'z' is declared as i32, its node gives "
                    "f32"));
}

TEST_CASE("tensors that lack data or are too large") {
  ModelMaker maker = one("Add", {"x", "w"});
  maker.floats("w", {2, 3}, {1, 2, 3});
  CHECK_THAT(errorOf(maker),
             Equals("test.onnx: initializer 'w': tensor has 12 bytes of data, "
                    "its type and shape need 24"));
  auto *tensor = maker.model.mutable_graph()->mutable_initializer(0);
  tensor->set_dims(0, int64_t(1) << 40);
  tensor->set_dims(1, int64_t(1) << 40);
  CHECK_THAT(errorOf(maker), Equals("test.onnx: initializer 'w': the size of "
                                    "the tensor overflows"));
  tensor->set_dims(0, -5);
  CHECK_THAT(errorOf(maker), Equals("test.onnx: initializer 'w': tensor has a "
                                    "dimension of size -5"));
  tensor->clear_dims();
  tensor->set_data_type(99);
  CHECK_THAT(errorOf(maker),
             Equals("test.onnx: initializer 'w': tensor has data type 99, "
                    "which is not supported"));
}

TEST_CASE("results that are too large") {
  ModelMaker maker;
  maker.input("x", {1}).output("z").node("Expand", {"x", "s"}, {"z"});
  maker.integers("s", {int64_t(1) << 40, int64_t(1) << 40});
  CHECK_THAT(errorOf(maker), StartsWith("test.onnx: node 'Expand_1' (Expand): "
                                        "result of shape"));
  ModelMaker wide;
  wide.input("x", {int64_t(1) << 62, 4}).output("z").node("Relu", {"x"}, {"z"});
  CHECK_THAT(errorOf(wide),
             StartsWith("test.onnx: input 'x': result of shape"));
}

TEST_CASE("windows that do not fit") {
  ModelMaker maker;
  maker.input("x", {1, 1, 2}).output("z").node("MaxPool", {"x"}, {"z"});
  CHECK_THAT(errorOf(maker),
             Equals("test.onnx: node 'MaxPool_1' (MaxPool): attribute "
                    "'kernel_shape' is missing"));
  maker.set("kernel_shape", std::vector<int64_t>{5});
  CHECK_THAT(errorOf(maker),
             Equals("test.onnx: node 'MaxPool_1' (MaxPool): a window of size 5 "
                    "does not fit an input of shape [1, 1, 2]"));
  maker.set("strides", std::vector<int64_t>{0});
  CHECK_THAT(errorOf(maker),
             StartsWith("test.onnx: node 'MaxPool_1' (MaxPool): the window has "
                        "size 5, stride 0"));
}

TEST_CASE("a value that must be known") {
  // The shape has an unknown number of elements.
  ModelMaker maker = one("Reshape", {"x", "s"});
  maker.input("s", {-1}, ::onnx::TensorProto::INT64);
  CHECK_THAT(
      errorOf(maker),
      Equals("test.onnx: node 'Reshape_1' (Reshape): the shape (input "
             "'s') must be known when the model is imported; it depends on "
             "the elements of input 's'"));
}

TEST_CASE("the inputs of a value that must be known are named") {
  auto unknownOf = [](const ModelMaker &maker) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    std::vector<std::string> unknown = {"of an import before"};
    CHECK_FALSE(tilewright::onnx::importModelFromBytes(
                    context, maker.bytes(), "test.onnx", {}, &unknown)
                    .ok());
    return unknown;
  };
  ModelMaker maker = one("Reshape", {"x", "s"});
  maker.input("s", {-1}, ::onnx::TensorProto::INT64);
  CHECK(unknownOf(maker) == std::vector<std::string>{"s"});
  // With its elements the shape is static, which another node may need.
  ModelMaker read = one("Reshape", {"x", "s"});
  read.input("s", {2}, ::onnx::TensorProto::INT64)
      .node("Frobnicate", {"z"}, {"w"});
  CHECK(unknownOf(read) == std::vector<std::string>{"s"});
  CHECK(unknownOf(one("Frobnicate", {"x"})).empty());
}

TEST_CASE("operator sets that are not known") {
  CHECK_THAT(errorOf(ModelMaker(99).input("x", {2}).output("z").node(
                 "Relu", {"x"}, {"z"})),
             Equals("test.onnx: the model needs operator set 99, supported are "
                    "1 to 27"));
}

TEST_CASE("options that do not fit the model") {
  ModelMaker maker = one("Relu", {"x"});
  tilewright::onnx::ImportOptions options;
  options.inputShapes["y"] = {1};
  CHECK_THAT(errorOf(maker.bytes(), options),
             Equals("test.onnx: a shape was given for 'y', which is not an "
                    "input of the model\n  the model's inputs: x"));
  options.inputShapes = {{"x", {1, 2, 3}}};
  CHECK_THAT(errorOf(maker.bytes(), options),
             Equals("test.onnx: input 'x' was given a shape of 3 dimensions, "
                    "it has 2"));
}

TEST_CASE("functions that call themselves") {
  ModelMaker maker;
  maker.input("x", {2}).output("z").node("F", {"x"}, {"z"});
  maker.model.mutable_graph()->mutable_node(0)->set_domain("mine");
  auto *function = maker.model.add_functions();
  function->set_name("F");
  function->set_domain("mine");
  function->add_input("a");
  function->add_output("b");
  function->add_opset_import()->set_version(21);
  auto *node = function->add_node();
  node->set_op_type("F");
  node->set_domain("mine");
  node->add_input("a");
  node->add_output("b");
  CHECK(errorOf(maker).find("functions call each other too deeply") !=
        std::string::npos);
}

// Every prefix of a model and many random changes of one give a message or a
// model, never a crash.
TEST_CASE("broken files") {
  ModelMaker maker;
  maker.input("x", {1, 2, -1, 8})
      .output("z")
      .floats("w", {4, 2, 3, 3}, std::vector<float>(72, 1))
      .integers("shape", {0, -1})
      .node("Conv", {"x", "w"}, {"a"})
      .set("pads", std::vector<int64_t>{1, 1, 1, 1})
      .node("MaxPool", {"a"}, {"p"})
      .set("kernel_shape", std::vector<int64_t>{2, 2})
      .set("ceil_mode", int64_t(1))
      .node("Softmax", {"p"}, {"s"})
      .node("Slice", {"s", "shape", "shape"}, {"t"})
      .node("Reshape", {"s", "shape"}, {"z"});
  std::string bytes = maker.bytes();
  for (size_t size = 0; size < bytes.size(); ++size)
    CHECK_THAT(errorOf(bytes.substr(0, size)), !Equals("imported"));
  std::mt19937 random(3);
  int imported = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string changed = bytes;
    for (int i = 0; i < 1 + round % 3; ++i)
      changed[random() % changed.size()] = char(random());
    imported += errorOf(changed) == "imported";
  }
  CHECK(imported < 2000);
}
