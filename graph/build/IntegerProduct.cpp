#include "graph/build/IntegerProduct.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Conv.h"
#include "graph/build/Generic.h"
#include "graph/build/MatMul.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduction.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace mlir;

namespace tilewright::build {
namespace {

Element i32(GraphBuilder &b) { return {b.builder.getI32Type()}; }

/// A scalar of an operand with its own signedness, as i32.
Value widened(Scalar &s, Value v, Element element) {
  return Scalar(s.builder, s.loc, element.isUnsigned)
      .convert(v, s.builder.getI32Type());
}

LogicalResult checkIntegers(GraphBuilder &b, const Tensor &x,
                            const Tensor &zero) {
  if (x->element.isInteger() && (!zero || zero->element.isInteger()))
    return success();
  return b.fail("operands have types " + dtypeName(x->element) +
                ", expected integers");
}

/// x - zero as i32.
FailureOr<Tensor> withoutZero(GraphBuilder &b, const Tensor &x,
                              const Tensor &zero) {
  SmallVector<Tensor> operands = {x};
  if (zero)
    operands.push_back(zero);
  return elementwiseOver(b, x->dims, operands, i32(b),
                         [&](Scalar &s, Values v) {
                           Value value = widened(s, v[0], x->element);
                           if (!zero)
                             return value;
                           return s.sub(value, widened(s, v[1], zero->element));
                         });
}

/// What sumAlong() makes of a constant.
Tensor constantSumAlong(GraphBuilder &b, const Tensor &x, int64_t axis,
                        ArrayRef<int64_t> dims) {
  auto sums = std::make_shared<TensorInfo>();
  sums->element = i32(b);
  sums->dims = x->dims;
  sums->dims[axis] = b.sizes.constant(1);
  const int64_t depth = dims[axis],
                inner = llvm::product_of(dims.drop_front(axis + 1)),
                count = llvm::product_of(dims.take_front(axis)) * inner;
  char *data;
  sums->constant = ownedConstant(count, sizeof(uint32_t), data);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t first = i / inner * inner * depth + i % inner;
    uint32_t sum = 0;
    for (int64_t k = 0; k < depth; ++k)
      sum += uint32_t(intAt(*x, first + k * inner));
    std::memcpy(data + i * int64_t(sizeof(sum)), &sum, sizeof(sum));
  }
  return sums;
}

/// The sum of integers along a dimension, as i32, which stays with one element.
FailureOr<Tensor> sumAlong(GraphBuilder &b, const Tensor &x, int64_t axis) {
  Element wide = i32(b);
  if (auto dims = constantsOf(x->dims); dims && x->constant)
    return constantSumAlong(b, x, axis, *dims);
  return reduce(b, x, {axis}, /*keepDims=*/true, wide, constantAttr(b, wide, 0),
                [&](Scalar &s, Values v) {
                  return s.add(v[1], widened(s, v[0], x->element));
                });
}

/// A product minus a zero point times the sums of the other operand.
FailureOr<Tensor> withoutSums(GraphBuilder &b, const Tensor &product,
                              const Tensor &zero, const Tensor &sums) {
  return elementwise(
      b, {product, zero, sums}, i32(b), [&](Scalar &s, Values v) {
        return s.sub(v[0], s.mul(widened(s, v[1], zero->element), v[2]));
      });
}

/// Whether there is a zero point that may be another number than 0.
bool isShifted(const Tensor &zero) {
  return zero && !(zero->constant && llvm::all_of(zero->constant->bytes,
                                                  [](char c) { return !c; }));
}

/// Constant weights minus the zero point of each filter, where 8 bits hold all
/// of them; else null.
Tensor centered(const Tensor &w, const Tensor &zero) {
  auto dims = constantsOf(w->dims);
  if (!dims || !w->constant || !zero->constant || w->element.bits() != 8 ||
      llvm::is_contained(*dims, 0))
    return nullptr;
  const int64_t count = llvm::product_of(*dims),
                ofFilter = count / dims->front();
  const bool isOne = countOf(*zero) == 1;
  auto result = std::make_shared<TensorInfo>(*w);
  result->value = result->dense = {};
  result->axes.clear();
  result->content.reset();
  char *data;
  result->constant = ownedConstant(count, 1, data);
  int64_t least = 0, greatest = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t value = intAt(*w, i) - intAt(*zero, isOne ? 0 : i / ofFilter);
    least = std::min(least, value);
    greatest = std::max(greatest, value);
    data[i] = char(value);
  }
  result->element.isUnsigned = least >= 0;
  const auto [lowest, highest] = result->element.isUnsigned
                                     ? std::pair<int64_t, int64_t>(0, 255)
                                     : std::pair<int64_t, int64_t>(-128, 127);
  return least >= lowest && greatest <= highest ? result : nullptr;
}

