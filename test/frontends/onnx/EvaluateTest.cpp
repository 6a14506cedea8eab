// Elements that are known while a model is imported.
#include "Models.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright::onnx;
using namespace tilewright::onnx::test;
using Catch::Matchers::Contains;

static int64_t sizeOf(Imported &ir, unsigned dim) {
  return cast<RankedTensorType>(ir.result().getType()).getDimSize(dim);
}

TEST_CASE("constants fold whatever operator makes them") {
  // F.pad as TorchScript exports it: reversed pairs, made flat.
  Imported ir(ModelMaker()
                  .input("x", {3, 4})
                  .output("z")
                  .integers("pairs", {1, 2, 0, 1})
                  .integers("two", {2, 2})
                  .integers("start", {-1})
                  .integers("end", {INT64_MIN + 1})
                  .integers("axis", {0})
                  .integers("step", {-1})
                  .integers("flat", {-1})
                  .node("Reshape", {"pairs", "two"}, {"square"})
                  .node("Slice", {"square", "start", "end", "axis", "step"},
                        {"reversed"})
                  .node("Transpose", {"reversed"}, {"columns"})
                  .node("Reshape", {"columns", "flat"}, {"pads"})
                  .node("Pad", {"x", "pads"}, {"z"}));
  // [[0, 1], [1, 2]] transposed: 0 and 1 before, 1 and 2 behind.
  CHECK(sizeOf(ir, 0) == 4);
  CHECK(sizeOf(ir, 1) == 7);
}

TEST_CASE("reductions fold from their initial value") {
  // Sums of [1, 2] and [3, 4] as a shape, through f32.
  Imported ir(ModelMaker()
                  .input("x", {21})
                  .output("z")
                  .floats("a", {2, 2}, {1, 2, 3, 4})
                  .integers("axis", {1})
                  .node("ReduceSum", {"a", "axis"}, {"sums"})
                  .set("keepdims", int64_t(0))
                  .node("Cast", {"sums"}, {"shape"})
                  .set("to", int64_t(::onnx::TensorProto::INT64))
                  .node("Reshape", {"x", "shape"}, {"r"})
                  .node("Relu", {"r"}, {"z"}));
  CHECK(sizeOf(ir, 0) == 3);
  CHECK(sizeOf(ir, 1) == 7);
}

TEST_CASE("scatters without a reduction fold: the last update counts") {
  Imported ir(
      ModelMaker()
          .input("x", {21})
          .output("z")
          .integers("before", {7, 1})
          .integers("at", {-1, 1})
          .integers("updates", {9, 3})
          .node("ScatterElements", {"before", "at", "updates"}, {"shape"})
          .node("Reshape", {"x", "shape"}, {"r"})
          .node("Relu", {"r"}, {"z"}));
  CHECK(sizeOf(ir, 0) == 7);
  CHECK(sizeOf(ir, 1) == 3);
}

TEST_CASE("outer products and scalars fold") {
  Imported ir(ModelMaker()
                  .input("x", {2, 3})
                  .output("z")
                  .floats("a", {2}, {2, 3})
                  .floats("b", {3}, {5, 7, 11})
                  .node("Einsum", {"a", "b"}, {"c"})
                  .set("equation", "i,j->ij")
                  .floats("s", {}, {-2.5})
                  .node("ReduceL1", {"s"}, {"n"})
                  .node("Mul", {"c", "n"}, {"p"})
                  .node("Add", {"x", "p"}, {"z"}));
  ir.fold();
  REQUIRE(ir.generics().size() == 1);
  DenseElementsAttr constant;
  bool found = false;
  ir.main().walk([&](arith::ConstantOp op) {
    if (matchPattern(op.getResult(), m_Constant(&constant)) &&
        constant.getNumElements() == 6)
      found = constant.getValues<float>()[5] == 3 * 11 * 2.5f;
  });
  CHECK(found);
}

TEST_CASE("whole numbers over sizes are followed through any operator") {
  // The shape [N, M] by Mul and ReduceSum over a 2x2 of sizes.
  Imported ir(ModelMaker()
                  .input("x", {-1, -2})
                  .output("z")
                  .integers("ones", {1, 1})
                  .integers("square", {2, 2})
                  .integers("axis", {1})
                  .node("Shape", {"x"}, {"s"})
                  .node("Concat", {"s", "s"}, {"twice"})
                  .set("axis", int64_t(0))
                  .node("Reshape", {"twice", "square"}, {"matrix"})
                  .node("ReduceMax", {"matrix", "axis"}, {"greatest"})
                  .set("keepdims", int64_t(0))
                  .node("ConstantOfShape", {"greatest"}, {"z"}));
  ir.fold();
  // max(N, M) both times.
  CHECK(ir.count("arith.maxsi") == 1);
}

