// Patterns of nodes that a kernel of the user computes.
#include "Models.h"

#include "frontends/onnx/Pattern.h"
#include "graph/ir/Graph.h"
#include "tilewright/mlir/Tile.h"

using namespace tilewright::onnx;
using namespace tilewright::onnx::test;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;
using tilewright::graph::CompositeOp;

//===--- The language -----------------------------------------------------===//

/// What is wrong with a pattern; "" for nothing.
static std::string syntaxError(const char *text) {
  auto pattern = parsePattern(text);
  if (pattern)
    return "";
  std::string message = pattern.status().message();
  std::string start = "pattern '" + onOneLine(text) + "': ";
  CHECK_THAT(message, Catch::Matchers::StartsWith(start));
  return message.substr(start.size());
}

/// "x w -> y z".
static std::string interfaceOf(const char *text) {
  auto pattern = parsePattern(text);
  REQUIRE(bool(pattern));
  std::string names;
  for (size_t value : pattern->inputs)
    names += pattern->values[value].name + " ";
  names += "->";
  for (size_t value : pattern->outputs)
    names += " " + pattern->values[value].name;
  return names;
}

TEST_CASE(
    "patterns: inputs in order of appearance, outputs what nobody reads") {
  CHECK(interfaceOf("y = Mul(x, Sigmoid(x))") == "x -> y");
  CHECK(interfaceOf("a = Add(p, q)\ny = Mul(a, r)") == "p q r -> y");
  CHECK(interfaceOf("a = Add(p, q); y = Mul(a, a); z = Relu(a)") ==
        "p q -> y z");
  CHECK(interfaceOf("y, m = Dropout(x)") == "x -> y m");
  CHECK(interfaceOf("\n(w, x) -> (y, a)  # the order of the kernel\n"
                    "a = Add(x, w)\n\ny = Relu(\n  a)\n") == "w x -> y a");
}

TEST_CASE("patterns: operands and attributes") {
  auto pattern = parsePattern("y = com.acme.Op(x, _, 0.5, [1, -2], Neg(w)) "
                              "{axis = -1, name = \"a b\", pads = []}");
  REQUIRE(bool(pattern));
  REQUIRE(pattern->nodes.size() == 2);
  const PatternNode &node = pattern->nodes[1];
  CHECK(node.domain == "com.acme");
  CHECK(node.op == "Op");
  using Kind = PatternOperand::Kind;
  REQUIRE(node.operands.size() == 5);
  CHECK(node.operands[1].kind == Kind::absent);
  CHECK(node.operands[2].constant.values == std::vector<double>{0.5});
  CHECK_FALSE(node.operands[2].constant.isList);
  CHECK(node.operands[3].constant.values == std::vector<double>{1, -2});
  CHECK(node.operands[3].constant.isList);
  CHECK(pattern->values[node.operands[4].value].node == 0);
  REQUIRE(node.attributes.size() == 3);
  CHECK(std::get<std::string>(node.attributes[1].value) == "a b");
  CHECK(std::get<PatternNumbers>(node.attributes[2].value).values.empty());
}

TEST_CASE("patterns: an error has line and column") {
  CHECK(syntaxError("y = Mul(x, Sigmoid(x)") ==
        "1:22: expected ',' or ')', found the end");
  CHECK(syntaxError("y = Mul(x,\n  Sigmoid x)") ==
        "2:11: expected ',' or ')', found 'x'");
  CHECK(syntaxError("") == "1:1: expected a name, found the end");
  CHECK(syntaxError("Mul(x, y)") == "1:4: expected ',' or '=', found '('");
  CHECK(syntaxError("y = x") ==
        "1:6: expected '(' behind the operator 'x', found the end");
  CHECK(syntaxError("y = Neg(x) z = Neg(y)") ==
        "1:12: expected the line's end or ';', found 'z'");
  CHECK(syntaxError("y = Neg(x)\ny = Neg(x)") ==
        "2:1: 'y' is defined twice, first at 1:1");
  CHECK(syntaxError("y = Neg(a)\na = Neg(x)") ==
        "2:1: 'a' is read before at 1:9");
  CHECK(syntaxError("y = Neg(x) {axis}") == "1:17: expected '=', found '}'");
  CHECK(syntaxError("y = Neg(x) {axis = u}") ==
        "1:20: expected a number, a list of numbers or a string, found 'u'");
  CHECK(syntaxError("y = Neg(1.2.3)") == "1:9: '1.2.3' is no number");
  CHECK(syntaxError("y = Neg(x) {mode = \"u}") == "1:20: a string has no end");
  CHECK(syntaxError("y = Neg(%x)") == "1:9: '%' has no meaning in a pattern");
  CHECK(syntaxError("(x) -> (z)\ny = Neg(x)") ==
        "1:9: 'z' does not occur in the pattern");
  CHECK(syntaxError("() -> (y)\ny = Neg(x)") ==
        "2:9: 'x' is not among the inputs of the pattern's first line");
  CHECK(syntaxError("(x, y) -> (y)\ny = Neg(x)") ==
        "1:5: 'y' is an input, but a node gives it");
  CHECK(syntaxError("(x) -> (x)\ny = Neg(x)") ==
        "1:9: 'x' is an output, but no node gives it");
}