/// The windows of an image that is padded already.
Window withoutPadding(GraphBuilder &b, const Window &window) {
  Window plain = window;
  plain.padLow.assign(window.padLow.size(), b.zero());
  plain.padHigh = plain.padHighGiven = plain.padLow;
  return plain;
}

/// Whether an element of a padded image is one of the image, in a body over its
/// dimensions.
Value isInImage(GraphBuilder &b, Scalar &s, const Tensor &x,
                const Window &window) {
  Scalar t(s.builder, s.loc);
  Value isInside = t.truth(true);
  for (size_t i = 0; i < window.padLow.size(); ++i) {
    Value at = t.sub(s.loop(int64_t(i) + 2), b.index(window.padLow[i]));
    isInside = t.logicalAnd(isInside, t.ge(at, t.index(0)));
    isInside = t.logicalAnd(isInside, t.lt(at, b.index(x->dims[i + 2])));
  }
  return isInside;
}

/// Convolution of an image that is padded with a zero point, which is a number.
FailureOr<Tensor> convolvePadded(GraphBuilder &b, const Tensor &x,
                                 const Tensor &zero, const Tensor &w,
                                 int64_t group, const Window &window) {
  if (!isShifted(zero) || zero->constant)
    return convolve(b, x, w, group, window, i32(b),
                    isShifted(zero) ? scalarAttr(*zero, 0) : TypedAttr());
  TRY(Tensor padded, padSpatial(b, x, window, constantAttr(b, x->element, 0)));
  if (padded != x) {
    TRY(padded, elementwiseOver(b, padded->dims, {padded, zero}, x->element,
                                [&](Scalar &s, Values v) {
                                  return s.select(isInImage(b, s, x, window),
                                                  v[0], v[1]);
                                }));
  }
  return convolve(b, padded, w, group, withoutPadding(b, window), i32(b));
}

/// The sum of each filter's weights: [M, 1, ...], of one dimension less than w.
FailureOr<Tensor> sumsOfFilters(GraphBuilder &b, const Tensor &w) {
  Expr rest = b.sizes.product(ArrayRef<Expr>(w->dims).drop_front());
  TRY(Tensor flat, reshape(b, w, {w->dims[0], rest}));
  TRY(Tensor sums, sumAlong(b, flat, 1));
  SmallVector<int64_t> kept(w->rank() - 1, -1);
  kept[0] = 0;
  return rearrange(b, sums, kept);
}

/// The sums of x - zero over windows of all channels: [N, 1, out...].
FailureOr<Tensor> sumsOfWindows(GraphBuilder &b, const Tensor &x,
                                const Tensor &zero, const Tensor &w,
                                const Window &window) {
  TRY(Tensor plain, withoutZero(b, x, zero));
  TRY(Tensor channels, sumAlong(b, plain, 1));
  SmallVector<Expr> dims(w->dims);
  dims[0] = dims[1] = b.sizes.constant(1);
  Tensor ones = splat(b, constantAttr(b, i32(b), 1), dims, i32(b));
  return convolve(b, channels, ones, 1, window, i32(b));
}

/// What is added to the sums of products of each filter: bias - zero * sum(w);
/// null where there is nothing.
FailureOr<Tensor> offsetsOfFilters(GraphBuilder &b, const Tensor &w,
                                   const Tensor &zero, const Tensor &bias) {
  Tensor row;
  if (bias) {
    TRY(Tensor ofFilters, withDims(b, bias, {w->dims[0]}, "a bias"));
    row = channelRow(b, ofFilters, w->rank() - 2);
  }
  if (!isShifted(zero))
    return row;
  TRY(Tensor sums, sumsOfFilters(b, w));
  SmallVector<Tensor> operands = {zero, sums};
  if (row)
    operands.push_back(row);
  return elementwise(b, operands, i32(b), [&](Scalar &s, Values v) {
    Value product = s.mul(widened(s, v[0], zero->element), v[1]);
    return s.sub(row ? v[2] : s.like(product, 0), product);
  });
}

} // namespace

Tensor perRow(GraphBuilder &b, const Tensor &p, const Tensor &x) {
  if (p && p->rank() == 1 && x->rank() > 1 && !isConst(p->dims[0], 1))
    return rearrange(b, p, {0, -1});
  if (p && p->rank() == 1 && isConst(p->dims[0], 1))
    return rearrange(b, p, {});
  return p;
}

