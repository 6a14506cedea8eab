//===- Approximations.cpp - Functions by one instruction of a GPU ---------===//
#include "codegen/nvptx/Approximations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numbers>

using namespace mlir;

namespace tilewright::nvptx {

/// Each works on scalars of f32.
using Approximation = Value (*)(ImplicitLocOpBuilder &b, ValueRange x);

static Value call(ImplicitLocOpBuilder &b, StringRef intrinsic,
                  ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(
             b, b.getF32Type(), b.getStringAttr("llvm.nvvm." + intrinsic),
             operands)
      .getResults();
}

static Value scaled(ImplicitLocOpBuilder &b, Value x, double factor) {
  Value constant = arith::ConstantOp::create(b, b.getF32FloatAttr(factor));
  return arith::MulFOp::create(b, x, constant);
}

static Value exp2(ImplicitLocOpBuilder &b, ValueRange x) {
  return call(b, "ex2.approx.ftz.f", x);
}
static Value exp(ImplicitLocOpBuilder &b, ValueRange x) {
  return exp2(b, scaled(b, x[0], std::numbers::log2e));
}
static Value log2(ImplicitLocOpBuilder &b, ValueRange x) {
  return call(b, "lg2.approx.f", x);
}
static Value log(ImplicitLocOpBuilder &b, ValueRange x) {
  return scaled(b, log2(b, x), std::numbers::ln2);
}
static Value log10(ImplicitLocOpBuilder &b, ValueRange x) {
  return scaled(b, log2(b, x), std::numbers::ln2 / std::numbers::ln10);
}
static Value sqrt(ImplicitLocOpBuilder &b, ValueRange x) {
  return call(b, "sqrt.approx.f", x);
}
static Value rsqrt(ImplicitLocOpBuilder &b, ValueRange x) {
  return call(b, "rsqrt.approx.f", x);
}
static Value sin(ImplicitLocOpBuilder &b, ValueRange x) {
  return call(b, "sin.approx.f", x);
}
static Value cos(ImplicitLocOpBuilder &b, ValueRange x) {
  return call(b, "cos.approx.f", x);
}
/// LLVM has no intrinsic of PTX for it, and makes tanh.approx of this.
static Value tanh(ImplicitLocOpBuilder &b, ValueRange x) {
  return LLVM::TanhOp::create(b, x[0], LLVM::FastmathFlags::afn);
}
/// LLVM's own is div.approx, which is 0 for divisors above 2^126.
static Value divide(ImplicitLocOpBuilder &b, ValueRange x) {
  return call(b, "div.full", x);
}
static Value invert(ImplicitLocOpBuilder &b, ValueRange x) {
  return call(b, "rcp.approx.ftz.f", x[1]);
}

static Approximation approximationOf(Operation *op, ValueRange operands) {
  return TypeSwitch<Operation *, Approximation>(op)
      .Case([](math::ExpOp) { return exp; })
      .Case([](math::Exp2Op) { return exp2; })
      .Case([](math::LogOp) { return log; })
      .Case([](math::Log2Op) { return log2; })
      .Case([](math::Log10Op) { return log10; })
      .Case([](math::SqrtOp) { return sqrt; })
      .Case([](math::RsqrtOp) { return rsqrt; })
      .Case([](math::SinOp) { return sin; })
      .Case([](math::CosOp) { return cos; })
      .Case([](math::TanhOp) { return tanh; })
      .Case([&](arith::DivFOp) {
        return matchPattern(operands[0], m_OneFloat()) ? invert : divide;
      })
      .Default([](Operation *) { return nullptr; });
}

namespace {
class PtxApproximations : public numeric::Approximations {
public:
  Value emit(OpBuilder &builder, Location loc, Operation *op,
             ValueRange operands) const override;
};
} // namespace

Value PtxApproximations::emit(OpBuilder &builder, Location loc, Operation *op,
                              ValueRange operands) const {
  Approximation approximation = approximationOf(op, operands);
  if (!approximation || !getElementTypeOrSelf(operands[0].getType()).isF32())
    return {};
  ImplicitLocOpBuilder b(loc, builder);
  auto type = dyn_cast<VectorType>(operands[0].getType());
  if (!type)
    return approximation(b, operands);
  SmallVector<Value> results;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    SmallVector<Value> scalars;
    for (Value operand : operands)
      scalars.push_back(vector::ExtractOp::create(b, operand, i));
    results.push_back(approximation(b, scalars));
  }
  return vector::FromElementsOp::create(b, type, results);
}

const numeric::Approximations &approximations() {
  static const PtxApproximations table;
  return table;
}

} // namespace tilewright::nvptx
