//===- IntegerPower.cpp - ipowi -------------------------------------------===//
#include "codegen/math/Functions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::math {

namespace {
/// Arithmetic on integers of one type, or vectors of them.
struct Integers {
  OpBuilder &b;
  Location loc;
  Type type;

  Value constant(int64_t value) const {
    TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(b, loc, attr);
  }
  Value index(int64_t value) const {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value compare(arith::CmpIPredicate how, Value x, int64_t y) const {
    return arith::CmpIOp::create(b, loc, how, x, constant(y));
  }
  Value select(Value when, Value yes, Value no) const {
    return arith::SelectOp::create(b, loc, when, yes, no);
  }
};
} // namespace

/// base^size modulo 2^width, by squaring once for each bit of the size.
static Value powerBySquaring(const Integers &a, Value base, Value size) {
  unsigned width = getElementTypeOrSelf(a.type).getIntOrFloatBitWidth();
  auto body = [&](OpBuilder &b, Location loc, Value, ValueRange state) {
    Value power = state[0], square = state[1], rest = state[2];
    Value one = a.constant(1);
    Value isOdd = a.compare(arith::CmpIPredicate::ne,
                            arith::AndIOp::create(b, loc, rest, one), 0);
    Value product = arith::MulIOp::create(b, loc, power, square);
    Value next[] = {a.select(isOdd, product, power),
                    arith::MulIOp::create(b, loc, square, square),
                    arith::ShRUIOp::create(b, loc, rest, one)};
    scf::YieldOp::create(b, loc, next);
  };
  auto loop =
      scf::ForOp::create(a.b, a.loc, a.index(0), a.index(width), a.index(1),
                         ValueRange{a.constant(1), base, size}, body);
  return loop.getResult(0);
}

/// base^-n = (1 / base)^n: 0 unless the base is 1 or -1, which are their own
/// inverses.
Value integerPower(OpBuilder &b, Location loc, Value base, Value exponent) {
  Integers a{b, loc, base.getType()};
  Value zero = a.constant(0);
  Value isNegative = a.compare(arith::CmpIPredicate::slt, exponent, 0);
  Value size = a.select(
      isNegative, arith::SubIOp::create(b, loc, zero, exponent), exponent);
  Value power = powerBySquaring(a, base, size);
  Value isNotUnit = arith::AndIOp::create(
      b, loc, a.compare(arith::CmpIPredicate::ne, base, 1),
      a.compare(arith::CmpIPredicate::ne, base, -1));
  Value vanishes = arith::AndIOp::create(b, loc, isNegative, isNotUnit);
  return a.select(vanishes, zero, power);
}

} // namespace tilewright::math
