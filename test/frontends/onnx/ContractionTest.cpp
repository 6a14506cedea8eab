#include "Models.h"

using namespace tilewright::onnx::test;
using namespace mlir;

namespace {
linalg::GenericOp contraction(Imported &ir) {
  for (auto generic : ir.generics())
    if (generic.getNumReductionLoops() > 0)
      return generic;
  FAIL("no contraction");
  return nullptr;
}

std::string mapOf(linalg::GenericOp generic, unsigned i) {
  std::string text;
  llvm::raw_string_ostream(text) << generic.getIndexingMapsArray()[i];
  return text;
}
} // namespace

TEST_CASE("a product has its batch first, then M, N, K") {
  Imported ir(ModelMaker()
                  .input("x", {-1, 4, 5, 6})
                  .input("y", {6, 7})
                  .output("z")
                  .node("MatMul", {"x", "y"}, {"z"}));
  auto generic = contraction(ir);
  CHECK(mapOf(generic, 0) == "(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)");
  CHECK(mapOf(generic, 1) == "(d0, d1, d2, d3, d4) -> (d4, d3)");
  CHECK(mapOf(generic, 2) == "(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)");
}

TEST_CASE("a transpose is absorbed by the product") {
  Imported ir(ModelMaker()
                  .input("x", {4, 6})
                  .input("y", {7, 6})
                  .output("z")
                  .node("Transpose", {"y"}, {"t"})
                  .node("MatMul", {"x", "t"}, {"z"}));
  CHECK(ir.generics().size() == 1);
  CHECK(mapOf(contraction(ir), 1) == "(d0, d1, d2) -> (d1, d2)");
}

TEST_CASE("Gemm adds its bias after the product") {
  Imported ir(ModelMaker()
                  .input("x", {-1, 6})
                  .output("z")
                  .floats("w", {7, 6}, std::vector<float>(42, 1))
                  .floats("c", {7}, std::vector<float>(7, 2))
                  .node("Gemm", {"x", "w", "c"}, {"z"})
                  .set("transB", int64_t(1)));
  CHECK(ir.generics().size() == 2);
  CHECK(mapOf(contraction(ir), 1) == "(d0, d1, d2) -> (d1, d2)");
}

TEST_CASE("Einsum sums over letters of one term before the product") {
  Imported ir(ModelMaker()
                  .input("x", {2, 4, 6})
                  .input("y", {7, 6})
                  .output("z")
                  .node("Einsum", {"x", "y"}, {"z"})
                  .set("equation", "bij,kj->bk"));
  REQUIRE(ir.generics().size() == 2);
  CHECK(mapOf(ir.generics()[0], 1) == "(d0, d1, d2) -> (d0, d1)");
  CHECK(mapOf(ir.generics()[1], 0) == "(d0, d1, d2) -> (d0, d2)");
  CHECK(mapOf(ir.generics()[1], 1) == "(d0, d1, d2) -> (d1, d2)");
}

TEST_CASE("a convolution reads windows of a padded input") {
  Imported ir(ModelMaker()
                  .input("x", {1, 3, -1, 32})
                  .output("z")
                  .floats("w", {8, 3, 3, 3}, std::vector<float>(216, 1))
                  .floats("b", {8}, {1, 2, 3, 4, 5, 6, 7, 8})
                  .node("Conv", {"x", "w", "b"}, {"z"})
                  .set("strides", std::vector<int64_t>{2, 2})
                  .set("pads", std::vector<int64_t>{1, 1, 1, 1}));
  auto generic = contraction(ir);
  CHECK(mapOf(generic, 0) == "(d0, d1, d2, d3, d4, d5, d6) -> "
                             "(d0, d4, d2 * 2 + d5, d3 * 2 + d6)");
  CHECK(mapOf(generic, 1) ==
        "(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)");
  CHECK(ir.count("tensor.pad") == 1);
  CHECK(ir.generics().size() == 2);
}

TEST_CASE("a 1x1 convolution is a plain contraction") {
  Imported ir(ModelMaker()
                  .input("x", {1, 3, 8, 8})
                  .output("z")
                  .floats("w", {8, 3, 1, 1}, std::vector<float>(24, 1))
                  .node("Conv", {"x", "w"}, {"z"}));
  CHECK(contraction(ir).getNumLoops() == 5);
}

TEST_CASE("a depthwise convolution loops over channels once") {
  Imported ir(ModelMaker()
                  .input("x", {1, 4, 8, 8})
                  .output("z")
                  .floats("w", {4, 1, 3, 3}, std::vector<float>(36, 1))
                  .node("Conv", {"x", "w"}, {"z"})
                  .set("group", int64_t(4)));
  CHECK(contraction(ir).getNumLoops() == 6);
  CHECK(ir.count("tensor.reshape") == 0);
}

TEST_CASE("a grouped convolution has a loop for the group") {
  Imported ir(ModelMaker()
                  .input("x", {1, 4, 8, 8})
                  .output("z")
                  .floats("w", {6, 2, 3, 3}, std::vector<float>(108, 1))
                  .node("Conv", {"x", "w"}, {"z"})
                  .set("group", int64_t(2)));
  CHECK(contraction(ir).getNumLoops() == 8);
  CHECK(ir.count("tensor.reshape") == 2);
}

TEST_CASE("a transposed convolution whose windows tile is a contraction") {
  Imported ir(ModelMaker()
                  .input("x", {1, 4, 8, 8})
                  .output("z")
                  .floats("w", {4, 6, 2, 2}, std::vector<float>(96, 1))
                  .node("ConvTranspose", {"x", "w"}, {"z"})
                  .set("strides", std::vector<int64_t>{2, 2}));
  CHECK(ir.generics().size() == 1);
  CHECK(contraction(ir).getNumReductionLoops() == 1);
  auto type = cast<RankedTensorType>(ir.result().getType());
  CHECK(type.getShape() == llvm::ArrayRef<int64_t>{1, 6, 16, 16});
}

TEST_CASE("float16 products are summed in f32") {
  auto f16 = ::onnx::TensorProto::FLOAT16;
  Imported ir(ModelMaker()
                  .input("x", {4, 6}, f16)
                  .input("y", {6, 4}, f16)
                  .output("z", f16)
                  .node("MatMul", {"x", "y"}, {"z"}));
  auto type = cast<RankedTensorType>(contraction(ir).getResult(0).getType());
  CHECK(type.getElementType().isF32());
}
