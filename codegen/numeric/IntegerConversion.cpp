//===- IntegerConversion.cpp - Integers to floats and back ----------------===//
#include "codegen/numeric/FloatBits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using llvm::APInt;

namespace tilewright::numeric {

Value FloatBits::fromInteger(Value x, bool isUnsigned, FloatType to,
                             const Rounding &rounding) {
  unsigned width = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  auto convert = [&](FloatType type) {
    return isUnsigned ? arith::UIToFPOp::create(b, loc, typeLike(x, type), x)
                            .getResult()
                      : arith::SIToFPOp::create(b, loc, typeLike(x, type), x)
                            .getResult();
  };
  // A select, not a conversion: LLVM's conversion of a signed i1 to bf16 yields
  // 1 on sm_90.
  if (width == 1 && !isUnsigned) {
    Type type = typeLike(x, b.getF32Type());
    Value yes = real(type, -1), no = real(type, 0);
    return round(arith::SelectOp::create(b, loc, x, yes, no), to, rounding);
  }
  if (width <= 16) // exact in f32
    return round(convert(Float32Type::get(b.getContext())), to, rounding);
  if (width <= 32 && hardware.halves && to.isF16()) // exact in f64
    return round(convert(Float64Type::get(b.getContext())), to, rounding);
  bool isNearest = rounding.mode == tile::Rounding::nearest_even;
  if (isNearest && !isNarrowFloat(to) && !rounding.saturate)
    return convert(to);
  Type wide = typeLike(x, b.getI64Type());
  if (x.getType() != wide)
    x = isUnsigned ? arith::ExtUIOp::create(b, loc, wide, x).getResult()
                   : arith::ExtSIOp::create(b, loc, wide, x).getResult();
  Parts parts;
  Value zero = number(x, 0);
  parts.isNegative = arith::CmpIOp::create(
      b, loc,
      isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, x,
      zero);
  Value size = arith::SelectOp::create(
      b, loc, parts.isNegative, arith::SubIOp::create(b, loc, zero, x), x);
  // The leading bit moves to bit 63.
  Value empty = math::CountLeadingZerosOp::create(b, loc, size);
  Value bounded = arith::MinUIOp::create(b, loc, empty, number(x, 63));
  parts.sig = arith::ShLIOp::create(b, loc, size, bounded);
  parts.exponent = arith::SubIOp::create(b, loc, number(x, 63), bounded);
  parts.fraction = 63;
  Value pattern = magnitude(parts, to, rounding);
  pattern = withOverflow(pattern, parts.isNegative, to, rounding);
  Value result = withSign(pattern, parts, to);
  if (isSmallFloat(to))
    return result;
  return arith::BitcastOp::create(b, loc, typeLike(result, to), result);
}

Value FloatBits::toInteger(Value x, IntegerType to, bool isUnsigned,
                           const Rounding &rounding) {
  if (getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth() < 32)
    x = extend(x, Float32Type::get(b.getContext()));
  switch (rounding.mode) {
  case tile::Rounding::nearest_even:
    x = math::RoundEvenOp::create(b, loc, x);
    break;
  case tile::Rounding::nearest_away:
    x = math::RoundOp::create(b, loc, x);
    break;
  case tile::Rounding::down:
    x = math::FloorOp::create(b, loc, x);
    break;
  case tile::Rounding::up:
    x = math::CeilOp::create(b, loc, x);
    break;
  case tile::Rounding::toward_zero:
  case tile::Rounding::stochastic:
    x = math::TruncOp::create(b, loc, x);
    break;
  }
  unsigned width = to.getWidth(), through = std::max(32u, width);
  Type integer = typeLike(x, b.getIntegerType(through));
  auto convert = [&](Value value) -> Value {
    return isUnsigned && width == through
               ? arith::FPToUIOp::create(b, loc, integer, value).getResult()
               : arith::FPToSIOp::create(b, loc, integer, value).getResult();
  };
  auto truncate = [&](Value value) -> Value {
    if (width == through)
      return value;
    return arith::TruncIOp::create(b, loc, typeLike(x, to), value);
  };
  if (!rounding.saturate)
    return truncate(convert(x));
  auto compare = [&](arith::CmpFPredicate how, double bound) {
    return arith::CmpFOp::create(b, loc, how, x, real(x, bound)).getResult();
  };
  auto select = [&](Value when, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, when, yes, no).getResult();
  };
  unsigned bits = isUnsigned ? width : width - 1;
  Value isHigh = compare(arith::CmpFPredicate::OGE, std::ldexp(1.0, bits));
  Value isLow = compare(arith::CmpFPredicate::OLT,
                        isUnsigned ? 0.0 : -std::ldexp(1.0, bits));
  Value isNan = compare(arith::CmpFPredicate::UNO, 0);
  Value isOut = arith::OrIOp::create(
      b, loc, arith::OrIOp::create(b, loc, isHigh, isLow), isNan);
  Value result = truncate(convert(select(isOut, real(x, 0), x)));
  APInt highest =
      isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  APInt lowest = isUnsigned ? APInt(width, 0) : APInt::getSignedMinValue(width);
  result = select(isHigh, number(result, highest.getZExtValue()), result);
  return select(isLow, number(result, lowest.getZExtValue()), result);
}

} // namespace tilewright::numeric
