// Shape arithmetic is symbolic and creates no operations.
#include "Models.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace tilewright::onnx;
using namespace tilewright::onnx::test;
using namespace mlir;

TEST_CASE("dynamic sizes become symbols of the arguments") {
  Imported ir(ModelMaker()
                  .input("x", {-1, 3, -2})
                  .output("z")
                  .node("Relu", {"x"}, {"z"}));
  auto dims = ir.main().getArgAttrOfType<ArrayAttr>(0, "graph.dims");
  REQUIRE(dims.size() == 3);
  CHECK(cast<StringAttr>(dims[0]) == "N");
  CHECK(cast<StringAttr>(dims[1]) == "");
  CHECK(cast<StringAttr>(dims[2]) == "M");
  CHECK(ir.count("tensor.dim") == 2);
}

TEST_CASE("a size without a name gets one") {
  ModelMaker maker;
  maker.input("x", {-1, 3}).output("z").node("Relu", {"x"}, {"z"});
  maker.model.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->clear_value();
  Imported ir(maker);
  auto symbols = ir.main()->getAttrOfType<ArrayAttr>("graph.symbols");
  REQUIRE(symbols.size() == 1);
  CHECK(cast<StringAttr>(symbols[0]) == "x.dim0");
}

TEST_CASE("a Squeeze without axes drops sizes that are known to be 1") {
  Imported ir(ModelMaker()
                  .input("x", {1, -1, 3, -2})
                  .output("z")
                  .node("Squeeze", {"x"}, {"z"}));
  CHECK(cast<RankedTensorType>(ir.result().getType()).getRank() == 3);
  // The others are checked not to be.
  CHECK(ir.count("graph.check") == 2);
  CHECK_THAT(ir.text(), Catch::Matchers::Contains("--input-shape x=1x1x3x?"));
  CHECK_THAT(ir.text(), Catch::Matchers::Contains("--input-shape x=1x?x3x1"));
}

TEST_CASE("a size that is given for one input is that of all that name it") {
  ImportOptions options;
  options.inputShapes["x"] = {5, -1};
  Imported ir(ModelMaker()
                  .input("x", {-1, 3})
                  .input("y", {-1})
                  .output("z")
                  .node("Relu", {"y"}, {"z"}),
              options);
  CHECK(cast<RankedTensorType>(ir.result().getType()).getDimSize(0) == 5);
  CHECK(ir.count("tensor.dim") == 0);
}

TEST_CASE("equal sizes are one value") {
  Imported ir(ModelMaker()
                  .input("x", {1, 1, -1})
                  .output("z")
                  .floats("w", {1, 1, 1}, {2})
                  .node("Conv", {"x", "w"}, {"a"})
                  .set("strides", std::vector<int64_t>{2})
                  .node("MaxPool", {"x"}, {"b"})
                  .set("kernel_shape", std::vector<int64_t>{1})
                  .set("strides", std::vector<int64_t>{2})
                  .node("Add", {"a", "b"}, {"z"}));
  CHECK(ir.count("affine.apply") == 1);
  CHECK(ir.count("graph.check") == 0);
}

TEST_CASE("a shape computed from a shape is folded") {
  // Reshape to [x.shape[0], -1] through Shape, Gather, Unsqueeze, Concat.
  Imported ir(ModelMaker()
                  .input("x", {-1, 4, -2})
                  .output("z")
                  .integers("zero", {0})
                  .integers("minus", {-1})
                  .node("Shape", {"x"}, {"s"})
                  .node("Gather", {"s", "zero"}, {"n"})
                  .node("Concat", {"n", "minus"}, {"target"})
                  .set("axis", int64_t(0))
                  .node("Reshape", {"x", "target"}, {"r"})
                  .node("Relu", {"r"}, {"z"}));
  CHECK(ir.generics().size() == 1);
  CHECK(ir.count("tensor.reshape") == 1);
  CHECK(ir.count("graph.check") == 0);
}

