// Data movement: transposes, slices, joins, padding.
#include "frontends/onnx/OpsCommon.h"
#include "frontends/onnx/Readers.h"
#include "graph/analysis/SizeBounds.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/TensorValues.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

LogicalResult importTranspose(Node &node) {
  TRY(Tensor x, node.input(0));
  SmallVector<int64_t> reversed, order;
  for (int64_t i = x->rank(); i-- > 0;)
    reversed.push_back(i);
  TRY(SmallVector<int64_t> permutation,
      node.attributes.integers("perm", reversed));
  for (int64_t value : permutation) {
    TRY(int64_t axis, axisOf(node.b, value, x->rank()));
    order.push_back(axis);
  }
  SmallVector<int64_t> sorted(order);
  llvm::sort(sorted);
  for (int64_t i = 0; i < x->rank(); ++i)
    if (int64_t(order.size()) != x->rank() || sorted[i] != i)
      return node.fail("attribute 'perm' is not a permutation of the " +
                       Twine(x->rank()) + " dimensions");
  return node.done(transpose(node.b, x, order));
}

/// Concatenates known integers; null if some are not known.
Tensor concatKnown(GraphBuilder &b, ArrayRef<Tensor> tensors) {
  SmallVector<Expr> values;
  for (const Tensor &tensor : tensors) {
    if (!tensor->content || tensor->rank() != 1 ||
        tensor->element != tensors[0]->element)
      return nullptr;
    values.append(tensor->content->begin(), tensor->content->end());
  }
  if (values.size() > 1024)
    return nullptr;
  return integerTensor(b, values, {b.sizes.constant(values.size())},
                       tensors[0]->element);
}

LogicalResult importConcat(Node &node) {
  TRY(SmallVector<Tensor> tensors, node.inputs());
  if (failed(expectRank(node.b, tensors[0], 1, "input 0")))
    return failure();
  TRY(int64_t axis, axisAttribute(node, 1, tensors[0]->rank()));
  if (Tensor known = concatKnown(node.b, tensors))
    return node.set(0, known);
  return node.done(concat(node.b, tensors, axis));
}

/// One dimension of a Slice with its bounds made absolute.
struct Range {
  Expr start, length;
  int64_t step;
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

FailureOr<Range> makeRange(Node &node, Expr start, Expr end, int64_t step,
                           Expr size) {
  GraphBuilder &b = node.b;
  Sizes &sizes = b.sizes;
  Range range{start, size, step};
  if (step == 0)
    return node.fail("a step of Slice is 0");
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
    range.step = 1;
    return range;
  }
  range.length = sizes.ceilDiv(range.length, std::abs(step));
  range.length = staticUnlessEmpty(b, sizes.positivePart(range.length));
  return range;
}

/// Slices known integers.
Tensor sliceKnown(GraphBuilder &b, const Tensor &x, const Range &range) {
  auto start = constantOf(range.start), length = constantOf(range.length);
  if (!x->content || x->rank() != 1 || !start || !length)
    return nullptr;
  SmallVector<Expr> values;
  for (int64_t i = 0; i < *length; ++i) {
    int64_t at = *start + i * range.step;
    if (at < 0 || at >= int64_t(x->content->size()))
      return nullptr;
    values.push_back((*x->content)[at]);
  }
  return integerTensor(b, values, {range.length}, x->element);
}

/// A slice with negative steps reads its input at computed positions.
FailureOr<Tensor> reversedSlice(GraphBuilder &b, const Tensor &x,
                                ArrayRef<Range> ranges) {
  SmallVector<Expr> dims;
  for (const Range &range : ranges)
    dims.push_back(range.length);
  denseValue(b, x);
  return gather(b, {}, dims, x->element, [&](Scalar &s, ArrayRef<Value>) {
    SmallVector<Value> at;
    for (auto [i, range] : llvm::enumerate(ranges))
      at.push_back(
          s.add(b.index(range.start), s.mul(s.loop(i), s.index(range.step))));
    return extractElement(b, s, x, at, /*isPart=*/true);
  });
}

FailureOr<Tensor> sliceRanges(GraphBuilder &b, const Tensor &x,
                              ArrayRef<Range> ranges) {
  SmallVector<Expr> offsets, lengths;
  SmallVector<int64_t> steps;
  bool reversed = false;
  for (const Range &range : ranges) {
    offsets.push_back(range.start);
    lengths.push_back(range.length);
    steps.push_back(range.step);
    reversed |= range.step < 0;
  }
  return reversed ? reversedSlice(b, x, ranges)
                  : slice(b, x, offsets, lengths, steps);
}

