#include "graph/build/Scalar.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <cmath>

using namespace mlir;

namespace tilewright::build {

Value Scalar::constant(Type type, double value) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat number(value);
    bool losesInfo;
    number.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return arith::ConstantOp::create(builder, loc,
                                     FloatAttr::get(type, number));
  }
  if (std::isinf(value)) {
    unsigned bits = type.getIntOrFloatBitWidth();
    APInt extreme = value > 0 ? (isUnsigned ? APInt::getMaxValue(bits)
                                            : APInt::getSignedMaxValue(bits))
                              : (isUnsigned ? APInt::getMinValue(bits)
                                            : APInt::getSignedMinValue(bits));
    return arith::ConstantOp::create(builder, loc,
                                     IntegerAttr::get(type, extreme));
  }
  // Out of range it wraps, beyond 64 bits it is bounded, as in `convert`.
  double bounded = std::isnan(value) ? 0 : value;
  bounded = std::min(std::max(bounded, -0x1p63), 0x1.fffffffffffffp62);
  return integer(type, int64_t(bounded));
}

Value Scalar::integer(Type type, int64_t value) {
  if (isa<FloatType>(type))
    return constant(type, double(value));
  if (type.isIndex())
    return arith::ConstantOp::create(builder, loc, builder.getIndexAttr(value));
  APInt bits(64, value, /*isSigned=*/true);
  return arith::ConstantOp::create(
      builder, loc,
      IntegerAttr::get(type, bits.trunc(type.getIntOrFloatBitWidth())));
}

Value Scalar::loop(int64_t dim) {
  if (auto fixed = dyn_cast<AffineConstantExpr>(loops[dim]))
    return index(fixed.getValue());
  unsigned position = cast<AffineDimExpr>(loops[dim]).getPosition();
  return linalg::IndexOp::create(builder, loc, position);
}

Value Scalar::add(Value a, Value b) {
  return isFloat(a) ? make<arith::AddFOp>(a, b) : make<arith::AddIOp>(a, b);
}

Value Scalar::sub(Value a, Value b) {
  return isFloat(a) ? make<arith::SubFOp>(a, b) : make<arith::SubIOp>(a, b);
}

Value Scalar::mul(Value a, Value b) {
  return isFloat(a) ? make<arith::MulFOp>(a, b) : make<arith::MulIOp>(a, b);
}

Value Scalar::div(Value a, Value b) {
  if (isFloat(a))
    return make<arith::DivFOp>(a, b);
  // Dividing by 0, or the least integer by -1, traps on some machines.
  APInt divisor;
  bool safe = matchPattern(b, m_ConstantInt(&divisor)) && !divisor.isZero() &&
              (isUnsigned || !divisor.isAllOnes());
  Value zero = integer(b.getType(), 0), one = integer(b.getType(), 1);
  Value usable = safe ? b : select(eq(b, zero), one, b);
  if (isUnsigned)
    return make<arith::DivUIOp>(a, usable);
  if (safe)
    return make<arith::DivSIOp>(a, b);
  Value isMinusOne = eq(b, integer(b.getType(), -1));
  usable = select(isMinusOne, one, usable);
  return select(isMinusOne, sub(zero, a), make<arith::DivSIOp>(a, usable));
}

Value Scalar::rem(Value a, Value b) {
  if (isFloat(a))
    return make<arith::RemFOp>(a, b);
  return sub(a, mul(div(a, b), b));
}

Value Scalar::floorDiv(Value a, Value b) {
  if (isFloat(a))
    return floor(div(a, b));
  if (isUnsigned)
    return div(a, b);
  return make<arith::FloorDivSIOp>(a, b);
}

Value Scalar::neg(Value a) {
  return isFloat(a) ? make<arith::NegFOp>(a) : sub(integer(a.getType(), 0), a);
}

Value Scalar::abs(Value a) {
  if (isFloat(a))
    return make<math::AbsFOp>(a);
  return isUnsigned ? a : make<math::AbsIOp>(a);
}

Value Scalar::min(Value a, Value b) {
  if (isFloat(a))
    return make<arith::MinimumFOp>(a, b);
  return isUnsigned ? make<arith::MinUIOp>(a, b) : make<arith::MinSIOp>(a, b);
}

Value Scalar::max(Value a, Value b) {
  if (isFloat(a))
    return make<arith::MaximumFOp>(a, b);
  return isUnsigned ? make<arith::MaxUIOp>(a, b) : make<arith::MaxSIOp>(a, b);
}

Value Scalar::eq(Value a, Value b) {
  if (isFloat(a))
    return make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, a, b);
  return make<arith::CmpIOp>(arith::CmpIPredicate::eq, a, b);
}

Value Scalar::ne(Value a, Value b) {
  if (isFloat(a))
    return make<arith::CmpFOp>(arith::CmpFPredicate::UNE, a, b);
  return make<arith::CmpIOp>(arith::CmpIPredicate::ne, a, b);
}

Value Scalar::lt(Value a, Value b) {
  if (isFloat(a))
    return make<arith::CmpFOp>(arith::CmpFPredicate::OLT, a, b);
  return make<arith::CmpIOp>(
      isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, a, b);
}

Value Scalar::le(Value a, Value b) {
  if (isFloat(a))
    return make<arith::CmpFOp>(arith::CmpFPredicate::OLE, a, b);
  return make<arith::CmpIOp>(
      isUnsigned ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle, a, b);
}

Value Scalar::logicalAnd(Value a, Value b) { return make<arith::AndIOp>(a, b); }

Value Scalar::logicalOr(Value a, Value b) { return make<arith::OrIOp>(a, b); }

Value Scalar::logicalNot(Value a) {
  return make<arith::XOrIOp>(a, integer(a.getType(), -1));
}

