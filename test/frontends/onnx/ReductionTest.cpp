#include "Models.h"

using namespace tilewright::onnx::test;
using namespace mlir;

TEST_CASE("softmax is two reductions and two elementwise generics") {
  Imported ir(ModelMaker()
                  .input("x", {-1, 16})
                  .output("z")
                  .node("Softmax", {"x"}, {"z"}));
  auto generics = ir.generics();
  REQUIRE(generics.size() == 4);
  std::vector<unsigned> reductions;
  for (auto generic : generics)
    reductions.push_back(generic.getNumReductionLoops());
  CHECK(reductions == std::vector<unsigned>{1, 0, 1, 0});
  CHECK(ir.count("tensor.reshape") == 0);
  CHECK(ir.text().find("0xFF800000") != std::string::npos);
}

TEST_CASE("a reduction that keeps dimensions is read by projected maps") {
  Imported ir(ModelMaker()
                  .input("x", {4, 8})
                  .output("z")
                  .integers("axes", {1})
                  .node("ReduceMean", {"x", "axes"}, {"m"})
                  .node("Sub", {"x", "m"}, {"z"}));
  auto last = ir.generics().back();
  CHECK(last.getIndexingMapsArray()[1].getNumResults() == 1);
  CHECK(ir.count("tensor.reshape") == 0);
}

TEST_CASE("layer normalization centers before it squares") {
  Imported ir(ModelMaker()
                  .input("x", {2, 8})
                  .output("z")
                  .floats("scale", {8}, std::vector<float>(8, 2))
                  .node("LayerNormalization", {"x", "scale"}, {"z"}));
  CHECK(ir.count("math.sqrt") == 1);
  // The mean, what its rounding leaves of it, and the squares.
  CHECK(ir.count("linalg.fill") == 3);
}

TEST_CASE("batch normalization after a convolution is in the weights") {
  Imported ir(ModelMaker()
                  .input("x", {1, 1, 4, 4})
                  .output("z")
                  .floats("w", {2, 1, 1, 1}, {3, 5})
                  .floats("scale", {2}, {1, 2})
                  .floats("shift", {2}, {0, 7})
                  .floats("mean", {2}, {0, 0})
                  .floats("var", {2}, {1, 1})
                  .node("Conv", {"x", "w"}, {"c"})
                  .node("BatchNormalization",
                        {"c", "scale", "shift", "mean", "var"}, {"z"})
                  .set("epsilon", 0.0f));
  ir.fold();
  // The contraction and the addition of the shift.
  CHECK(ir.generics().size() == 2);
  std::string text = ir.text();
  CHECK(text.find("dense<[3.000000e+00, 1.000000e+01]>") != std::string::npos);
  CHECK(text.find("dense<[0.000000e+00, 7.000000e+00]>") != std::string::npos);
}

TEST_CASE("batch normalization is not folded where the sum is read twice") {
  ModelMaker maker;
  maker.input("x", {1, 1, 4, 4})
      .output("z")
      .output("c")
      .floats("w", {2, 1, 1, 1}, {3, 5})
      .floats("one", {2}, {1, 2})
      .node("Conv", {"x", "w"}, {"c"})
      .node("BatchNormalization", {"c", "one", "one", "one", "one"}, {"z"});
  Imported ir(maker);
  ir.fold();
  CHECK(ir.text().find("dense<[3.000000e+00, 5.000000e+00]>") !=
        std::string::npos);
}

TEST_CASE("pooling pads with the neutral element") {
  Imported ir(ModelMaker()
                  .input("x", {1, 2, 8, 8})
                  .output("z")
                  .node("MaxPool", {"x"}, {"z"})
                  .set("kernel_shape", std::vector<int64_t>{3, 3})
                  .set("strides", std::vector<int64_t>{2, 2})
                  .set("pads", std::vector<int64_t>{1, 1, 1, 1}));
  CHECK(ir.count("tensor.pad") == 1);
  auto generic = ir.generics().at(0);
  CHECK(generic.getNumLoops() == 6);
  CHECK(generic.getNumReductionLoops() == 2);
  auto type = cast<RankedTensorType>(ir.result().getType());
  CHECK(type.getShape() == llvm::ArrayRef<int64_t>{1, 2, 4, 4});
}

TEST_CASE("average pooling counts what it read") {
  auto model = [](int64_t countPads) {
    ModelMaker maker;
    maker.input("x", {1, 1, 4})
        .output("z")
        .node("AveragePool", {"x"}, {"z"})
        .set("kernel_shape", std::vector<int64_t>{3})
        .set("pads", std::vector<int64_t>{1, 1})
        .set("count_include_pad", countPads);
    return maker;
  };
  Imported excluded(model(0)), included(model(1));
  CHECK(excluded.count("linalg.index") == 1);
  CHECK(included.count("linalg.index") == 0);
}
