#include "Models.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace tilewright::onnx::test;
using namespace mlir;

TEST_CASE("a reshape is tensor.reshape, one of unit dimensions is nothing") {
  Imported ir(ModelMaker()
                  .input("x", {2, 6})
                  .output("z")
                  .integers("shape", {3, 4})
                  .integers("unit", {0})
                  .node("Reshape", {"x", "shape"}, {"a"})
                  .node("Unsqueeze", {"a", "unit"}, {"b"})
                  .node("Relu", {"b"}, {"z"}));
  CHECK(ir.count("tensor.reshape") == 2);
  Imported unsqueezed(ModelMaker()
                          .input("x", {2, 6})
                          .input("y", {5, 2, 6})
                          .output("z")
                          .integers("unit", {0})
                          .node("Unsqueeze", {"x", "unit"}, {"a"})
                          .node("Add", {"a", "y"}, {"z"}));
  CHECK(unsqueezed.count("tensor.reshape") == 0);
}

TEST_CASE("slices, pads and joins are tensor operations") {
  Imported ir(ModelMaker()
                  .input("x", {4, -1})
                  .output("z")
                  .integers("starts", {1})
                  .integers("ends", {3})
                  .integers("axes", {0})
                  .integers("pads", {0, 1, 0, 2})
                  .node("Slice", {"x", "starts", "ends", "axes"}, {"a"})
                  .node("Pad", {"a", "pads"}, {"b"})
                  .node("Concat", {"b", "b"}, {"z"})
                  .set("axis", int64_t(0)));
  CHECK(ir.count("tensor.extract_slice") == 1);
  CHECK(ir.count("tensor.pad") == 1);
  CHECK(ir.count("tensor.concat") == 1);
  CHECK(cast<RankedTensorType>(ir.result().getType()).getDimSize(0) == 4);
}

TEST_CASE("a reversed slice gathers") {
  Imported ir(
      ModelMaker()
          .input("x", {4})
          .output("z")
          .integers("starts", {-1})
          .integers("ends", {INT64_MIN})
          .integers("axes", {0})
          .integers("steps", {-1})
          .node("Slice", {"x", "starts", "ends", "axes", "steps"}, {"z"}));
  CHECK(ir.count("tensor.extract") == 1);
  CHECK(ir.count("tensor.extract_slice") == 0);
}

TEST_CASE("a gather wraps negative indices and stays in bounds") {
  Imported ir(ModelMaker()
                  .input("x", {10, 4})
                  .input("i", {-1}, ::onnx::TensorProto::INT64)
                  .output("z")
                  .node("Gather", {"x", "i"}, {"z"}));
  CHECK(ir.count("tensor.extract") == 1);
  CHECK(ir.count("arith.select") == 1);
  CHECK(ir.count("arith.minsi") == 1);
}

TEST_CASE("a gather at one constant index is a slice") {
  Imported ir(ModelMaker()
                  .input("x", {1, 10, 4})
                  .output("z")
                  .integers("i", {0})
                  .node("Gather", {"x", "i"}, {"z"})
                  .set("axis", int64_t(1)));
  CHECK(ir.count("tensor.extract_slice") == 1);
}

TEST_CASE("an upscale by a whole number reads at quotients") {
  Imported ir(ModelMaker(13)
                  .input("x", {1, 2, -1, 8})
                  .output("z")
                  .floats("scales", {4}, {1, 1, 2, 2})
                  .node("Resize", {"x", "", "scales"}, {"z"})
                  .set("coordinate_transformation_mode", "asymmetric")
                  .set("nearest_mode", "floor"));
  CHECK(ir.count("arith.divui") == 2);
  CHECK(ir.count("arith.divf") == 0);
}

TEST_CASE("an unused node leaves nothing") {
  Imported ir(ModelMaker()
                  .input("x", {4})
                  .output("z")
                  .node("Exp", {"x"}, {"unused"})
                  .node("Relu", {"x"}, {"z"}));
  ir.fold();
  CHECK(ir.count("math.exp") == 0);
}
