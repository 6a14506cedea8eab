//===- Rounding.cpp - Floats rounded to other types -----------------------===//
#include "codegen/numeric/FloatBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using llvm::APFloat;

namespace tilewright::numeric {

//===--- In integers ------------------------------------------------------===//

/// Whether the discarded bits, `rest` of 2^shift, round the number up.
Value FloatBits::roundsUp(const Parts &parts, Value rest, Value shift,
                          Value isOdd, const Rounding &rounding) {
  auto compare = [&](arith::CmpIPredicate how, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, how, x, y).getResult();
  };
  auto both = [&](Value x, Value y) {
    return arith::AndIOp::create(b, loc, x, y).getResult();
  };
  Value one = number(rest, 1), zero = number(rest, 0);
  Value twice = arith::ShLIOp::create(b, loc, rest, one);
  Value unit = arith::ShLIOp::create(b, loc, one, shift);
  Value isInexact = compare(arith::CmpIPredicate::ne, rest, zero);
  switch (rounding.mode) {
  case tile::Rounding::nearest_even: {
    Value above = compare(arith::CmpIPredicate::ugt, twice, unit);
    Value tie = compare(arith::CmpIPredicate::eq, twice, unit);
    return arith::OrIOp::create(b, loc, above, both(tie, isOdd));
  }
  case tile::Rounding::nearest_away:
    return compare(arith::CmpIPredicate::uge, twice, unit);
  case tile::Rounding::toward_zero:
    return compare(arith::CmpIPredicate::ne, zero, zero);
  case tile::Rounding::down:
    return both(isInexact, parts.isNegative);
  case tile::Rounding::up:
    return both(isInexact, arith::XOrIOp::create(b, loc, parts.isNegative,
                                                 number(parts.isNegative, 1)));
  case tile::Rounding::stochastic:
    break;
  }
  // rest / 2^shift + random / 2^32 >= 1, in units of 2^-32 rounded down.
  Value limit = number(rest, 32);
  Value left = arith::ShLIOp::create(
      b, loc, rest,
      arith::SubIOp::create(b, loc, limit,
                            arith::MinUIOp::create(b, loc, shift, limit)));
  Value beyond = arith::SubIOp::create(
      b, loc, arith::MaxUIOp::create(b, loc, shift, limit), limit);
  Value right = arith::ShRUIOp::create(
      b, loc, rest, arith::MinUIOp::create(b, loc, beyond, number(rest, 63)));
  Value part = arith::SelectOp::create(
      b, loc, compare(arith::CmpIPredicate::ule, shift, limit), left, right);
  Value random =
      arith::ExtUIOp::create(b, loc, rest.getType(), rounding.random);
  return compare(arith::CmpIPredicate::uge,
                 arith::AddIOp::create(b, loc, part, random),
                 number(rest, uint64_t(1) << 32));
}