LogicalResult importSlice(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  SmallVector<Expr> starts, ends;
  SmallVector<int64_t> axes, steps;
  if (node.opset < 10) {
    TRY(SmallVector<int64_t> firsts, node.attributes.integers("starts"));
    starts = exprsOf(b.sizes, firsts);
    TRY(SmallVector<int64_t> lasts, node.attributes.integers("ends"));
    ends = exprsOf(b.sizes, lasts);
    TRY(axes, node.attributes.integers("axes"));
  } else {
    TRY(starts, contentOf(node, 1, "starts"));
    TRY(ends, contentOf(node, 2, "ends"));
    if (node.hasInput(3)) {
      TRY(axes, integersOf(node, 3, "axes"));
    }
    if (node.hasInput(4)) {
      TRY(steps, integersOf(node, 4, "steps"));
    }
  }
  if (axes.empty())
    for (size_t i = 0; i < starts.size(); ++i)
      axes.push_back(i);
  if (steps.empty())
    steps.assign(axes.size(), 1);
  if (starts.size() != axes.size() || ends.size() != axes.size() ||
      steps.size() != axes.size())
    return node.fail("starts, ends, axes and steps have " +
                     Twine(starts.size()) + ", " + Twine(ends.size()) + ", " +
                     Twine(axes.size()) + " and " + Twine(steps.size()) +
                     " values");
  SmallVector<Range> ranges;
  for (Expr dim : x->dims)
    ranges.push_back({b.zero(), dim, 1});
  for (size_t i = 0; i < axes.size(); ++i) {
    TRY(int64_t axis, axisOf(node.b, axes[i], x->rank()));
    TRY(ranges[axis],
        makeRange(node, starts[i], ends[i], steps[i], x->dims[axis]));
  }
  if (ranges.size() == 1)
    if (Tensor known = sliceKnown(b, x, ranges[0]))
      return node.set(0, known);
  return node.done(sliceRanges(b, x, ranges));
}