//===--- Matches ----------------------------------------------------------===//

namespace {
/// A model and patterns for it. Kernels take views of f32 of any size.
struct Replaced {
  explicit Replaced(ModelMaker maker) : maker(std::move(maker)) {}

  Replaced &with(const char *pattern, std::vector<unsigned> ranks) {
    Replacement replacement{
        pattern, "k" + std::to_string(options.replacements.size()), {}};
    for (unsigned rank : ranks)
      replacement.arguments.push_back(
          view(llvm::SmallVector<int64_t>(rank, mlir::ShapedType::kDynamic)));
    options.replacements.push_back(replacement);
    return *this;
  }
  mlir::Type view(llvm::ArrayRef<int64_t> shape) {
    context.loadDialect<tilewright::tile::TileDialect>();
    return tilewright::tile::ViewType::get(
        &context, shape, mlir::Float32Type::get(&context), {});
  }
  void import() {
    auto result =
        importModelFromBytes(context, maker.bytes(), "test.onnx", options);
    if (result)
      model = std::move(*result);
    else
      error = result.status().message();
  }
  /// The replaced computations: "@k0 of N inputs: NODE NODE ..".
  std::vector<std::string> replaced() {
    import();
    INFO(error);
    REQUIRE(error.empty());
    std::vector<std::string> texts;
    model.module->walk([&](CompositeOp op) {
      std::string text = "@" + op.getKernel().str();
      op.getBody().walk([&](mlir::linalg::GenericOp each) {
        text += " " + mlir::cast<mlir::NameLoc>(each.getLoc()).getName().str();
      });
      texts.push_back(text);
    });
    return texts;
  }
  std::string errorText() {
    import();
    return error;
  }

  mlir::MLIRContext context;
  ModelMaker maker;
  ImportOptions options;
  ImportedModel model;
  std::string error;
};

using Texts = std::vector<std::string>;
} // namespace

/// x -> Relu -> Sigmoid, Mul -> z
static ModelMaker silu() {
  return ModelMaker()
      .input("x", {-1, 3})
      .output("z")
      .node("Relu", {"x"}, {"r"})
      .node("Sigmoid", {"r"}, {"s"})
      .node("Mul", {"s", "r"}, {"m"})
      .node("Exp", {"m"}, {"z"});
}

TEST_CASE("replaced: operands in either order, sizes from the body") {
  Replaced replaced(silu());
  replaced.with("y = Mul(x, Sigmoid(x))", {2, 2});
  CHECK(replaced.replaced() == Texts{"@k0 Sigmoid_2 Mul_3"});
  CompositeOp op;
  replaced.model.module->walk([&](CompositeOp each) { op = each; });
  CHECK(op.getInputs().size() == 1);
  CHECK(op.getSizes().size() == 1);
  CHECK(op.getResult(0).hasOneUse());
  CHECK(replaced.model.nodeCount == 4);
}

TEST_CASE("replaced: each match, none of them twice") {
  ModelMaker maker;
  maker.input("x", {4}).output("z");
  for (int i = 0; i < 5; ++i)
    maker.node("Relu", {i ? std::string(1, char('a' + i)) : "x"},
               {i == 4 ? "z" : std::string(1, char('b' + i))});
  Replaced replaced(maker);
  replaced.with("y = Relu(Relu(x))", {1, 1});
  CHECK(replaced.replaced() == Texts{"@k0 Relu_1 Relu_2", "@k0 Relu_3 Relu_4"});
}

TEST_CASE("replaced: earlier patterns first") {
  Replaced replaced(silu());
  replaced.with("y = Exp(Mul(x, w))", {2, 2, 2}).with("y = Sigmoid(x)", {2, 2});
  CHECK(replaced.replaced() == Texts{"@k1 Sigmoid_2", "@k0 Mul_3 Exp_4"});
}

static ModelMaker scaled(float factor) {
  return ModelMaker()
      .input("x", {2, 3})
      .output("z")
      .floats("c", {}, {factor})
      .integers("axes", {0, 1})
      .node("Mul", {"c", "x"}, {"m"})
      .node("Softmax", {"m"}, {"p"})
      .set("axis", int64_t(1))
      .node("ReduceSum", {"p", "axes"}, {"z"})
      .set("keepdims", int64_t(1));
}