/// The bits of the rounded magnitude, larger than any number of `to` if it is
/// too large.
Value FloatBits::magnitude(const Parts &parts, FloatType to,
                           const Rounding &rounding) {
  const llvm::fltSemantics &semantics = to.getFloatSemantics();
  unsigned fraction = APFloat::semanticsPrecision(semantics) - 1;
  bool isPower = isa<Float8E8M0FNUType>(to);
  Value sig = parts.sig;
  unsigned width = getElementTypeOrSelf(sig.getType()).getIntOrFloatBitWidth();
  // Subnormals of the result have the quantum of its least exponent.
  Value least = number(
      sig, static_cast<int64_t>(APFloat::semanticsMinExponent(semantics)));
  Value exponent = arith::MaxSIOp::create(b, loc, parts.exponent, least);
  Value isZero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, sig,
                                       number(sig, 0));
  exponent = arith::SelectOp::create(b, loc, isZero, least, exponent);
  Value lost = arith::SubIOp::create(b, loc, exponent, parts.exponent);
  Value shift = arith::AddIOp::create(b, loc, lost,
                                      number(sig, parts.fraction - fraction));
  // For zero the difference means nothing, and any shift will do.
  Value bounded = arith::MinUIOp::create(b, loc, shift, number(sig, width - 1));
  Value kept = arith::ShRUIOp::create(b, loc, sig, bounded);
  Value rest = arith::SubIOp::create(
      b, loc, sig, arith::ShLIOp::create(b, loc, kept, bounded));
  Value above = arith::SubIOp::create(b, loc, exponent, least);
  // What the last bit of the result is: of powers, that of the exponent.
  Value isOdd = arith::TruncIOp::create(b, loc, typeLike(sig, b.getI1Type()),
                                        isPower ? above : kept);
  Value up =
      roundsUp(parts, rest,
               rounding.mode == tile::Rounding::stochastic ? shift : bounded,
               isOdd, rounding);
  Value rounded = arith::AddIOp::create(
      b, loc, kept, arith::ExtUIOp::create(b, loc, sig.getType(), up));
  // The implicit leading bit carries into the exponent.
  Value pattern = arith::AddIOp::create(
      b, loc, rounded,
      arith::ShLIOp::create(b, loc, above, number(sig, fraction)));
  if (!isPower)
    return pattern;
  Value isTiny = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, kept,
                                       number(sig, 0));
  return arith::SelectOp::create(
      b, loc, isTiny, number(sig, 0),
      arith::SubIOp::create(b, loc, pattern, number(sig, 1)));
}

/// Bits of an infinity, or of its substitute.
static uint64_t infinityBits(const llvm::fltSemantics &semantics) {
  APFloat value =
      APFloat::semanticsHasInf(semantics)   ? APFloat::getInf(semantics)
      : APFloat::semanticsHasNaN(semantics) ? APFloat::getNaN(semantics)
                                            : APFloat::getLargest(semantics);
  return value.bitcastToAPInt().getZExtValue();
}

static uint64_t largestBits(const llvm::fltSemantics &semantics) {
  return APFloat::getLargest(semantics).bitcastToAPInt().getZExtValue();
}

Value FloatBits::withOverflow(Value pattern, Value isNegative, FloatType to,
                              const Rounding &rounding) {
  const llvm::fltSemantics &semantics = to.getFloatSemantics();
  Value largest = number(pattern, largestBits(semantics));
  Value infinity = number(pattern, infinityBits(semantics));
  Value instead = infinity;
  if (rounding.saturate)
    instead = largest;
  else if (isa<Float8E8M0FNUType>(to))
    instead = infinity;
  else if (rounding.mode == tile::Rounding::toward_zero)
    instead = largest;
  else if (rounding.mode == tile::Rounding::down)
    instead = arith::SelectOp::create(b, loc, isNegative, infinity, largest);
  else if (rounding.mode == tile::Rounding::up)
    instead = arith::SelectOp::create(b, loc, isNegative, largest, infinity);
  Value over = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, pattern,
                                     largest);
  return arith::SelectOp::create(b, loc, over, instead, pattern);
}

/// The magnitude's bits truncated to the width of `to`, with the sign; negative
/// powers are NaN.
Value FloatBits::withSign(Value pattern, const Parts &parts, FloatType to) {
  unsigned width = std::max(8u, to.getWidth());
  auto select = [&](Value when, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, when, yes, no).getResult();
  };
  if (isa<Float8E8M0FNUType>(to)) {
    Value isZero = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                         parts.sig, number(parts.sig, 0));
    Value positive = select(isZero, number(pattern, 0), pattern);
    pattern = select(isZero, positive,
                     select(parts.isNegative, number(pattern, 255), pattern));
  } else {
    Value sign = select(parts.isNegative,
                        number(pattern, uint64_t(1) << (to.getWidth() - 1)),
                        number(pattern, 0));
    pattern = arith::OrIOp::create(b, loc, pattern, sign);
  }
  Type narrow = typeLike(pattern, b.getIntegerType(width));
  if (pattern.getType() != narrow)
    pattern = arith::TruncIOp::create(b, loc, narrow, pattern);
  return pattern;
}

