//===- FloatBits.cpp - Conversions between number types -------------------===//
#include "codegen/numeric/FloatBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

namespace tilewright::numeric {

static Value constant(OpBuilder &b, Location loc, Type type, Attribute value) {
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, value);
  return arith::ConstantOp::create(b, loc, cast<TypedAttr>(value));
}

/// An integer of the element type of `shape`, in its shape.
Value FloatBits::number(Value shape, uint64_t value) {
  auto element = cast<IntegerType>(getElementTypeOrSelf(shape.getType()));
  APInt bits = APInt(64, value).trunc(element.getWidth());
  return constant(b, loc, shape.getType(), IntegerAttr::get(element, bits));
}

Value FloatBits::real(Value shape, double value) {
  return constant(b, loc, shape.getType(),
                  b.getFloatAttr(getElementTypeOrSelf(shape.getType()), value));
}

/// The types that Float8Conversions is about.
static bool isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

Value FloatBits::decode(Value bits, FloatType from) {
  if (hardware.float8 && isFloat8(from))
    return arith::ExtFOp::create(b, loc, typeLike(bits, b.getF32Type()),
                                 hardware.float8->decode(b, loc, bits, from));
  const llvm::fltSemantics &semantics = from.getFloatSemantics();
  Type i32 = typeLike(bits, b.getI32Type()),
       f32 = typeLike(bits, b.getF32Type());
  Value wide = arith::ExtUIOp::create(b, loc, i32, bits);
  auto bitcast = [&](Value value) {
    return arith::BitcastOp::create(b, loc, f32, value).getResult();
  };
  auto select = [&](Value when, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, when, yes, no).getResult();
  };
  auto compare = [&](arith::CmpIPredicate how, Value x, uint64_t y) {
    return arith::CmpIOp::create(b, loc, how, x, number(x, y)).getResult();
  };
  auto shift = [&](Value value, unsigned count) {
    return arith::ShLIOp::create(b, loc, value, number(value, count))
        .getResult();
  };
  if (isa<Float8E8M0FNUType>(from)) {
    Value power = shift(wide, 23);
    // 2^-127 is a subnormal f32.
    power = select(compare(arith::CmpIPredicate::eq, wide, 0),
                   number(wide, 0x400000), power);
    return bitcast(select(compare(arith::CmpIPredicate::eq, wide, 255),
                          number(wide, 0x7FC00000), power));
  }
  unsigned width = from.getWidth();
  unsigned fraction = APFloat::semanticsPrecision(semantics) - 1;
  uint64_t signBit = 1u << (width - 1);
  Value magnitude =
      arith::AndIOp::create(b, loc, wide, number(wide, signBit - 1));
  Value sign = shift(arith::AndIOp::create(b, loc, wide, number(wide, signBit)),
                     32 - width);
  // Exponent and fraction at their place in an f32 make a number that is too
  // small by the difference of the biases, subnormals included.
  int bias = 1 - APFloat::semanticsMinExponent(semantics);
  Value placed =
      arith::OrIOp::create(b, loc, shift(magnitude, 23 - fraction), sign);
  Value scaled = bitcast(placed);
  scaled = arith::MulFOp::create(b, loc, scaled,
                                 real(scaled, std::ldexp(1.0, 127 - bias)));
  if (APFloat::semanticsHasInf(semantics)) {
    APInt inf = APFloat::getInf(semantics).bitcastToAPInt();
    Value special =
        arith::OrIOp::create(b, loc, number(wide, 0x7F800000), placed);
    return select(
        compare(arith::CmpIPredicate::uge, magnitude, inf.getZExtValue()),
        bitcast(special), scaled);
  }
  if (!APFloat::semanticsHasNaN(semantics))
    return scaled;
  APInt nan = APFloat::getNaN(semantics).bitcastToAPInt();
  Value signedNan =
      arith::OrIOp::create(b, loc, number(wide, 0x7FC00000), sign);
  return select(
      compare(arith::CmpIPredicate::eq, magnitude, nan.getZExtValue()),
      bitcast(signedNan), scaled);
}

