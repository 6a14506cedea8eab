// Sequences and optional values: what is known of them at import, and the
// errors about what is not.
#include "Models.h"

using namespace tilewright::onnx;
using namespace tilewright::onnx::test;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {
::onnx::TypeProto sequenceOf(const ::onnx::TypeProto &type) {
  ::onnx::TypeProto result;
  *result.mutable_sequence_type()->mutable_elem_type() = type;
  return result;
}

::onnx::TypeProto optionalOf(const ::onnx::TypeProto &type) {
  ::onnx::TypeProto result;
  *result.mutable_optional_type()->mutable_elem_type() = type;
  return result;
}

/// Replaces the type of an input or output by one made of it.
template <typename Info, typename Make> void wrapType(Info *info, Make make) {
  *info->mutable_type() = make(::onnx::TypeProto(info->type()));
}

/// A sequence of two parts of x, and one node that reads it.
ModelMaker reading(const char *type, std::vector<std::string> inputs) {
  ModelMaker maker;
  maker.input("x", {2}).input("i", {}, ::onnx::TensorProto::INT64).output("y");
  maker.node("SequenceConstruct", {"x", "x"}, {"s"});
  return maker.node(type, inputs, {"y"});
}

/// Reads the first element of a sequence that is an input.
ModelMaker ofInput() {
  ModelMaker maker;
  maker.input("s", {-1, 3}).output("y").integers("first", {0});
  wrapType(maker.model.mutable_graph()->mutable_input(0), sequenceOf);
  return maker.node("SequenceAt", {"s", "first"}, {"y"});
}

/// Whether an optional input is there.
ModelMaker ofOptional() {
  ModelMaker maker;
  maker.input("o", {4}).output("y", ::onnx::TensorProto::BOOL);
  wrapType(maker.model.mutable_graph()->mutable_input(0), optionalOf);
  return maker.node("OptionalHasElement", {"o"}, {"y"});
}

using Shapes = std::map<std::string, std::vector<int64_t>>;

ImportOptions given(Shapes shapes, std::set<std::string> inputs = {}) {
  ImportOptions options;
  options.inputShapes = std::move(shapes);
  options.givenInputs = std::move(inputs);
  return options;
}

std::vector<std::string> argumentsOf(Imported &imported) {
  std::vector<std::string> names;
  mlir::func::FuncOp main = imported.main();
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    names.push_back(
        main.getArgAttrOfType<mlir::StringAttr>(i, "graph.name").str());
  return names;
}
} // namespace

TEST_CASE("positions in sequences are known and in range") {
  CHECK_THAT(errorOf(reading("SequenceAt", {"s", "i"})),
             EndsWith("the position (input 'i') must be known when the model "
                      "is imported; it depends on the elements of input 'i'"));
  for (const char *type : {"SequenceAt", "SequenceErase"})
    CHECK_THAT(errorOf(reading(type, {"s", "p"}).integers("p", {2})),
               EndsWith("the position is 2, the sequence has 2 elements"));
  CHECK_THAT(
      errorOf(reading("SequenceInsert", {"s", "x", "p"}).integers("p", {-3})),
      EndsWith("the position is -3, the sequence has 2 elements"));
}

TEST_CASE("sequences where tensors are expected, and the other way round") {
  CHECK_THAT(errorOf(reading("Relu", {"s"})),
             EndsWith("input 's' is a sequence, expected a tensor"));
  CHECK_THAT(errorOf(reading("SequenceLength", {"x"})),
             EndsWith("input 'x' is a tensor, expected a sequence"));
  CHECK_THAT(errorOf(reading("Identity", {"s"})),
             EndsWith("output 'y' is declared as a tensor of f32, its node "
                      "gives a sequence of f32"));
}

TEST_CASE("elements of a sequence have one type") {
  CHECK_THAT(errorOf(reading("SequenceInsert", {"s", "i"})),
             EndsWith("the elements of a sequence have types f32 and i64"));
}

TEST_CASE("sequences without elements") {
  ModelMaker maker;
  maker.input("x", {2}).output("y").node("SequenceEmpty", {}, {"s"});
  ModelMaker result = maker;
  maker.node("ConcatFromSequence", {"s"}, {"y"}).set("axis", int64_t(0));
  CHECK_THAT(errorOf(maker), EndsWith("the sequence has no elements"));
  wrapType(result.model.mutable_graph()->mutable_output(0), sequenceOf);
  result.node("Identity", {"s"}, {"y"});
  CHECK_THAT(errorOf(result), EndsWith("nothing is computed"));
}

TEST_CASE("the length of a split is known") {
  ModelMaker maker;
  maker.input("x", {-1, 3}).output("y").integers("first", {0});
  maker.node("SplitToSequence", {"x"}, {"s"});
  maker.node("SequenceAt", {"s", "first"}, {"y"});
  CHECK_THAT(errorOf(maker),
             Contains("the input has shape [N, 3], axis 0 must be static: it "
                      "is the length of the sequence") &&
                 EndsWith("--input-shape x=1x3"));
  Imported imported(maker, given({{"x", {4, 3}}}));
  CHECK(imported.count("tensor.extract_slice") > 0);
}

