#include "graph/build/Slice.h"

#include "graph/analysis/SizeBounds.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/Regions.h"
#include "graph/build/TensorValues.h"

using namespace mlir;

namespace tilewright::build {
namespace {

/// One dimension of a slice with its bounds made absolute.
struct Range {
  Expr start, length, step;
};

/// A constant at least this far from 0 means the end of a dimension.
constexpr int64_t farAway = 1000000000;

/// Checks at run time that a dimension ends before a bound that was taken for
/// its end.
void checkEndsBefore(GraphBuilder &b, Expr size, int64_t bound) {
  checkAtMost(b, size, b.sizes.constant(bound),
              "a bound of Slice, " + Twine(bound) + ", lies within the tensor");
}

/// A bound, counted from the end if it is negative, within [low, high].
Expr clampBound(GraphBuilder &b, Expr bound, Expr size, Expr low, Expr high) {
  Sizes &sizes = b.sizes;
  auto constant = constantOf(bound);
  if (constant && *constant <= -farAway) {
    if (*constant > -(int64_t(1) << 40))
      checkEndsBefore(b, size, -*constant);
    // Of nothing, the last element lies before the first.
    return sizes.min(low, high);
  }
  if (constant && *constant >= farAway) {
    if (*constant < int64_t(1) << 40)
      checkEndsBefore(b, size, *constant);
    return high;
  }
  auto upper = upperBound(sizes, bound), lower = lowerBound(sizes, bound);
  Expr negated = sizes.mul(bound, -1);
  if (upper && *upper < 0) {
    bound = sizes.add(bound, size);
  } else if (lower && *lower >= 0) {
    // It counts from the beginning.
  } else if (auto usual = lowerBoundUnlessEmpty(sizes, bound);
             usual && *usual >= 0) {
    checkAtMost(b, negated, b.zero(),
                "a bound of Slice is negative where a dimension is 0");
  } else {
    // min(max(-bound, 0), 1) is 1 where the bound is negative.
    Expr isNegative = sizes.min(sizes.positivePart(negated), sizes.constant(1));
    bound = sizes.add(bound, sizes.mul(size, isNegative));
  }
  return sizes.min(sizes.max(bound, low), high);
}

/// All of a dimension.
Range wholeRange(GraphBuilder &b, Expr size) {
  return {b.zero(), size, b.sizes.constant(1)};
}

/// A range whose step the run knows.
Range makeSteppedRange(GraphBuilder &b, Expr start, Expr end, Expr step,
                       Expr size) {
  Sizes &z = b.sizes;
  const Expr one = z.constant(1), most = z.constant(maximumBytes);
  Expr up = z.positivePart(step), down = z.positivePart(z.mul(step, -1));
  checkAtMost(b, one, z.add(up, down), "a step of Slice is 0");
  // Beyond this, a second element lies beyond every end.
  up = z.min(up, most);
  down = z.min(down, most);
  step = z.sub(up, down);
  // 1 where the step is negative.
  const Expr isDown = z.min(down, one), high = z.sub(size, isDown);
  Range range{clampBound(b, start, size, b.zero(), high), size, step};
  end = clampBound(b, end, size, z.mul(isDown, -1), high);
  const Expr distance =
      z.mul(z.sub(end, range.start), z.sub(one, z.mul(isDown, 2)));
  range.length =
      z.ceilDiv(z.positivePart(distance), z.max(z.add(up, down), one));
  range.length = readNested(b, range.length);
  return range;
}

FailureOr<Range> makeRange(GraphBuilder &b, Expr start, Expr end,
                           Expr computedStep, Expr size) {
  auto known = constantOf(computedStep);
  if (!known)
    return makeSteppedRange(b, start, end, computedStep, size);
  const int64_t step = *known;
  Sizes &sizes = b.sizes;
  Range range{start, size, computedStep};
  if (step == 0)
    return b.fail("a step of Slice is 0");
  Expr last = sizes.add(size, -1), minusOne = sizes.constant(-1);
  if (step > 0) {
    range.start = clampBound(b, start, size, b.zero(), size);
    end = clampBound(b, end, size, b.zero(), size);
    range.length = sizes.sub(end, range.start);
  } else {
    range.start = clampBound(b, start, size, b.zero(), last);
    end = clampBound(b, end, size, minusOne, last);
    range.length = sizes.sub(range.start, end);
  }
  if (step >= maximumBytes || step <= -maximumBytes) {
    // The second element would lie beyond every end.
    range.length =
        sizes.min(sizes.positivePart(range.length), sizes.constant(1));
    range.start = sizes.positivePart(range.start);
    range.step = sizes.constant(1);
    return range;
  }
  range.length = sizes.ceilDiv(range.length, std::abs(step));
  range.length =
      staticUnlessEmpty(b, readNested(b, sizes.positivePart(range.length)));
  return range;
}

/// Slices known integers.
Tensor sliceKnown(GraphBuilder &b, const Tensor &x, const Range &range) {
  auto start = constantOf(range.start), length = constantOf(range.length),
       step = constantOf(range.step);
  if (!x->content || x->rank() != 1 || !start || !length || !step)
    return nullptr;
  SmallVector<Expr> values;
  for (int64_t i = 0; i < *length; ++i) {
    int64_t at = *start + i * *step;
    if (at < 0 || at >= int64_t(x->content->size()))
      return nullptr;
    values.push_back((*x->content)[at]);
  }
  return integerTensor(b, values, {range.length}, x->element);
}

/// A slice with steps that are negative or not known reads its input at
/// computed positions.
FailureOr<Tensor> computedSlice(GraphBuilder &b, const Tensor &x,
                                ArrayRef<Range> ranges) {
  SmallVector<Expr> dims;
  for (const Range &range : ranges)
    dims.push_back(range.length);
  denseValue(b, x);
  return gather(b, {}, dims, x->element, [&](Scalar &s, ArrayRef<Value>) {
    SmallVector<Value> at;
    for (auto [i, range] : llvm::enumerate(ranges)) {
      auto known = constantOf(range.step);
      Value step = known ? s.index(*known) : b.index(range.step);
      at.push_back(s.add(b.index(range.start), s.mul(s.loop(i), step)));
    }
    return extractElement(b, s, x, at, /*isPart=*/true);
  });
}

FailureOr<Tensor> sliceRanges(GraphBuilder &b, const Tensor &x,
                              ArrayRef<Range> ranges) {
  SmallVector<Expr> offsets, lengths;
  SmallVector<int64_t> steps;
  bool isComputed = false;
  for (const Range &range : ranges) {
    offsets.push_back(range.start);
    lengths.push_back(range.length);
    steps.push_back(constantOf(range.step).value_or(-1));
    isComputed |= steps.back() < 0;
  }
  return isComputed ? computedSlice(b, x, ranges)
                    : slice(b, x, offsets, lengths, steps);
}

} // namespace

FailureOr<Tensor> sliceBounds(GraphBuilder &b, const Tensor &x,
                              ArrayRef<SliceBounds> bounds) {
  SmallVector<Range> ranges;
  for (Expr dim : x->dims)
    ranges.push_back(wholeRange(b, dim));
  for (const SliceBounds &s : bounds) {
    TRY(ranges[s.axis], makeRange(b, s.start, s.end, s.step, x->dims[s.axis]));
  }
  if (ranges.size() == 1)
    if (Tensor known = sliceKnown(b, x, ranges[0]))
      return known;
  return sliceRanges(b, x, ranges);
}

FailureOr<SmallVector<Expr>> equalParts(GraphBuilder &b, Expr size,
                                        int64_t count, bool roundsUp) {
  Sizes &sizes = b.sizes;
  if (count < 1 || count > 100000)
    return b.fail("cannot split into " + Twine(count) + " parts");
  if (!roundsUp)
    return SmallVector<Expr>(count, sizes.floorDiv(size, count));
  SmallVector<Expr> lengths;
  Expr part = sizes.ceilDiv(size, count), rest = size;
  for (int64_t i = 0; i + 1 < count; ++i) {
    // The first part is never longer than the whole.
    Expr next = i == 0 ? part : sizes.min(part, rest);
    lengths.push_back(next);
    rest = sizes.sub(rest, next);
  }
  lengths.push_back(rest);
  return lengths;
}

FailureOr<SmallVector<Tensor>> splitAlong(GraphBuilder &b, const Tensor &x,
                                          int64_t axis, ArrayRef<Expr> lengths,
                                          int64_t wanted) {
  Expr size = x->dims[axis];
  Expr total = b.zero();
  for (Expr length : lengths)
    total = b.sizes.add(total, length);
  if (!compatible(total, size) || int64_t(lengths.size()) < wanted)
    return b.fail("cannot split " + b.sizes.str(size) + " elements into " +
                  b.sizes.str(lengths));
  checkEqual(b, total, size, "parts of Split");
  SmallVector<Tensor> parts;
  Expr offset = b.zero();
  for (int64_t i = 0; i < wanted; ++i) {
    SmallVector<Range> ranges;
    for (Expr dim : x->dims)
      ranges.push_back(wholeRange(b, dim));
    ranges[axis] = {offset, lengths[i], b.sizes.constant(1)};
    offset = b.sizes.add(offset, lengths[i]);
    Tensor part = ranges.size() == 1 ? sliceKnown(b, x, ranges[0]) : nullptr;
    if (!part) {
      TRY(part, sliceRanges(b, x, ranges));
    }
    parts.push_back(part);
  }
  return parts;
}

} // namespace tilewright::build