/// The lengths of a Split without explicit ones: equal, except for the last
/// since opset 18.
FailureOr<SmallVector<Expr>> equalParts(Node &node, Expr size) {
  Sizes &sizes = node.b.sizes;
  TRY(int64_t count, node.attributes.integer("num_outputs", node.numOutputs()));
  if (count < 1 || count > 100000)
    return node.fail("cannot split into " + Twine(count) + " parts");
  if (node.opset < 18)
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

LogicalResult importSplit(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(int64_t axis, axisAttribute(node, 0, x->rank()));
  Expr size = x->dims[axis];
  SmallVector<Expr> lengths;
  if (node.opset >= 13 && node.hasInput(1)) {
    TRY(lengths, contentOf(node, 1, "split"));
  } else if (node.opset < 13 && node.attributes.has("split")) {
    TRY(SmallVector<int64_t> split, node.attributes.integers("split"));
    lengths = exprsOf(b.sizes, split);
  } else {
    TRY(lengths, equalParts(node, size));
  }
  Expr total = b.zero();
  for (Expr length : lengths)
    total = b.sizes.add(total, length);
  if (!compatible(total, size) || int64_t(lengths.size()) < node.numOutputs())
    return node.fail("cannot split " + b.sizes.str(size) + " elements into " +
                     b.sizes.str(lengths));
  checkEqual(b, total, size, "parts of Split");
  Expr offset = b.zero();
  for (int64_t i = 0; i < node.numOutputs(); ++i) {
    SmallVector<Range> ranges;
    for (Expr dim : x->dims)
      ranges.push_back({b.zero(), dim, 1});
    ranges[axis] = {offset, lengths[i], 1};
    offset = b.sizes.add(offset, lengths[i]);
    Tensor part = ranges.size() == 1 ? sliceKnown(b, x, ranges[0]) : nullptr;
    if (!part) {
      TRY(part, sliceRanges(b, x, ranges));
    }
    if (failed(node.set(i, part)))
      return failure();
  }
  return success();
}

/// Where padding with the input's own elements reads: `mode` is reflect, edge
/// or wrap.
Value paddedPosition(GraphBuilder &b, Scalar &s, StringRef mode, Value at,
                     Expr size) {
  Scalar t(s.builder, s.loc);
  Value zero = s.index(0), count = b.index(size);
  Value last = s.sub(count, s.index(1));
  if (mode == "edge")
    return t.clamp(at, zero, last);
  auto modulo = [&](Value v, Value m) {
    Value rest = s.make<arith::RemSIOp>(v, m);
    return t.select(t.lt(rest, zero), t.add(rest, m), rest);
  };
  if (mode == "wrap")
    return modulo(at, count);
  // Reflection has a period of 2 (size - 1).
  Value period = t.max(t.mul(last, s.index(2)), s.index(1));
  Value folded = modulo(at, period);
  return t.min(folded, t.sub(period, folded));
}

FailureOr<Tensor> padByPosition(GraphBuilder &b, const Tensor &x,
                                ArrayRef<Expr> low, ArrayRef<Expr> high,
                                StringRef mode) {
  SmallVector<Expr> dims;
  for (int64_t i = 0; i < x->rank(); ++i) {
    Expr added = b.sizes.add(low[i], high[i]);
    dims.push_back(b.sizes.add(x->dims[i], added));
    if (!isConst(added, 0))
      checkAtMost(b, b.sizes.constant(1), x->dims[i],
                  "Pad in mode " + mode + " of a dimension without elements");
  }
  denseValue(b, x);
  return gather(b, {}, dims, x->element, [&](Scalar &s, ArrayRef<Value>) {
    SmallVector<Value> at;
    for (int64_t i = 0; i < x->rank(); ++i) {
      Value position = s.loop(i);
      if (!isConst(low[i], 0) || !isConst(high[i], 0))
        position = paddedPosition(b, s, mode, s.sub(position, b.index(low[i])),
                                  x->dims[i]);
      at.push_back(position);
    }
    return extractElement(b, s, x, at);
  });
}

/// Negative padding takes elements away.
FailureOr<Tensor> cropNegative(GraphBuilder &b, const Tensor &x,
                               SmallVectorImpl<Expr> &low,
                               SmallVectorImpl<Expr> &high) {
  SmallVector<Expr> offsets, lengths(x->dims);
  for (int64_t i = 0; i < x->rank(); ++i) {
    offsets.push_back(b.zero());
    for (Expr *amount : {&low[i], &high[i]}) {
      if (constantOf(*amount).value_or(0) >= 0)
        continue;
      lengths[i] = b.sizes.add(lengths[i], *amount);
      if (amount == &low[i])
        offsets[i] = b.sizes.mul(*amount, -1);
      *amount = b.zero();
    }
  }
  return slice(b, x, offsets, lengths, SmallVector<int64_t>(x->rank(), 1));
}

LogicalResult importPad(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  int64_t rank = x->rank();
  SmallVector<Expr> pads;
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < rank; ++i)
    axes.push_back(i);
  Tensor value;
  double number = 0;
  if (node.opset < 11) {
    StringRef name = node.attributes.has("pads") ? "pads" : "paddings";
    TRY(SmallVector<int64_t> counts, node.attributes.integers(name));
    pads = exprsOf(b.sizes, counts);
    TRY(number, node.attributes.number("value", 0));
  } else {
    TRY(pads, contentOf(node, 1, "pads"));
    if (node.hasInput(2)) {
      TRY(value, knownInput(node, 2));
    }
    if (node.hasInput(3)) {
      axes.clear();
      TRY(SmallVector<int64_t> values, integersOf(node, 3, "axes"));
      for (int64_t value : values) {
        TRY(int64_t axis, axisOf(node.b, value, rank));
        axes.push_back(axis);
      }
    }
  }
  if (pads.size() != 2 * axes.size())
    return node.fail("pads has " + Twine(pads.size()) + " values, expected " +
                     Twine(2 * axes.size()));
  SmallVector<Expr> low(rank, b.zero()), high = low;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    low[axis] = pads[i];
    high[axis] = pads[i + axes.size()];
  }
  TRY(std::string mode, node.attributes.string("mode", "constant"));
  if (mode != "constant" && mode != "edge" && mode != "reflect" &&
      mode != "wrap")
    return node.fail("attribute 'mode' is '" + mode +
                     "', expected constant, edge, reflect or wrap");
  TRY(x, cropNegative(b, x, low, high));
  if (mode != "constant")
    return node.done(padByPosition(b, x, low, high, mode));
  if (value && !value->constant)
    return failUnknown(node, 2, "the padding value");
  TypedAttr constant =
      value ? scalarAttr(*value, 0) : constantAttr(b, x->element, number);
  if (value &&
      (countOf(*value).value_or(0) < 1 || value->element != x->element))
    return node.fail("the padding value has type " + dtypeName(value->element) +
                     ", the input " + dtypeName(x->element));
  return node.done(pad(b, x, low, high, constant));
}

