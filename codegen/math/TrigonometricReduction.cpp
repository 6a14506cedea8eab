//===- TrigonometricReduction.cpp - x modulo pi/2 -------------------------===//
//
// Moderate operands: x - n pi/2 with pi/2 in three parts (W. J. Cody, W. Waite,
// 1980), the first product exact by a fused multiply-add. Huge ones: the
// product of x with those digits of 2/pi that matter, in integers (M. H. Payne,
// R. N. Hanek, "Radian reduction for trigonometric functions", 1983). The
// second way costs five times the first, so it is in a branch, which a vector
// takes if one of its lanes needs it.
//
//===----------------------------------------------------------------------===//
#include "codegen/math/Functions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::math {

/// The digits that are multiplied: 8 of 2/pi, 3 of x, 6 of the product.
static constexpr int kWindow = 8, kProduct = 6;

/// For |x| < 2^16 (f32) or 2^30 (f64): what is lost is far below the last
/// digit of the least r that such an x has.
static ReducedByHalfPi reduceModerate(Real x) {
  Rounded n = roundedProduct(x, kTwoByPi);
  Real high = fma(-n.real, kHalfPi, x);
  DoubleWord product = twoProduct(n.real, kHalfPiLow);
  DoubleWord sum = twoSum(high, -product.high);
  Real low = fma(-n.real, kHalfPiLowest, sum.low - product.low);
  return {fastTwoSum(sum.high, low), n.whole};
}

/// 8 digits of 2/pi from the digit `start`: a shifter by 16, 8, 4, 2 and 1
/// digits; each stage has just the digits that the next ones need.
static SmallVector<Whole> windowOfDigits(const Arithmetic &a, Whole start) {
  ArrayRef<uint64_t> table =
      a.width() == 32 ? ArrayRef(kTwoByPiDigits32) : kTwoByPiDigits64;
  SmallVector<Whole> digits;
  for (uint64_t digit : table)
    digits.push_back(a.whole(int64_t(digit)));
  for (int step = a.width() == 32 ? 4 : 16; step > 0; step /= 2) {
    Truth isShifted = (start & step) != 0;
    size_t kept = kWindow + step - 1;
    for (size_t i = 0; i < kept; ++i)
      digits[i] = select(isShifted, digits[i + step], digits[i]);
    digits.truncate(kept);
  }
  return digits;
}

/// The lowest digit of the integer part of x 2/pi, and five of its fraction,
/// for x = m 2^(half (digit - 1)), m of three digits.
static SmallVector<Whole> multiplyDigits(ArrayRef<Whole> m,
                                         ArrayRef<Whole> digits, int half) {
  const Arithmetic &a = *digits[0].a;
  int64_t mask = (int64_t(1) << half) - 1;
  SmallVector<Whole> product(kProduct, a.whole(0));
  for (auto [k, factor] : llvm::enumerate(m)) {
    Whole carry = a.whole(0);
    for (int at = kProduct - 1; at >= 0; --at) {
      Whole sum = factor * digits[at + k] + product[at] + carry;
      product[at] = sum & mask;
      carry = sum >> half;
    }
  }
  return product;
}

/// For any finite x of at least 2^8 (f32) or 2^21 (f64).
static ReducedByHalfPi reduceHuge(Real x) {
  const Arithmetic &a = *x.a;
  int half = a.width() / 2;
  int64_t mask = (int64_t(1) << half) - 1;
  int64_t implicit = int64_t(1) << a.fraction();
  Whole bits = bitsOf(abs(x));
  Whole exponent = (bits >> a.fraction()) - (a.bias() + a.fraction() - half);
  // Of finite numbers the digit is in the table; infinities must be.
  Whole digit =
      (exponent >> (a.width() == 32 ? 4 : 5)) & (a.width() == 32 ? 7 : 31);
  Whole shift = exponent & (half - 1);
  Whole significand = (bits & (implicit - 1)) | implicit;
  Whole lower = (significand & mask) << shift;
  Whole upper = ((significand >> half) << shift) + (lower >> half);
  SmallVector<Whole> product =
      multiplyDigits({lower & mask, upper & mask, upper >> half},
                     windowOfDigits(a, digit), half);
  // To the nearest integer: the fraction's first digit becomes signed.
  Whole up = product[1] >> (half - 1);
  Whole n = product[0] + up;
  product[1] = product[1] - (up << half);
  double unit = a.pick(0x1p-16, 0x1p-32), weight = unit;
  DoubleWord sum{toReal(product[1]) * weight, a.real(0)};
  for (int i = 2; i < kProduct; ++i) {
    weight *= unit;
    sum = fastTwoSum(sum.high, sum.low + toReal(product[i]) * weight);
  }
  DoubleWord r = twoProduct(sum.high, kHalfPi);
  r = fastTwoSum(r.high,
                 fma(sum.high, kHalfPiLow, fma(sum.low, kHalfPi, r.low)));
  Truth isNegative = x < 0;
  return {
      {select(isNegative, -r.high, r.high), select(isNegative, -r.low, r.low)},
      select(isNegative, 0 - n, n)};
}

/// Whether it is true in a lane.
static Value anyLane(Truth truth) {
  auto type = dyn_cast<VectorType>(truth.value.getType());
  if (!type)
    return truth.value;
  const Arithmetic &a = *truth.a;
  Value flat = truth.value;
  if (type.getRank() != 1)
    flat = vector::ShapeCastOp::create(
        a.b, a.loc,
        VectorType::get({type.getNumElements()}, type.getElementType()), flat);
  return vector::ReductionOp::create(a.b, a.loc, vector::CombiningKind::OR,
                                     flat);
}

ReducedByHalfPi reduceByHalfPi(Real x) {
  const Arithmetic &a = *x.a;
  ReducedByHalfPi near = reduceModerate(x);
  Truth isHuge = abs(x) >= a.pick(0x1p16, 0x1p30);
  auto branch = scf::IfOp::create(
      a.b, a.loc, anyLane(isHuge),
      [&](OpBuilder &, Location) {
        ReducedByHalfPi far = reduceHuge(x);
        Value r[] = {select(isHuge, far.r.high, near.r.high).value,
                     select(isHuge, far.r.low, near.r.low).value,
                     select(isHuge, far.n, near.n).value};
        scf::YieldOp::create(a.b, a.loc, r);
      },
      [&](OpBuilder &, Location) {
        Value r[] = {near.r.high.value, near.r.low.value, near.n.value};
        scf::YieldOp::create(a.b, a.loc, r);
      });
  return {{a.given(branch.getResult(0)), a.given(branch.getResult(1))},
          {&a, branch.getResult(2)}};
}

} // namespace tilewright::math
