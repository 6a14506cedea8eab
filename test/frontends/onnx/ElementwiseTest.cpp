#include "Models.h"

using namespace tilewright::onnx::test;
using namespace mlir;

TEST_CASE("a binary operator broadcasts through its maps") {
  Imported ir(ModelMaker()
                  .input("x", {2, 3, 4})
                  .input("y", {3, 1})
                  .output("z")
                  .node("Add", {"x", "y"}, {"z"}));
  auto generics = ir.generics();
  REQUIRE(generics.size() == 1);
  CHECK(generics[0].getNumLoops() == 3);
  CHECK(generics[0].getNumReductionLoops() == 0);
  auto map = generics[0].getIndexingMapsArray()[1];
  CHECK(map.getResult(0) == getAffineDimExpr(1, &ir.context));
  CHECK(map.getResult(1) == getAffineConstantExpr(0, &ir.context));
  CHECK(ir.count("arith.addf") == 1);
}

TEST_CASE("a scalar constant is in the body") {
  Imported ir(ModelMaker()
                  .input("x", {-1, 8})
                  .output("z")
                  .floats("two", {1}, {2})
                  .node("Mul", {"x", "two"}, {"z"}));
  auto generics = ir.generics();
  REQUIRE(generics.size() == 1);
  CHECK(generics[0].getNumDpsInputs() == 1);
  CHECK(ir.text().find("2.000000e+00 : f32") != std::string::npos);
}

TEST_CASE("a channel's constant is read without its unit dimensions") {
  Imported ir(ModelMaker()
                  .input("x", {1, 3, 8, 8})
                  .output("z")
                  .floats("bias", {1, 3, 1, 1}, {1, 2, 3})
                  .node("Add", {"x", "bias"}, {"z"}));
  auto generic = ir.generics().at(0);
  CHECK(cast<RankedTensorType>(generic.getInputs()[1].getType()).getRank() ==
        1);
}

TEST_CASE("identities leave no operation") {
  Imported ir(ModelMaker()
                  .input("x", {4})
                  .output("z")
                  .node("Identity", {"x"}, {"a"})
                  .node("Dropout", {"a"}, {"b"})
                  .node("Relu", {"b"}, {"z"}));
  CHECK(ir.generics().size() == 1);
  CHECK(ir.count("arith.maximumf") == 1);
}

TEST_CASE("each activation is one generic") {
  auto type = GENERATE("Relu", "Sigmoid", "HardSigmoid", "HardSwish", "Erf",
                       "Tanh", "Gelu", "Elu", "Selu", "Softplus", "Softsign",
                       "Mish", "LeakyRelu", "Exp", "Sqrt");
  Imported ir(
      ModelMaker().input("x", {-1, 4}).output("z").node(type, {"x"}, {"z"}));
  CHECK(ir.generics().size() == 1);
}

TEST_CASE("constants are computed before the model runs") {
  Imported ir(ModelMaker()
                  .input("x", {3})
                  .output("z")
                  .floats("a", {3}, {1, 2, 3})
                  .floats("b", {3}, {10, 20, 30})
                  .node("Add", {"a", "b"}, {"c"})
                  .node("Sqrt", {"c"}, {"d"})
                  .node("Mul", {"x", "d"}, {"z"}));
  ir.fold();
  CHECK(ir.generics().size() == 1);
  CHECK(ir.count("math.sqrt") == 0);
  CHECK(ir.text().find("3.31662") != std::string::npos);
}

TEST_CASE("unsigned operands choose unsigned operations") {
  auto u8 = ::onnx::TensorProto::UINT8;
  Imported ir(ModelMaker()
                  .input("x", {3}, u8)
                  .input("y", {3}, u8)
                  .output("z", u8)
                  .node("Max", {"x", "y"}, {"z"}));
  CHECK(ir.count("arith.maxui") == 1);
  CHECK(ir.main().getArgAttrOfType<StringAttr>(0, "graph.dtype") == "u8");
  CHECK(ir.main().getResultAttrOfType<StringAttr>(0, "graph.dtype") == "u8");
}

TEST_CASE("float16 is computed in f32") {
  auto f16 = ::onnx::TensorProto::FLOAT16;
  Imported ir(ModelMaker()
                  .input("x", {3}, f16)
                  .output("z", f16)
                  .node("Exp", {"x"}, {"z"}));
  CHECK(ir.count("arith.extf") == 1);
  CHECK(ir.count("arith.truncf") == 1);
}

TEST_CASE("an integer division cannot trap") {
  auto i64 = ::onnx::TensorProto::INT64;
  Imported ir(ModelMaker()
                  .input("x", {3}, i64)
                  .input("y", {3}, i64)
                  .output("z", i64)
                  .node("Div", {"x", "y"}, {"z"}));
  CHECK(ir.count("arith.select") >= 2);
}

TEST_CASE("results are buffers of their own") {
  Imported ir(ModelMaker()
                  .input("x", {2, 3})
                  .output("a")
                  .output("b")
                  .node("Identity", {"x"}, {"a"})
                  .node("Flatten", {"x"}, {"b"}));
  CHECK(ir.result(0) != ir.result(1));
  CHECK(ir.result(0).getDefiningOp<linalg::GenericOp>());
  CHECK(ir.result(1).getDefiningOp<linalg::GenericOp>());
}