LogicalResult importTile(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(SmallVector<Expr> repeats, contentOf(node, 1, "repeats"));
  if (int64_t(repeats.size()) != x->rank())
    return node.fail("repeats has " + Twine(repeats.size()) +
                     " values, the input has shape " + b.sizes.str(x->dims));
  // [a, b] becomes [r, a, s, b] and then [r a, s b].
  SmallVector<Expr> dims, loops;
  Operand operand{x, {}};
  for (auto [size, repeat] : llvm::zip(x->dims, repeats)) {
    dims.push_back(b.sizes.mul(size, repeat));
    if (!isConst(repeat, 1))
      loops.push_back(repeat);
    operand.at.push_back(isConst(size, 1) ? b.zero() : b.loop(loops.size()));
    loops.push_back(size);
  }
  TRY(Tensor tiled, gather(b, {operand}, loops, x->element,
                           [](Scalar &, ArrayRef<Value> v) { return v[0]; }));
  return node.done(reshape(b, tiled, dims));
}

FailureOr<int64_t> blockSize(Node &node, const Tensor &x) {
  TRY(int64_t block, node.attributes.integer("blocksize", 0));
  if (x->rank() != 4 || block < 1 || block > 65536)
    return node.fail("the input has shape " + node.b.sizes.str(x->dims) +
                     " and blocksize is " + Twine(block) +
                     ", expected four dimensions and a positive size");
  return block;
}

LogicalResult importDepthToSpace(Node &node) {
  GraphBuilder &b = node.b;
  Sizes &z = b.sizes;
  TRY(Tensor x, node.input(0));
  TRY(int64_t block, blockSize(node, x));
  TRY(std::string mode, node.attributes.string("mode", "DCR"));
  if (mode != "DCR" && mode != "CRD")
    return node.fail("attribute 'mode' is '" + mode + "', expected DCR or CRD");
  Expr n = x->dims[0], h = x->dims[2], w = x->dims[3], s = z.constant(block);
  Expr c = z.floorDiv(x->dims[1], block * block);
  bool depthFirst = mode == "DCR";
  TRY(Tensor split, depthFirst ? reshape(b, x, {n, s, s, c, h, w})
                               : reshape(b, x, {n, c, s, s, h, w}));
  TRY(Tensor moved, depthFirst ? transpose(b, split, {0, 3, 4, 1, 5, 2})
                               : transpose(b, split, {0, 1, 4, 2, 5, 3}));
  return node.done(reshape(b, moved, {n, c, z.mul(h, block), z.mul(w, block)}));
}

LogicalResult importSpaceToDepth(Node &node) {
  GraphBuilder &b = node.b;
  Sizes &z = b.sizes;
  TRY(Tensor x, node.input(0));
  TRY(int64_t block, blockSize(node, x));
  Expr n = x->dims[0], c = x->dims[1], s = z.constant(block);
  Expr h = z.floorDiv(x->dims[2], block), w = z.floorDiv(x->dims[3], block);
  TRY(Tensor split, reshape(b, x, {n, c, h, s, w, s}));
  TRY(Tensor moved, transpose(b, split, {0, 3, 5, 1, 2, 4}));
  return node.done(reshape(b, moved, {n, z.mul(c, block * block), h, w}));
}

LogicalResult importTrilu(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  if (failed(expectRank(node.b, x, 2, "the input")))
    return failure();
  TRY(bool upper, node.attributes.flag("upper", true));
  Expr k = b.zero();
  if (node.hasInput(1)) {
    TRY(k, oneOf(node, 1, "k"));
  }
  // A diagonal outside of every matrix, so that row + k does not wrap.
  if (auto constant = constantOf(k))
    k = b.sizes.constant(std::clamp(*constant, -maximumBytes, maximumBytes));
  Operand operand{x, {}};
  for (int64_t i = 0; i < x->rank(); ++i)
    operand.at.push_back(b.loop(i));
  return node.done(gather(
      b, {operand}, x->dims, x->element, [&](Scalar &s, ArrayRef<Value> v) {
        Scalar t(s.builder, s.loc);
        Value row = s.loop(x->rank() - 2), column = s.loop(x->rank() - 1);
        Value edge = s.add(row, b.index(k));
        Value keep = upper ? t.ge(column, edge) : t.le(column, edge);
        return s.select(keep, v[0], s.like(v[0], 0));
      }));
}

} // namespace

void addMovementOps(OpTable &t) {
  t.add("Transpose", 1, importTranspose);
  t.add("Concat", 1, importConcat);
  t.add("Slice", 1, importSlice, "bounds known at import, steps constant");
  t.add("Split", 1, importSplit, "sizes known at import");
  t.add("Pad", 1, importPad, "amounts known at import, value constant");
  t.add("Tile", 6, importTile, "repeats known at import");
  t.add("DepthToSpace", 1, importDepthToSpace);
  t.add("SpaceToDepth", 1, importSpaceToDepth);
  t.add("Trilu", 14, importTrilu, "k known at import");
}

} // namespace tilewright::onnx
