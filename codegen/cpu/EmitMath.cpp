//===- EmitMath.cpp - Classes of floats, and clamping ---------------------===//
#include "codegen/cpu/TileEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using llvm::APFloat;

namespace tilewright::cpu {

static Value constantLike(OpBuilder &b, Location loc, Value value,
                          TypedAttr scalar) {
  Attribute attr = scalar;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    attr = DenseElementsAttr::get(vector.clone(scalar.getType()), attr);
  return arith::ConstantOp::create(b, loc, cast<TypedAttr>(attr));
}

/// Of what kind a float is, by its magnitude, which `x` has in 32 or 64 bits.
static Value createKindTest(OpBuilder &b, Location loc, Operation *op,
                            Value x) {
  auto type = cast<FloatType>(getElementTypeOrSelf(x.getType()));
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  APFloat leastNormal = APFloat::getSmallestNormalized(
      cast<FloatType>(getElementTypeOrSelf(op->getOperand(0).getType()))
          .getFloatSemantics());
  bool isLossy = false;
  leastNormal.convert(semantics, APFloat::rmNearestTiesToEven, &isLossy);
  Value magnitude = math::AbsFOp::create(b, loc, x);
  auto compare = [&](arith::CmpFPredicate how, const APFloat &with) -> Value {
    return arith::CmpFOp::create(
        b, loc, how, magnitude,
        constantLike(b, loc, x, b.getFloatAttr(type, with)));
  };
  APFloat infinity = APFloat::getInf(semantics);
  if (isa<math::IsInfOp>(op))
    return compare(arith::CmpFPredicate::OEQ, infinity);
  if (isa<math::IsFiniteOp>(op))
    return compare(arith::CmpFPredicate::OLT, infinity);
  if (isa<math::IsNaNOp>(op))
    return compare(arith::CmpFPredicate::UNO, infinity);
  return arith::AndIOp::create(b, loc,
                               compare(arith::CmpFPredicate::OLT, infinity),
                               compare(arith::CmpFPredicate::OGE, leastNormal));
}

/// The op on operands of 32 or 64 bits; null if it is lowered later.
Value TileEmitter::createMath(Operation *op, ValueRange operands) {
  if (isa<math::IsInfOp, math::IsFiniteOp, math::IsNaNOp, math::IsNormalOp>(op))
    return createKindTest(b, loc, op, operands[0]);
  if (isa<math::ClampFOp>(op))
    return arith::MinimumFOp::create(
        b, loc,
        arith::MaximumFOp::create(b, loc, operands[0], operands[1]).getResult(),
        operands[2]);
  return {};
}

} // namespace tilewright::cpu