TEST_CASE("replaced: constants and attributes that are named must be equal") {
  auto count = [](ModelMaker maker, const char *pattern) {
    Replaced replaced(maker);
    replaced.with(pattern, {2, 2});
    replaced.import();
    if (!replaced.error.empty())
      CHECK_THAT(replaced.error, Contains("matches nothing"));
    return replaced.error.empty() ? 1 : 0;
  };
  // 0.7978846 is not a float; both sides are rounded to one.
  CHECK(count(scaled(0.7978846F), "y = Mul(x, 0.7978846)") == 1);
  CHECK(count(scaled(0.7978847F), "y = Mul(x, 0.7978846)") == 0);
  CHECK(count(scaled(2), "y = Mul(2, x)") == 1);
  CHECK(count(scaled(2), "y = Mul([2], x)") == 0);
  CHECK(count(scaled(2), "y = ReduceSum(x, [0, 1])") == 1);
  CHECK(count(scaled(2), "y = ReduceSum(x, [1, 0])") == 0);
  CHECK(count(scaled(2), "y = ReduceSum(x, [0])") == 0);
  CHECK(count(scaled(2), "y = Softmax(x)") == 1);
  CHECK(count(scaled(2), "y = Softmax(x) {axis = 1}") == 1);
  CHECK(count(scaled(2), "y = Softmax(x) {axis = -1}") == 0);
  CHECK(count(scaled(2), "y = Softmax(x) {axes = 1}") == 0);
  // A commutative operator alone takes its operands in either order.
  CHECK(count(ModelMaker()
                  .input("x", {2, 3})
                  .output("z")
                  .floats("c", {}, {1})
                  .node("Sub", {"c", "x"}, {"z"}),
              "y = Sub(x, 1)") == 0);
}

TEST_CASE("replaced: several outputs, and nodes between them") {
  // Exp reads the first output before the second is there.
  ModelMaker maker;
  maker.input("x", {2, 3}).output("z").output("b");
  maker.node("Relu", {"x"}, {"a"})
      .node("Exp", {"a"}, {"z"})
      .node("Neg", {"x"}, {"b"});
  Replaced replaced(maker);
  replaced.with("a = Relu(x)\nb = Neg(x)", {2, 2, 2});
  CHECK(replaced.replaced() == Texts{"@k0 Relu_1 Neg_3"});
  CHECK(replaced.model.nodeCount == 3);
}

TEST_CASE("replaced: a way out of the match and back into it is rejected") {
  ModelMaker maker;
  maker.input("x", {2, 3}).output("z");
  maker.node("Relu", {"x"}, {"a"})
      .node("Exp", {"a"}, {"e"})
      .node("Add", {"a", "e"}, {"z"});
  Replaced replaced(maker);
  replaced.with("(x, e) -> (a, y)\na = Relu(x)\ny = Add(a, e)", {2, 2, 2, 2});
  CHECK(replaced.errorText() ==
        "test.onnx: the nodes 'Relu_1' (Relu), 'Add_3' (Add) cannot run as one "
        "kernel: a node outside of them reads one of their outputs, and they "
        "need what it gives");
}

TEST_CASE("replaced: a node that another one's handler would take") {
  // BatchNormalization is folded into a convolution before it, unless it is
  // replaced.
  ModelMaker maker;
  maker.input("x", {1, 1, 4, 4}).output("z").floats("w", {1, 1, 1, 1}, {2});
  for (const char *name : {"s", "b", "m", "v"})
    maker.floats(name, {1}, {1});
  maker.node("Conv", {"x", "w"}, {"c"})
      .node("BatchNormalization", {"c", "s", "b", "m", "v"}, {"z"});
  Replaced replaced(maker);
  replaced.with("y = BatchNormalization(x, s, b, m, v)", {4, 1, 1, 1, 1, 4});
  Texts texts = replaced.replaced();
  REQUIRE(texts.size() == 1);
  CHECK_THAT(texts[0], Contains("BatchNormalization_2"));
}

TEST_CASE("replaced: constants inside of a match and outside of it") {
  // Both read the bias; their results differ.
  ModelMaker maker;
  maker.input("x", {2, 3}).output("z").floats("b", {3}, {1, 2, 3});
  maker.node("Add", {"x", "b"}, {"a"})
      .node("Relu", {"a"}, {"r"})
      .node("Mul", {"r", "b"}, {"z"});
  Replaced replaced(maker);
  replaced.with("y = Relu(Add(x, b))", {2, 1, 2});
  CHECK(replaced.replaced() == Texts{"@k0 Add_1 Relu_2"});
}

//===--- What is wrong with it --------------------------------------------===//