/// For a host a bfloat becomes the upper half of an f32 as an integer: given a
/// float extension, compilers move it behind the arithmetic, which then flushes
/// subnormals.
Value FloatBits::extend(Value x, FloatType to) {
  if (getElementTypeOrSelf(x.getType()).isBF16() && !hardware.halves) {
    Type i32 = typeLike(x, b.getI32Type());
    Value bits =
        arith::BitcastOp::create(b, loc, typeLike(x, b.getI16Type()), x);
    bits = arith::ExtUIOp::create(b, loc, i32, bits);
    bits = arith::ShLIOp::create(b, loc, bits, number(bits, 16));
    x = arith::BitcastOp::create(b, loc, typeLike(x, b.getF32Type()), bits);
  }
  if (getElementTypeOrSelf(x.getType()) == to)
    return x;
  return arith::ExtFOp::create(b, loc, typeLike(x, to), x);
}

Value FloatBits::toFloat(Value x, Type from, Type to) {
  if (isSmallFloat(from)) {
    x = decode(x, cast<FloatType>(from));
    from = b.getF32Type();
  }
  return from == to ? x : extend(x, cast<FloatType>(to));
}

/// Whether what was cut off, `rest` of 2^shift, takes the number up.
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

/// Bits of an infinity, or of what stands for it.
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

/// The magnitude's bits cut to the width of `to`, with the sign; negative
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
  Type cut = typeLike(pattern, b.getIntegerType(width));
  if (pattern.getType() != cut)
    pattern = arith::TruncIOp::create(b, loc, cut, pattern);
  return pattern;
}

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

/// The sum's error is known exactly (Knuth's two-sum); where there is one, the
/// sum becomes its neighbour with an odd last bit ("rounding to odd").
Value FloatBits::multiplyAdd(Value x, Value y, Value z) {
  auto add = [&](Value p, Value q) {
    return arith::AddFOp::create(b, loc, p, q).getResult();
  };
  auto subtract = [&](Value p, Value q) {
    return arith::SubFOp::create(b, loc, p, q).getResult();
  };
  Value product = arith::MulFOp::create(b, loc, x, y);
  Value sum = add(product, z);
  Value part = subtract(sum, product);
  Value error = add(subtract(product, subtract(sum, part)), subtract(z, part));
  Value bits =
      arith::BitcastOp::create(b, loc, typeLike(x, b.getI64Type()), sum);
  Value errorBits = arith::BitcastOp::create(b, loc, bits.getType(), error);
  auto compare = [&](arith::CmpIPredicate how, Value p, Value q) {
    return arith::CmpIOp::create(b, loc, how, p, q).getResult();
  };
  Value zero = number(bits, 0), one = number(bits, 1);
  // Ordered: not where the sum is an infinity or NaN, and the error NaN.
  Value isInexact = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE,
                                          error, real(error, 0));
  Value isEven = compare(arith::CmpIPredicate::eq,
                         arith::AndIOp::create(b, loc, bits, one), zero);
  Value isAway =
      compare(arith::CmpIPredicate::sge,
              arith::XOrIOp::create(b, loc, bits, errorBits).getResult(), zero);
  Value step = arith::SelectOp::create(b, loc, isAway, one, number(bits, -1));
  Value nudged = arith::AddIOp::create(b, loc, bits, step);
  Value isNudged = arith::AndIOp::create(b, loc, isInexact, isEven);
  Value result = arith::SelectOp::create(b, loc, isNudged, nudged, bits);
  return arith::BitcastOp::create(b, loc, sum.getType(), result);
}