TEST_CASE("a value that is not known names its input and a remedy") {
  ModelMaker maker;
  maker.input("x", {-1, 4})
      .input("n", {-1}, ::onnx::TensorProto::INT64)
      .output("z")
      .integers("two", {2})
      .node("Mul", {"n", "two"}, {"shape"})
      .node("Reshape", {"x", "shape"}, {"z"});
  CHECK_THAT(errorOf(maker),
             Contains("it depends on the elements of input 'n'"));

  ModelMaker dynamic;
  dynamic.input("x", {-1, 4})
      .output("z")
      .node("Shape", {"x"}, {"s"})
      .node("ReduceSum", {"x", "s"}, {"z"});
  CHECK_THAT(errorOf(dynamic),
             Contains("for example with --input-shape x=1x4"));
}

TEST_CASE("a condition on sizes takes a branch that is checked") {
  // The export of a squeeze: if the size is 1, without the dimension.
  ModelMaker maker;
  maker.input("x", {-1, 4})
      .output("z")
      .integers("zero", {0})
      .integers("one", {1})
      .node("Shape", {"x"}, {"s"})
      .node("Gather", {"s", "zero"}, {"n"})
      .node("Equal", {"n", "one"}, {"c"})
      .node("If", {"c"}, {"z"});
  auto branch = [&](const char *name, const char *type) {
    auto *attribute =
        maker.model.mutable_graph()->mutable_node(3)->add_attribute();
    attribute->set_name(name);
    attribute->set_type(::onnx::AttributeProto::GRAPH);
    auto *node = attribute->mutable_g()->add_node();
    node->set_op_type(type);
    node->add_input("x");
    if (StringRef(type) == "Squeeze")
      node->add_input("zero");
    node->add_output("y");
    attribute->mutable_g()->add_output()->set_name("y");
  };
  branch("then_branch", "Squeeze");
  branch("else_branch", "Identity");
  Imported ir(maker);
  CHECK(cast<RankedTensorType>(ir.result().getType()).getRank() == 1);
  CHECK(ir.check().first == "N");
  CHECK(ir.check().second == "1");
}

TEST_CASE("slices clamp where a dimension is dynamic") {
  auto sliced = [](int64_t start, int64_t end) {
    return ModelMaker()
        .input("x", {-1, 4})
        .output("z")
        .integers("start", {start})
        .integers("end", {end})
        .integers("axis", {0})
        .node("Slice", {"x", "start", "end", "axis"}, {"s"})
        .node("Relu", {"s"}, {"z"});
  };
  // The end of a dimension, however it is written.
  for (int64_t end : {int64_t(INT32_MAX), INT64_MAX, int64_t(1000000000)})
    CHECK(Imported(sliced(0, end)).count("tensor.extract_slice") == 0);
  // min(N, 5).
  Imported first(sliced(0, 5));
  CHECK(first.count("arith.maxsi") == 1);
  CHECK(first.count("graph.check") == 0);
  // One element, unless N is 0.
  Imported last(sliced(-1, INT64_MAX));
  CHECK(sizeOf(last, 0) == 1);
  CHECK(last.check().second == "1");
}

TEST_CASE("a loop and the dimensions that it walks along agree") {
  Imported ir(ModelMaker()
                  .input("x", {-1, 4})
                  .input("y", {4, -2})
                  .input("l", {-2}, ::onnx::TensorProto::INT64)
                  .output("z")
                  .node("ReverseSequence", {"x", "l"}, {"z"})
                  .set("batch_axis", int64_t(0))
                  .set("time_axis", int64_t(1)));
  CHECK(ir.check().first == "M");
  CHECK(ir.check().second == "N");
  CHECK_THAT(errorOf(ModelMaker()
                         .input("x", {3, 4})
                         .input("l", {2}, ::onnx::TensorProto::INT64)
                         .output("z")
                         .node("ReverseSequence", {"x", "l"}, {"z"})
                         .set("batch_axis", int64_t(0))
                         .set("time_axis", int64_t(1))),
             Contains("has size 2 where the others have 3"));
}