static std::string errorOf(ModelMaker maker, const char *pattern,
                           std::vector<unsigned> ranks) {
  Replaced replaced(std::move(maker));
  return replaced.with(pattern, std::move(ranks)).errorText();
}

TEST_CASE("replaced: no match says how often each part was found") {
  CHECK(errorOf(silu(), "y = Mul(Relu(x), Sigmoid(x))", {2, 2}) ==
        "test.onnx: pattern 'y = Mul(Relu(x), Sigmoid(x))' matches nothing\n"
        "  Relu(x): found at 1 of 1 Relu node\n"
        "  Sigmoid(x): found at 1 of 1 Sigmoid node\n"
        "  Mul(Relu(x), Sigmoid(x)): found at 0 of 1 Mul node");
}

TEST_CASE("replaced: what others read is not hidden in a match") {
  ModelMaker maker = silu();
  maker.output("w").node("Neg", {"s"}, {"w"});
  CHECK(
      errorOf(maker, "y = Mul(x, Sigmoid(x))", {2, 2}) ==
      "test.onnx: pattern 'y = Mul(x, Sigmoid(x))' matches nothing\n"
      "  Sigmoid(x): found at 1 of 1 Sigmoid node\n"
      "  Mul(x, Sigmoid(x)): found at 1 of 1 Mul node\n"
      "  rejected: node 'Sigmoid_2' (Sigmoid): its output 's' is read outside "
      "of the match, by node 'Neg_5' (Neg)");
  ModelMaker result = silu();
  result.output("s");
  CHECK_THAT(errorOf(result, "y = Mul(x, Sigmoid(x))", {2, 2}),
             Contains("its output 's' is a result of the graph"));
}

TEST_CASE("replaced: a rejection beside a match is told") {
  ModelMaker maker = silu();
  maker.output("w")
      .node("Sigmoid", {"m"}, {"t"})
      .node("Mul", {"t", "m"}, {"w"});
  maker.output("t");
  Replaced replaced(maker);
  replaced.with("y = Mul(x, Sigmoid(x))", {2, 2});
  CHECK(replaced.replaced() == Texts{"@k0 Sigmoid_2 Mul_3"});
  REQUIRE(replaced.model.notReplaced.size() == 1);
  CHECK_THAT(replaced.model.notReplaced[0], Contains("'Sigmoid_5'"));
}

TEST_CASE("replaced: operators that nobody knows") {
  CHECK(errorOf(silu(), "y = Mul(x, Sigmod(x))", {2, 2}) ==
        "test.onnx: pattern 'y = Mul(x, Sigmod(x))': 1:12: unknown operator "
        "'Sigmod'; did you mean 'Sigmoid'?");
  CHECK(errorOf(silu(), "y = com.acme.Mul(x, x)", {2, 2}) ==
        "test.onnx: pattern 'y = com.acme.Mul(x, x)': 1:5: unknown operator "
        "'com.acme.Mul'; did you mean 'Mul'?");
}

TEST_CASE("replaced: kernels of another signature") {
  CHECK(errorOf(silu(), "y = Mul(x, Sigmoid(x))", {2, 2, 2}) ==
        "test.onnx: pattern 'y = Mul(x, Sigmoid(x))': kernel @k0 takes 3 "
        "arguments, expected views of 1 input (x) and 1 output (y)");
  CHECK(errorOf(silu(), "y = Mul(x, Sigmoid(x))", {2, 3}) ==
        "test.onnx: pattern 'y = Mul(x, Sigmoid(x))' at nodes 'Sigmoid_2' "
        "(Sigmoid), 'Mul_3' (Mul): 'm' is f32[N, 3], kernel @k0 takes "
        "!tile.view<?x?x?xf32> as argument 1");
  Replaced fixed(silu());
  fixed.with("y = Sigmoid(x)", {2, 2});
  auto &arguments = fixed.options.replacements[0].arguments;
  arguments[0] = fixed.view({mlir::ShapedType::kDynamic, 3});
  CHECK(fixed.errorText() == "");
  arguments[0] = fixed.view({4, 3}); // N is not known to be 4.
  CHECK_THAT(fixed.errorText(), Contains("'r' is f32[N, 3], kernel @k0 takes "
                                         "!tile.view<4x3xf32> as argument 0"));
  arguments[0] = mlir::IndexType::get(&fixed.context);
  fixed.error.clear();
  CHECK_THAT(fixed.errorText(),
             Contains("takes index as argument 0, expected a view"));
  arguments[0] = tilewright::tile::ViewType::get(
      &fixed.context, {4, 3}, mlir::Float32Type::get(&fixed.context), {3, 1});
  fixed.error.clear();
  CHECK_THAT(fixed.errorText(), Contains("expected a view without strides"));
}