Value Scalar::select(Value condition, Value a, Value b) {
  return make<arith::SelectOp>(condition, a, b);
}

Value Scalar::sigmoid(Value a) {
  Value one = like(a, 1);
  return div(one, add(one, exp(neg(a))));
}

Value Scalar::softplus(Value a) {
  Value tail = make<math::Log1pOp>(exp(neg(abs(a))));
  return add(max(a, like(a, 0)), tail);
}

/// The exponent byte of a float32, rounded up; zero becomes the least power,
/// infinity the greatest, and NaN stays NaN.
Value Scalar::toPowerOfTwo(Value a, Type to) {
  Type word = builder.getI32Type();
  Scalar t(builder, loc, /*isUnsigned=*/true);
  Value bits = make<arith::BitcastOp>(word, a);
  Value magnitude = make<arith::AndIOp>(bits, integer(word, 0x7fffffff));
  Value rounded = add(magnitude, integer(word, 0x7fffff));
  Value exponent = make<arith::ShRUIOp>(rounded, integer(word, 23));
  Value bounded = t.min(exponent, t.integer(word, 254));
  Value byte = select(ne(a, a), integer(word, 255), bounded);
  return make<arith::BitcastOp>(
      to, make<arith::TruncIOp>(builder.getI8Type(), byte));
}

Value Scalar::convert(Value a, Type to, bool toUnsigned) {
  Type from = a.getType();
  if (from == to)
    return a;
  auto bits = [](Type t) { return t.getIntOrFloatBitWidth(); };
  if (to.isInteger(1))
    return ne(a, like(a, 0));
  if (isFloat(a) && isa<FloatType>(to)) {
    if (bits(from) < bits(to))
      return make<arith::ExtFOp>(to, a);
    if (isa<Float8E8M0FNUType>(to))
      return toPowerOfTwo(convert(a, builder.getF32Type()), to);
    if (isa<Float4E2M1FNType>(to)) // has no NaN
      a = select(ne(a, a), like(a, -0.0), a);
    if (bits(to) <= 8 && bits(from) > 8 && saturate) {
      const auto &semantics = cast<FloatType>(to).getFloatSemantics();
      APFloat largest = APFloat::getLargest(semantics);
      bool losesInfo;
      largest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                      &losesInfo);
      double bound = largest.convertToDouble();
      a = clamp(a, like(a, -bound), like(a, bound));
    }
    if (bits(from) > bits(to))
      return make<arith::TruncFOp>(to, a);
    return convert(convert(a, builder.getF32Type()), to);
  }
  if (isFloat(a)) {
    // Through a wider signed integer, so that values out of range wrap.
    if (toUnsigned && bits(to) == 64)
      return select(lt(a, like(a, 0)), saturated(a, to),
                    saturated(a, to, /*toUnsigned=*/true));
    Type wide = toUnsigned ? builder.getI64Type() : builder.getI32Type();
    if (bits(to) >= bits(wide))
      return saturated(a, to);
    return make<arith::TruncIOp>(to, saturated(a, wide));
  }
  bool zeroExtend = isUnsigned || from.isInteger(1);
  if (isa<FloatType>(to)) {
    if (bits(to) < 16)
      return convert(convert(a, builder.getF32Type()), to);
    return zeroExtend ? make<arith::UIToFPOp>(to, a)
                      : make<arith::SIToFPOp>(to, a);
  }
  if (bits(from) < bits(to))
    return zeroExtend ? make<arith::ExtUIOp>(to, a)
                      : make<arith::ExtSIOp>(to, a);
  return bits(from) > bits(to) ? make<arith::TruncIOp>(to, a) : a;
}

Value Scalar::saturated(Value a, Type to, bool toUnsigned) {
  if (a.getType().getIntOrFloatBitWidth() < 32)
    a = convert(a, builder.getF32Type());
  unsigned width = to.getIntOrFloatBitWidth();
  double limit = std::ldexp(1.0, int(toUnsigned ? width : width - 1));
  Value isHigh = ge(a, like(a, limit));
  Value isLow = lt(a, like(a, toUnsigned ? 0 : -limit));
  Value isOut = logicalOr(logicalOr(isHigh, isLow), ne(a, a));
  // The conversion of a number that does not fit is poison.
  Value inside = select(isOut, like(a, 0), a);
  Type wide = width < 32 ? builder.getI32Type() : to;
  Value result = toUnsigned && width >= 32
                     ? make<arith::FPToUIOp>(wide, inside)
                     : make<arith::FPToSIOp>(wide, inside);
  if (width < 32)
    result = make<arith::TruncIOp>(to, result);
  auto extreme = [&](const APInt &value) {
    return arith::ConstantOp::create(builder, loc, IntegerAttr::get(to, value));
  };
  result = select(isHigh,
                  extreme(toUnsigned ? APInt::getMaxValue(width)
                                     : APInt::getSignedMaxValue(width)),
                  result);
  if (toUnsigned)
    return result;
  return select(isLow, extreme(APInt::getSignedMinValue(width)), result);
}

Value Scalar::fromIndex(Value a, Type to) {
  if (isa<IntegerType>(to) && !to.isInteger(1))
    return make<arith::IndexCastOp>(to, a);
  Value integer = make<arith::IndexCastOp>(builder.getI64Type(), a);
  return to.isInteger(1) ? make<arith::TruncIOp>(to, integer)
                         : make<arith::SIToFPOp>(to, integer);
}

Value Scalar::toIndex(Value a) {
  if (a.getType().isIndex())
    return a;
  Type index = builder.getIndexType();
  return isUnsigned ? make<arith::IndexCastUIOp>(index, a)
                    : make<arith::IndexCastOp>(index, a);
}

} // namespace tilewright::build
