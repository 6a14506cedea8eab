//===- FloatBits.cpp - Conversions between number types -------------------===//
#include "codegen/numeric/FloatBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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

Value FloatBits::real(Type type, double value) {
  return constant(b, loc, type,
                  b.getFloatAttr(getElementTypeOrSelf(type), value));
}

Value FloatBits::decode(Value bits, FloatType from) {
  if (hardware.converts(from))
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
  // An exponent and fraction at their position in an f32 make a number that is
  // too small by the difference of the biases, subnormals included.
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

/// For a host a bfloat becomes the upper half of an f32 as an integer:
/// compilers would move a float extension behind the arithmetic, which then
/// flushes subnormals.
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

} // namespace tilewright::numeric