Value FloatBits::round(Value x, FloatType to, const Rounding &rounding) {
  auto from = cast<FloatType>(getElementTypeOrSelf(x.getType()));
  auto widen = [&](FloatType wide) {
    if (from.getWidth() < wide.getWidth()) {
      x = extend(x, wide);
      from = wide;
    }
  };
  if (!isSmallFloat(to) && !rounding.saturate) {
    bool isNearest = rounding.mode == tile::Rounding::nearest_even;
    if (from == to)
      return x;
    if (from.getWidth() < to.getWidth())
      return extend(x, to);
    if (isNearest && to.isBF16() && from.getWidth() <= 32) {
      widen(Float32Type::get(b.getContext()));
      if (!hardware.halves)
        return toBfloat(x);
    }
    // Conversions that are one instruction.
    bool isKnown = (from.isF64() && to.isF32()) ||
                   (from.isF32() && to.isF16()) ||
                   (hardware.halves && from.isF32() && to.isBF16()) ||
                   (hardware.halves && from.isF64() && to.isF16());
    if (isNearest && isKnown)
      return arith::TruncFOp::create(b, loc, typeLike(x, to), x);
  }
  widen(Float32Type::get(b.getContext()));
  if (hardware.float8 && isFloat8(to) && from.isF32() &&
      rounding.mode == tile::Rounding::nearest_even)
    return toFloat8(x, to, rounding.saturate);
  // Powers reach below the normal numbers of f32; random bits need room.
  if (isa<Float8E8M0FNUType>(to) || rounding.random || from == to ||
      to.getWidth() > 32)
    widen(Float64Type::get(b.getContext()));
  const llvm::fltSemantics &source = from.getFloatSemantics();
  const llvm::fltSemantics &semantics = to.getFloatSemantics();
  unsigned width = from.getWidth();
  Parts parts;
  parts.fraction = APFloat::semanticsPrecision(source) - 1;
  Type integer = typeLike(x, b.getIntegerType(width));
  Value bits = arith::BitcastOp::create(b, loc, integer, x);
  Value all = number(bits, (uint64_t(1) << (width - 1)) - 1);
  Value magnitudeBits = arith::AndIOp::create(b, loc, bits, all);
  parts.isNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                           bits, number(bits, 0));
  auto compare = [&](arith::CmpIPredicate how, Value v, uint64_t y) {
    return arith::CmpIOp::create(b, loc, how, v, number(v, y)).getResult();
  };
  auto select = [&](Value when, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, when, yes, no).getResult();
  };
  Value field = arith::ShRUIOp::create(b, loc, magnitudeBits,
                                       number(bits, parts.fraction));
  Value fraction = arith::AndIOp::create(
      b, loc, bits, number(bits, (uint64_t(1) << parts.fraction) - 1));
  Value isSubnormal = compare(arith::CmpIPredicate::eq, field, 0);
  parts.sig =
      select(isSubnormal, fraction,
             arith::OrIOp::create(b, loc, fraction,
                                  number(bits, uint64_t(1) << parts.fraction)));
  int64_t bias = 1 - APFloat::semanticsMinExponent(source);
  parts.exponent = arith::SubIOp::create(
      b, loc, select(isSubnormal, number(bits, 1), field), number(bits, bias));
  Value pattern;
  if (from == to) { // only saturates
    pattern = magnitudeBits;
  } else {
    pattern = magnitude(parts, to, rounding);
  }
  pattern = withOverflow(pattern, parts.isNegative, to, rounding);
  uint64_t infinity = APFloat::getInf(source).bitcastToAPInt().getZExtValue();
  if (!isa<Float8E8M0FNUType>(to))
    pattern =
        select(compare(arith::CmpIPredicate::eq, magnitudeBits, infinity),
               number(pattern, rounding.saturate ? largestBits(semantics)
                                                 : infinityBits(semantics)),
               pattern);
  Value result = withSign(pattern, parts, to);
  APFloat nan = APFloat::semanticsHasNaN(semantics)
                    ? APFloat::getNaN(semantics)
                    : APFloat::getLargest(semantics);
  result = select(compare(arith::CmpIPredicate::ugt, magnitudeBits, infinity),
                  number(result, nan.bitcastToAPInt().getZExtValue()), result);
  if (isSmallFloat(to))
    return result;
  return arith::BitcastOp::create(b, loc, typeLike(result, to), result);
}

} // namespace tilewright::numeric
