// Scales that are not known at import.
#include "graph/analysis/SizeBounds.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Regions.h"
#include "graph/build/ResizePosition.h"

using namespace mlir;

namespace tilewright::build {

void setScaleRatio(GraphBuilder &b, Expr numerator, Expr denominator,
                   ResizeAxis &axis) {
  Sizes &z = b.sizes;
  checkAtMost(b, z.mul(numerator, -1), b.zero(), "a scale is negative");
  numerator = z.positivePart(numerator);
  axis.active = numerator != denominator;
  if (denominator == axis.in) {
    axis.out = numerator;
    setScaleOfSizes(z, axis);
    return;
  }
  const Expr one = z.constant(1);
  if (auto whole = z.exactDiv(numerator, denominator)) {
    numerator = *whole;
    denominator = one;
  }
  checkAtMost(b, one, denominator, "a scale is divided by 0");
  axis.numerator = numerator;
  axis.denominator = z.max(denominator, one);
  axis.out = z.floorDiv(z.mul(axis.in, numerator), axis.denominator);
}

namespace {
/// A scale in a kernel, as mantissa / 2^shift: both are exact.
struct ScaleParts {
  Scalar s;
  Value isValid, shift, mantissa;

  ScaleParts(Scalar &outer, Value v) : s(outer.builder, outer.loc) {
    Type word = s.builder.getI32Type(), wide = s.builder.getI64Type();
    Value x = s.convert(v, s.builder.getF32Type());
    Value isZero = s.eq(x, s.like(x, 0));
    Value isUsual =
        s.logicalAnd(s.ge(x, s.like(x, 0x1p-8)), s.lt(x, s.like(x, 0x1p31)));
    isValid = s.logicalOr(isZero, isUsual);
    // Of 24 bits, the first of which is not stored.
    Value bits = s.make<arith::BitcastOp>(word, x);
    Value exponent = s.make<arith::ShRUIOp>(bits, s.integer(word, 23));
    shift = s.clamp(s.sub(s.integer(word, 127 + 23), exponent),
                    s.integer(word, 0), s.integer(word, 31));
    shift = s.make<arith::ExtSIOp>(wide, shift);
    Value power = s.make<arith::ShLIOp>(s.integer(wide, 1), shift);
    mantissa = s.convert(s.mul(x, s.convert(power, x.getType())), wide);
  }
};
} // namespace

LogicalResult setComputedScale(GraphBuilder &b, const Tensor &scale,
                               ResizeAxis &axis) {
  Sizes &z = b.sizes;
  if (!scale->element.isFloat())
    return b.fail("a scale is of type " + dtypeName(scale->element));
  constexpr int64_t most = int64_t(1) << 31, longest = int64_t(1) << 28;
  // -1 is no size, and ends the run.
  TRY(Tensor numerator,
      elementwise(b, {scale}, i64(b), [](Scalar &s, Values v) {
        ScaleParts parts(s, v[0]);
        return s.select(parts.isValid, parts.mantissa,
                        s.like(parts.mantissa, -1));
      }));
  TRY(Tensor denominator,
      elementwise(b, {scale}, i64(b), [](Scalar &s, Values v) {
        Value shift = ScaleParts(s, v[0]).shift;
        return s.make<arith::ShLIOp>(s.like(shift, 1), shift);
      }));
  // The length is rounded as the product of two floats is: for six elements
  // and 5 / 6, which is a little less, it is 5.
  const Value in = b.index(axis.in);
  TRY(Tensor out, elementwise(b, {scale}, i64(b), [&](Scalar &s, Values v) {
        Value x = s.convert(v[0], s.builder.getF32Type());
        Value length = s.make<arith::IndexCastOp>(s.builder.getI64Type(), in);
        return s.convert(s.mul(x, s.convert(length, x.getType())),
                         s.builder.getI64Type());
      }));
  TRY(axis.numerator, readSize(b, numerator, 0, z.constant(most)));
  TRY(axis.denominator, readSize(b, denominator, 1, z.constant(most)));
  TRY(axis.out, readSize(b, out, 0, {}));
  axis.active = true;
  // Positions are computed in 64 bits.
  for (Expr size : {axis.in, axis.out})
    checkAtMost(b, size, z.constant(longest),
                "a resized dimension is too long for its scale");
  return success();
}

} // namespace tilewright::build