TEST_CASE("a loop of unknown length keeps the length of its sequences") {
  ModelMaker maker;
  maker.input("x", {2}).input("c", {}, ::onnx::TensorProto::BOOL).output("y");
  maker.integers("n", {3}).integers("first", {0});
  maker.node("SequenceConstruct", {"x"}, {"s"});
  maker.node("Loop", {"n", "c", "s"}, {"t"});
  auto *attribute =
      maker.model.mutable_graph()->mutable_node(1)->add_attribute();
  attribute->set_name("body");
  attribute->set_type(::onnx::AttributeProto::GRAPH);
  ModelMaker body;
  body.input("i", {}).input("on", {}).input("before", {});
  body.output("c").output("after");
  body.node("SequenceInsert", {"before", "x"}, {"after"});
  *attribute->mutable_g() = body.model.graph();
  maker.node("SequenceAt", {"t", "first"}, {"y"});
  // The condition of the first iteration is known.
  maker.model.mutable_graph()->mutable_node(1)->set_input(1, "");
  CHECK_THAT(errorOf(maker),
             Contains("a sequence that a loop of unknown length carries "
                      "changes its length"));
  // One of the same length is carried.
  body.model.mutable_graph()->mutable_node(0)->set_op_type("Identity");
  body.model.mutable_graph()->mutable_node(0)->mutable_input()->RemoveLast();
  *maker.model.mutable_graph()
       ->mutable_node(1)
       ->mutable_attribute(0)
       ->mutable_g() = body.model.graph();
  CHECK(Imported(maker).count("scf.while") == 1);
}

TEST_CASE("an input that is a sequence has the elements that are given") {
  CHECK_THAT(errorOf(ofInput()),
             EndsWith("input 's' is a sequence; give the number of its "
                      "elements, for example with --input-shape s[]=2"));
  auto with = [](ImportOptions options) {
    Imported imported(ofInput(), options);
    return argumentsOf(imported);
  };
  using Names = std::vector<std::string>;
  CHECK(with(given({{"s[]", {1}}})) == Names{"s[0]"});
  CHECK(with(given({{"s[1]", {4, 3}}})) == Names{"s[0]", "s[1]"});
  CHECK(with(given({}, {"s[0]", "s[1]"})) == Names{"s[0]", "s[1]"});
  auto wrong = [](ImportOptions options) {
    return errorOf(ofInput().bytes(), options);
  };
  CHECK_THAT(wrong(given({{"s[]", {0}}})),
             EndsWith("the position is 0, the sequence has 0 elements"));
  CHECK_THAT(wrong(given({{"s[]", {2, 3}}})),
             EndsWith("expected one from 0 to 1024"));
  CHECK_THAT(wrong(given({{"s[]", {1}}}, {"s[1]"})),
             EndsWith("'s[1]' was given, input 's' has at most 1 elements"));
  CHECK_THAT(wrong(given({{"s[99999999]", {2, 3}}})),
             EndsWith("has at most 1024 elements"));
  CHECK_THAT(wrong(given({{"s[0]", {3}}})),
             Contains("input 's[0]' was given a shape of 1 dimensions"));
  CHECK_THAT(wrong(given({{"s", {3}}, {"s[]", {1}}})),
             Contains("a shape was given for 's', which is not an input"));
}

TEST_CASE("elements of an input differ in sizes with a name") {
  ModelMaker maker = ofInput();
  maker.node("SequenceAt", {"s", "second"}, {"z"}).integers("second", {1});
  maker.output("z");
  Imported imported(maker, given({{"s[]", {2}}}));
  CHECK_THAT(imported.text(),
             Contains(R"(graph.dims = ["s_0_.dim0", ""])") &&
                 Contains(R"(graph.dims = ["s_1_.dim0", ""])"));
}

TEST_CASE("an optional input is there if it is given") {
  auto count = [](ImportOptions options) {
    Imported imported(ofOptional(), options);
    return argumentsOf(imported).size();
  };
  CHECK(count(given({})) == 0);
  CHECK(count(given({{"o", {4}}})) == 1);
  CHECK(count(given({{"o[]", {1}}})) == 1);
  CHECK(count(given({}, {"o"})) == 1);
  CHECK_THAT(errorOf(ofOptional().bytes(), given({{"o[]", {2}}})),
             EndsWith("expected one from 0 to 1"));
  ModelMaker maker = ofOptional();
  maker.model.mutable_graph()->mutable_node(0)->set_op_type(
      "OptionalGetElement");
  CHECK_THAT(errorOf(maker), EndsWith("the optional value 'o' has no element"));
}

TEST_CASE("an output that is absent is declared as optional") {
  ModelMaker maker;
  maker.input("o", {4}).input("x", {4}).output("y").output("z");
  wrapType(maker.model.mutable_graph()->mutable_input(0), optionalOf);
  maker.node("Identity", {"o"}, {"y"}).node("Exp", {"x"}, {"z"});
  CHECK_THAT(errorOf(maker), EndsWith("output 'y' is an optional value that is "
                                      "absent, and not declared as one"));
  wrapType(maker.model.mutable_graph()->mutable_output(0), optionalOf);
  Imported imported(maker);
  CHECK(imported.main().getNumResults() == 1);
}

TEST_CASE("inputs that are neither tensors nor sequences of them") {
  ModelMaker maker = ofInput();
  wrapType(maker.model.mutable_graph()->mutable_input(0), sequenceOf);
  CHECK_THAT(errorOf(maker),
             StartsWith("test.onnx: input 's' is not a tensor, nor a sequence "
                        "of tensors"));
}