//===--- By instruction ---------------------------------------------------===//

/// The upper half of an f32 and what the lower adds to it. Instructions for
/// this flush subnormals.
Value FloatBits::toBfloat(Value x) {
  Type i32 = typeLike(x, b.getI32Type());
  Value bits = arith::BitcastOp::create(b, loc, i32, x);
  Value odd = arith::AndIOp::create(
      b, loc, arith::ShRUIOp::create(b, loc, bits, number(bits, 16)),
      number(bits, 1));
  Value rounded = arith::AddIOp::create(
      b, loc, bits, arith::AddIOp::create(b, loc, odd, number(bits, 0x7FFF)));
  Value isNan = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
  rounded =
      arith::SelectOp::create(b, loc, isNan, number(bits, 0x7FC00000), rounded);
  Value upper = arith::TruncIOp::create(
      b, loc, typeLike(x, b.getI16Type()),
      arith::ShRUIOp::create(b, loc, rounded, number(bits, 16)));
  return arith::BitcastOp::create(b, loc, typeLike(x, b.getBF16Type()), upper);
}

/// By the instruction, which saturates; what should not is found by its size.
Value FloatBits::toFloat8(Value x, FloatType to, bool saturates) {
  Value result = hardware.float8->round(b, loc, x, to);
  if (saturates)
    return result;
  // What rounds to the number after the largest: beyond the midpoint, or on it
  // if the largest is odd.
  const llvm::fltSemantics &semantics = to.getFloatSemantics();
  APFloat largest = APFloat::getLargest(semantics);
  bool isOdd = largestBits(semantics) & 1;
  double quantum =
      std::ldexp(1.0, APFloat::semanticsMaxExponent(semantics) -
                          int(APFloat::semanticsPrecision(semantics)) + 1);
  double limit = largest.convertToDouble() + quantum / 2;
  Value size = math::AbsFOp::create(b, loc, x);
  Value isOver = arith::CmpFOp::create(
      b, loc, isOdd ? arith::CmpFPredicate::OGE : arith::CmpFPredicate::OGT,
      size, real(size, limit));
  Value sign = arith::AndIOp::create(b, loc, result, number(result, 0x80));
  Value infinity = arith::OrIOp::create(
      b, loc, sign, number(result, infinityBits(semantics)));
  return arith::SelectOp::create(b, loc, isOver, infinity, result);
}

/// Rounding to nearest, where a machine has an instruction; else null.
Value FloatBits::nearest(Value x, FloatType to, bool saturates) {
  auto from = cast<FloatType>(getElementTypeOrSelf(x.getType()));
  if (from.isF32() && hardware.converts(to))
    return toFloat8(x, to, saturates);
  bool isKnown = (from.isF64() && to.isF32()) ||
                 (from.isF32() && (to.isF16() || to.isBF16())) ||
                 (from.isF64() && to.isF16() && hardware.halves);
  if (!isKnown)
    return {};
  if (saturates) {
    double largest =
        APFloat::getLargest(to.getFloatSemantics()).convertToDouble();
    x = arith::MinimumFOp::create(b, loc, x, real(x, largest));
    x = arith::MaximumFOp::create(b, loc, x, real(x, -largest));
  }
  if (to.isBF16() && !hardware.halves)
    return toBfloat(x);
  return arith::TruncFOp::create(b, loc, typeLike(x, to), x);
}

//===--- Any rounding -----------------------------------------------------===//

