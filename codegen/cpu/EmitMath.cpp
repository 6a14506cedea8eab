//===- EmitMath.cpp - Math ops that have no lowering upstream -------------===//
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

/// By squaring, modulo 2^width. A negative power is that of 1 / base: 0 unless
/// the base is 1 or -1.
static Value createIntegerPower(OpBuilder &b, Location loc, Value base,
                                Value exponent) {
  auto type = cast<IntegerType>(getElementTypeOrSelf(base.getType()));
  auto number = [&](int64_t value) {
    return constantLike(b, loc, base, b.getIntegerAttr(type, value));
  };
  auto compare = [&](arith::CmpIPredicate how, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, how, x, y).getResult();
  };
  Value zero = number(0), one = number(1);
  auto count = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value).getResult();
  };
  Value isNegative = compare(arith::CmpIPredicate::slt, exponent, zero);
  // 1 and -1 are their own inverses.
  Value size = arith::SelectOp::create(
      b, loc, isNegative, arith::SubIOp::create(b, loc, zero, exponent),
      exponent);
  auto loop = scf::ForOp::create(b, loc, count(0), count(type.getWidth()),
                                 count(1), ValueRange{one, base, size});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value power = loop.getRegionIterArg(0), square = loop.getRegionIterArg(1);
    Value rest = loop.getRegionIterArg(2);
    Value isOdd = compare(arith::CmpIPredicate::ne,
                          arith::AndIOp::create(b, loc, rest, one), zero);
    Value product = arith::MulIOp::create(b, loc, power, square);
    Value next = arith::SelectOp::create(b, loc, isOdd, product, power);
    Value again = arith::MulIOp::create(b, loc, square, square);
    Value shifted = arith::ShRUIOp::create(b, loc, rest, one);
    scf::YieldOp::create(b, loc, ValueRange{next, again, shifted});
  }
  Value isOne = compare(arith::CmpIPredicate::eq, base, one);
  Value isMinusOne = compare(arith::CmpIPredicate::eq, base, number(-1));
  Value isUnit = arith::OrIOp::create(b, loc, isOne, isMinusOne);
  Value vanishes = arith::AndIOp::create(
      b, loc, isNegative,
      arith::XOrIOp::create(b, loc, isUnit,
                            constantLike(b, loc, isUnit, b.getBoolAttr(true))));
  return arith::SelectOp::create(b, loc, vanishes, zero, loop.getResult(0));
}

/// The op on operands of 32 or 64 bits; null if it is lowered upstream.
Value TileEmitter::createMath(Operation *op, ValueRange operands) {
  if (isa<math::IsInfOp, math::IsFiniteOp, math::IsNaNOp, math::IsNormalOp>(op))
    return createKindTest(b, loc, op, operands[0]);
  if (isa<math::IPowIOp>(op))
    return createIntegerPower(b, loc, operands[0], operands[1]);
  if (isa<math::ClampFOp>(op))
    return arith::MinimumFOp::create(
        b, loc,
        arith::MaximumFOp::create(b, loc, operands[0], operands[1]).getResult(),
        operands[2]);
  return {};
}

} // namespace tilewright::cpu