Tensor channelRow(GraphBuilder &b, const Tensor &p, int64_t trailing) {
  if (!p || p->rank() != 1)
    return p;
  if (isConst(p->dims[0], 1))
    return rearrange(b, p, {});
  SmallVector<int64_t> kept(trailing + 1, -1);
  kept[0] = 0;
  return rearrange(b, p, kept);
}

/// (x - p) (y - q) = x y - p sum(y) - q (sum(x) - K p), for zero points p of
/// the rows of x and q of the columns of y, modulo 2^32. The operands stay as
/// narrow as they are: so are what memory moves and what machines multiply.
FailureOr<Tensor> matmulIntegers(GraphBuilder &b, const Tensor &x,
                                 const Tensor &xZero, const Tensor &y,
                                 const Tensor &yZero) {
  if (failed(checkIntegers(b, x, xZero)) || failed(checkIntegers(b, y, yZero)))
    return failure();
  Tensor p = perRow(b, xZero, x), q = yZero ? perRow(b, yZero, yZero) : yZero;
  const bool isPlain = x->rank() >= 2 && y->rank() >= 2;
  if (!isPlain && (isShifted(p) || isShifted(q))) {
    TRY(Tensor lhs, withoutZero(b, x, p));
    TRY(Tensor rhs, withoutZero(b, y, q));
    return matmul(b, lhs, rhs, i32(b));
  }
  TRY(Tensor product, matmul(b, x, y, i32(b)));
  if (isShifted(p)) {
    TRY(Tensor sums, sumAlong(b, y, y->rank() - 2));
    TRY(product, withoutSums(b, product, p, sums));
  }
  if (isShifted(q)) {
    Tensor rows = x;
    if (isShifted(p)) {
      TRY(rows, withoutZero(b, x, p));
    }
    TRY(Tensor sums, sumAlong(b, rows, x->rank() - 1));
    TRY(product, withoutSums(b, product, q, sums));
  }
  return product;
}

FailureOr<Tensor> scaledProduct(GraphBuilder &b, const Tensor &product,
                                const Tensor &xScale, const Tensor &yScale,
                                const Tensor &bias) {
  SmallVector<Tensor> operands = {product, xScale, yScale};
  if (bias)
    operands.push_back(bias);
  Element out = xScale->element;
  return elementwise(b, operands, out, [&](Scalar &s, Values v) {
    Scalar t(s.builder, s.loc);
    Value factor = s.mul(v[1], v[2]);
    Value value = s.mul(t.convert(v[0], factor.getType()), factor);
    return v.size() > 3 ? s.add(value, v[3]) : value;
  });
}

/// Like a product. An image that is padded with p has whole windows at its
/// edges, too, so that sum(w) is one number a filter. Weights minus q are often
/// 8 bits, too; where they are not, the sums of windows are those of one filter
/// of ones.
FailureOr<Tensor> convolveIntegers(GraphBuilder &b, const Tensor &x,
                                   const Tensor &xZero, const Tensor &w,
                                   const Tensor &wZero, const Tensor &bias,
                                   int64_t group, const Window &window) {
  if (failed(checkIntegers(b, x, xZero)) || failed(checkIntegers(b, w, wZero)))
    return failure();
  Tensor p = channelRow(b, xZero, 0), q = channelRow(b, wZero, w->rank() - 1);
  Tensor weights = w;
  if (isShifted(q))
    if (Tensor small = centered(w, q)) {
      weights = small;
      q = nullptr;
    }
  const bool isOne = !p || (p->rank() == 0 && p->element == x->element);
  if (!isOne || (isShifted(q) && group > 1)) {
    TRY(Tensor lhs, withoutZero(b, x, p));
    TRY(Tensor rhs, withoutZero(b, w, q));
    TRY(Tensor sum, convolve(b, lhs, rhs, group, window, i32(b)));
    return bias ? addBias(b, sum, bias) : sum;
  }
  TRY(Tensor sum, convolvePadded(b, x, p, weights, group, window));
  TRY(Tensor offsets, offsetsOfFilters(b, weights, p, bias));
  if (isShifted(q)) {
    TRY(Tensor sums, sumsOfWindows(b, x, p, w, window));
    TRY(sum, withoutSums(b, sum, channelRow(b, wZero, w->rank() - 2), sums));
  }
  if (!offsets)
    return sum;
  return elementwiseOver(b, sum->dims, {sum, offsets}, i32(b),
                         [](Scalar &s, Values v) { return s.add(v[0], v[1]); });
}

} // namespace tilewright::build