TEST_CASE("arithmetic and selection on shapes are folded") {
  // Expand to where(shape == -1, 1, shape).
  Imported ir(ModelMaker()
                  .input("x", {1, 4})
                  .input("y", {-1, 4})
                  .output("z")
                  .integers("minus", {-1})
                  .integers("one", {1})
                  .node("Shape", {"y"}, {"s"})
                  .node("Equal", {"s", "minus"}, {"e"})
                  .node("Where", {"e", "one", "s"}, {"t"})
                  .node("Expand", {"x", "t"}, {"z"}));
  CHECK(ir.generics().size() == 1);
  CHECK(cast<RankedTensorType>(ir.result().getType()).isDynamicDim(0));
}

TEST_CASE("a size used as a number is read from the argument") {
  auto i64 = ::onnx::TensorProto::INT64;
  Imported ir(ModelMaker()
                  .input("x", {-1, 4})
                  .output("z", i64)
                  .node("Shape", {"x"}, {"z"}));
  CHECK(ir.count("tensor.dim") == 1);
  CHECK(cast<RankedTensorType>(ir.result().getType()).getDimSize(0) == 2);
}

TEST_CASE("sizes that must agree at run time are checked") {
  Imported ir(ModelMaker()
                  .input("x", {-1, 4})
                  .input("y", {-2, 4})
                  .output("z")
                  .node("Add", {"x", "y"}, {"z"}));
  // N is 1 or the greater of the two.
  CHECK(ir.check().first ==
        "(N*N - N*M - N*max(N - M, 0) - N + M + max(N - M, 0))");
  CHECK(ir.check().second == "0");
}

TEST_CASE("options fix an input's shape") {
  ImportOptions options;
  options.inputShapes["x"] = {2, -1};
  Imported ir(
      ModelMaker().input("x", {-1, -2}).output("z").node("Relu", {"x"}, {"z"}),
      options);
  auto type = cast<RankedTensorType>(ir.result().getType());
  CHECK(type.getDimSize(0) == 2);
  CHECK(type.isDynamicDim(1));
}

TEST_CASE("options give the value of an input") {
  ModelMaker maker;
  maker.input("x", {2, 6})
      .input("shape", {-1}, ::onnx::TensorProto::INT64)
      .output("z")
      .node("Reshape", {"x", "shape"}, {"r"})
      .node("Relu", {"r"}, {"z"});
  CHECK(errorOf(maker).find("must be known") != std::string::npos);
  ImportOptions options;
  int64_t shape[] = {3, 4};
  options.inputValues["shape"] = {
      ::onnx::TensorProto::INT64,
      {2},
      std::string(reinterpret_cast<char *>(shape), sizeof(shape))};
  Imported ir(maker, options);
  CHECK(cast<RankedTensorType>(ir.result().getType()).getDimSize(0) == 3);
  CHECK(ir.main().getArgAttr(1, "graph.fixed"));
  CHECK(ir.main().getNumArguments() == 2);
}

TEST_CASE("a function of the model is inlined with its attributes") {
  ModelMaker maker;
  maker.input("x", {4}).output("z").node("Scaled", {"x"}, {"z"});
  maker.set("by", 0.25f);
  maker.model.mutable_graph()->mutable_node(0)->set_domain("mine");
  auto *import = maker.model.add_opset_import();
  import->set_domain("mine");
  import->set_version(1);
  auto *function = maker.model.add_functions();
  function->set_name("Scaled");
  function->set_domain("mine");
  function->add_input("a");
  function->add_output("b");
  function->add_attribute("by");
  function->add_opset_import()->set_version(21);
  auto *node = function->add_node();
  node->set_op_type("LeakyRelu");
  node->add_input("a");
  node->add_output("b");
  auto *attribute = node->add_attribute();
  attribute->set_name("alpha");
  attribute->set_ref_attr_name("by");
  attribute->set_type(::onnx::AttributeProto::FLOAT);
  Imported ir(maker);
  CHECK(ir.generics().size() == 1);
  CHECK(ir.text().find("2.500000e-01") != std::string::npos);
}