/// A float of 32 or 64 bits that is no infinity or NaN.
FloatBits::Parts FloatBits::partsOf(Value x) {
  auto type = cast<FloatType>(getElementTypeOrSelf(x.getType()));
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  Parts parts;
  parts.fraction = APFloat::semanticsPrecision(semantics) - 1;
  Value bits = arith::BitcastOp::create(
      b, loc, typeLike(x, b.getIntegerType(type.getWidth())), x);
  auto compare = [&](arith::CmpIPredicate how, Value v) {
    return arith::CmpIOp::create(b, loc, how, v, number(v, 0)).getResult();
  };
  auto select = [&](Value when, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, when, yes, no).getResult();
  };
  parts.isNegative = compare(arith::CmpIPredicate::slt, bits);
  parts.magnitude = arith::AndIOp::create(
      b, loc, bits, number(bits, (uint64_t(1) << (type.getWidth() - 1)) - 1));
  Value field = arith::ShRUIOp::create(b, loc, parts.magnitude,
                                       number(bits, parts.fraction));
  uint64_t unit = uint64_t(1) << parts.fraction;
  Value fraction = arith::AndIOp::create(b, loc, bits, number(bits, unit - 1));
  Value isSubnormal = compare(arith::CmpIPredicate::eq, field);
  parts.sig =
      select(isSubnormal, fraction,
             arith::OrIOp::create(b, loc, fraction, number(bits, unit)));
  int64_t bias = 1 - APFloat::semanticsMinExponent(semantics);
  parts.exponent = arith::SubIOp::create(
      b, loc, select(isSubnormal, number(bits, 1), field), number(bits, bias));
  return parts;
}

Value FloatBits::round(Value x, FloatType to, const Rounding &rounding) {
  auto from = cast<FloatType>(getElementTypeOrSelf(x.getType()));
  if (!rounding.saturate && from == to)
    return x;
  if (!rounding.saturate && from.getWidth() < to.getWidth())
    return extend(x, to);
  auto widen = [&](FloatType wide) {
    if (from.getWidth() < wide.getWidth()) {
      x = extend(x, wide);
      from = wide;
    }
  };
  widen(Float32Type::get(b.getContext()));
  if (rounding.mode == tile::Rounding::nearest_even)
    if (Value value = nearest(x, to, rounding.saturate))
      return value;
  // Powers extend below the normal numbers of f32; random bits need room.
  if (isa<Float8E8M0FNUType>(to) || rounding.random || from == to ||
      to.getWidth() > 32)
    widen(Float64Type::get(b.getContext()));
  const llvm::fltSemantics &semantics = to.getFloatSemantics();
  auto select = [&](Value when, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, when, yes, no).getResult();
  };
  Parts parts = partsOf(x);
  auto compare = [&](arith::CmpIPredicate how, uint64_t y) {
    return arith::CmpIOp::create(b, loc, how, parts.magnitude,
                                 number(parts.magnitude, y))
        .getResult();
  };
  // Of equal types there is only saturation.
  Value pattern = from == to ? parts.magnitude : magnitude(parts, to, rounding);
  pattern = withOverflow(pattern, parts.isNegative, to, rounding);
  uint64_t infinity =
      APFloat::getInf(from.getFloatSemantics()).bitcastToAPInt().getZExtValue();
  if (!isa<Float8E8M0FNUType>(to))
    pattern =
        select(compare(arith::CmpIPredicate::eq, infinity),
               number(pattern, rounding.saturate ? largestBits(semantics)
                                                 : infinityBits(semantics)),
               pattern);
  Value result = withSign(pattern, parts, to);
  APFloat nan = APFloat::semanticsHasNaN(semantics)
                    ? APFloat::getNaN(semantics)
                    : APFloat::getLargest(semantics);
  result = select(compare(arith::CmpIPredicate::ugt, infinity),
                  number(result, nan.bitcastToAPInt().getZExtValue()), result);
  if (isSmallFloat(to))
    return result;
  return arith::BitcastOp::create(b, loc, typeLike(result, to), result);
}

} // namespace tilewright::numeric
