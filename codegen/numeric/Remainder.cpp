//===- Remainder.cpp - The remainder of floats ----------------------------===//
#include "codegen/numeric/Elementwise.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::numeric {

namespace {
/// Integers of 64 bits, in the shape of the operands.
class Words {
public:
  Words(OpBuilder &b, Location loc, Value shape)
      : b(b), loc(loc), type(typeLike(shape, b.getI64Type())) {}

  Value number(uint64_t value) {
    Attribute attr = b.getI64IntegerAttr(int64_t(value));
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, attr);
    return arith::ConstantOp::create(b, loc, cast<TypedAttr>(attr));
  }
  template <typename Op> Value make(Value x, Value y) {
    return Op::create(b, loc, x, y).getResult();
  }
  Value compare(arith::CmpIPredicate how, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, how, x, y);
  }
  Value select(Value when, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, when, yes, no);
  }
  /// Whether a condition is true for at least one element.
  Value any(Value condition) {
    if (!isa<VectorType>(condition.getType()))
      return condition;
    return vector::ReductionOp::create(b, loc, vector::CombiningKind::OR,
                                       frozen(b, loc, condition));
  }

  OpBuilder &b;
  Location loc;
  Type type;
};

/// The magnitude of a finite float: sig * 2^(exponent - bias - fraction),
/// exponent >= 1.
struct Magnitude {
  Value sig, exponent;
};
} // namespace

static Magnitude magnitudeOf(Words &w, Value bits, unsigned fraction) {
  Value unit = w.number(uint64_t(1) << fraction);
  Value field = w.make<arith::ShRUIOp>(bits, w.number(fraction));
  Value isSubnormal = w.compare(arith::CmpIPredicate::eq, field, w.number(0));
  Value low =
      w.make<arith::AndIOp>(bits, w.number((uint64_t(1) << fraction) - 1));
  return {w.select(isSubnormal, low, w.make<arith::OrIOp>(low, unit)),
          w.select(isSubnormal, w.number(1), field)};
}

/// (x * 2^count) mod y for x < y, shifting by as much as 64 bits have room for
/// in each iteration of a loop.
static Value remainderOfShifted(Words &w, Value x, Value y, Value count,
                                unsigned room) {
  auto loop = scf::WhileOp::create(
      w.b, w.loc, TypeRange{w.type, w.type}, ValueRange{x, count},
      [&](OpBuilder &, Location, ValueRange carried) {
        Value isLeft =
            w.compare(arith::CmpIPredicate::sgt, carried[1], w.number(0));
        scf::ConditionOp::create(w.b, w.loc, w.any(isLeft), carried);
      },
      [&](OpBuilder &, Location, ValueRange carried) {
        Value left = w.make<arith::MaxSIOp>(carried[1], w.number(0));
        Value step = w.make<arith::MinSIOp>(left, w.number(room));
        Value shifted = w.make<arith::ShLIOp>(carried[0], step);
        scf::YieldOp::create(w.b, w.loc,
                             ValueRange{w.make<arith::RemUIOp>(shifted, y),
                                        w.make<arith::SubIOp>(left, step)});
      });
  return loop.getResult(0);
}

/// Exact, with the sign of x, as fmod of C: long division in integers. LLVM's
/// frem for a GPU is wrong where the quotient needs more bits than a float has.
Value Elementwise::emitRemainder(Value x, Value y) {
  auto type = cast<FloatType>(getElementTypeOrSelf(x.getType()));
  unsigned width = type.getWidth(), fraction = type.getFPMantissaWidth() - 1;
  int64_t bias = (int64_t(1) << (width - fraction - 2)) - 1;
  Words w(b, loc, x);
  auto magnitudeBits = [&](Value value) -> Value {
    value = math::AbsFOp::create(b, loc, value);
    Type integer = typeLike(x, b.getIntegerType(width));
    value = arith::BitcastOp::create(b, loc, integer, value);
    return integer == w.type ? value
                             : arith::ExtUIOp::create(b, loc, w.type, value);
  };
  Value xBits = magnitudeBits(x), yBits = magnitudeBits(y);
  Value infinity = w.number((uint64_t(2 * bias + 1)) << fraction);
  Value isInvalid = w.make<arith::OrIOp>(
      w.make<arith::OrIOp>(
          w.compare(arith::CmpIPredicate::uge, xBits, infinity),
          w.compare(arith::CmpIPredicate::ugt, yBits, infinity)),
      w.compare(arith::CmpIPredicate::eq, yBits, w.number(0)));
  Value isLess = w.compare(arith::CmpIPredicate::ult, xBits, yBits);
  // Where the answer is known already, 1 mod 1.
  Value isKnown = w.make<arith::OrIOp>(isInvalid, isLess);
  Value one = w.number(uint64_t(bias) << fraction);
  Magnitude of = magnitudeOf(w, w.select(isKnown, one, xBits), fraction);
  Magnitude by = magnitudeOf(w, w.select(isKnown, one, yBits), fraction);
  Value rest = remainderOfShifted(
      w, w.make<arith::RemUIOp>(of.sig, by.sig), by.sig,
      w.make<arith::SubIOp>(of.exponent, by.exponent), 63 - fraction);
  // rest * 2^-fraction * 2^(exponent - bias): each product is exact.
  auto real = [&](Value bits) -> Value {
    Type integer = typeLike(x, b.getIntegerType(width));
    if (integer != w.type)
      bits = arith::TruncIOp::create(b, loc, integer, bits);
    return arith::BitcastOp::create(b, loc, x.getType(), bits);
  };
  Value result = arith::UIToFPOp::create(b, loc, x.getType(), rest);
  result = arith::MulFOp::create(
      b, loc, result, real(w.number(uint64_t(bias - fraction) << fraction)));
  result = arith::MulFOp::create(
      b, loc, result,
      real(w.make<arith::ShLIOp>(by.exponent, w.number(fraction))));
  result = math::CopySignOp::create(b, loc, result, x);
  result = w.select(isLess, x, result);
  Value nan = real(w.number(((uint64_t(2 * bias + 1)) << fraction) |
                            uint64_t(1) << (fraction - 1)));
  return w.select(isInvalid, nan, result);
}

} // namespace tilewright::numeric
