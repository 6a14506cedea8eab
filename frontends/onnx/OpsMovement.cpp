// Data movement: transposes, slices, joins, padding.
#include "frontends/onnx/Readers.h"
#include "graph/build/Blocks.h"
#include "graph/build/Constants.h"
#include "graph/build/Movement.h"
#include "graph/build/Pad.h"
#include "graph/build/Slice.h"

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

LogicalResult importConcat(Node &node) {
  TRY(SmallVector<Tensor> tensors, node.inputs());
  if (failed(expectRank(node.b, tensors[0], 1, "input 0")))
    return failure();
  TRY(int64_t axis, axisAttribute(node, 1, tensors[0]->rank()));
  return node.done(join(node.b, tensors, axis));
}

LogicalResult importSlice(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  SmallVector<Expr> starts, ends, steps;
  SmallVector<int64_t> axes;
  if (node.opset < 10) {
    TRY(SmallVector<int64_t> firsts, node.attributes.integers("starts"));
    starts = exprsOf(b.sizes, firsts);
    TRY(SmallVector<int64_t> lasts, node.attributes.integers("ends"));
    ends = exprsOf(b.sizes, lasts);
    TRY(axes, node.attributes.integers("axes"));
  } else {
    TRY(starts, sizesOf(node, 1, "starts"));
    TRY(ends, sizesOf(node, 2, "ends"));
    if (node.hasInput(3)) {
      TRY(axes, integersOf(node, 3, "axes"));
    }
    if (node.hasInput(4)) {
      TRY(steps, sizesOf(node, 4, "steps"));
    }
  }
  if (axes.empty())
    for (size_t i = 0; i < starts.size(); ++i)
      axes.push_back(i);
  if (steps.empty())
    steps.assign(axes.size(), b.sizes.constant(1));
  if (starts.size() != axes.size() || ends.size() != axes.size() ||
      steps.size() != axes.size())
    return node.fail("starts, ends, axes and steps have " +
                     Twine(starts.size()) + ", " + Twine(ends.size()) + ", " +
                     Twine(axes.size()) + " and " + Twine(steps.size()) +
                     " values");
  SmallVector<SliceBounds> bounds;
  for (size_t i = 0; i < axes.size(); ++i) {
    TRY(int64_t axis, axisOf(b, axes[i], x->rank()));
    bounds.push_back({axis, starts[i], ends[i], steps[i]});
  }
  return node.done(sliceBounds(b, x, bounds));
}

LogicalResult importSplit(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(int64_t axis, axisAttribute(node, 0, x->rank()));
  Expr size = x->dims[axis];
  SmallVector<Expr> lengths;
  if (node.opset >= 13 && node.hasInput(1)) {
    TRY(lengths, sizesOf(node, 1, "split", 0));
  } else if (node.opset < 13 && node.attributes.has("split")) {
    TRY(SmallVector<int64_t> split, node.attributes.integers("split"));
    lengths = exprsOf(b.sizes, split);
  } else {
    // Equal, except for the last since opset 18.
    TRY(int64_t count,
        node.attributes.integer("num_outputs", node.numOutputs()));
    TRY(lengths, equalParts(b, size, count, /*roundsUp=*/node.opset >= 18));
  }
  TRY(SmallVector<Tensor> parts,
      splitAlong(b, x, axis, lengths, node.numOutputs()));
  for (auto [i, part] : llvm::enumerate(parts))
    if (failed(node.set(i, part)))
      return failure();
  return success();
}

LogicalResult importPad(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  int64_t rank = x->rank();
  SmallVector<Expr> pads;
  SmallVector<int64_t> axes = axesFrom(0, rank);
  Tensor value;
  double number = 0;
  if (node.opset < 11) {
    StringRef name = node.attributes.has("pads") ? "pads" : "paddings";
    TRY(SmallVector<int64_t> counts, node.attributes.integers(name));
    pads = exprsOf(b.sizes, counts);
    TRY(number, node.attributes.number("value", 0));
  } else {
    TRY(pads, sizesOf(node, 1, "pads"));
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
  if (mode == "edge")
    return node.done(padRepeating(b, x, low, high, PadMode::Edge));
  if (mode == "reflect")
    return node.done(padRepeating(b, x, low, high, PadMode::Reflect));
  if (mode == "wrap")
    return node.done(padRepeating(b, x, low, high, PadMode::Wrap));
  if (mode != "constant")
    return node.fail("attribute 'mode' is '" + mode +
                     "', expected constant, edge, reflect or wrap");
  if (value && !value->constant)
    return failUnknown(node, 2, "the padding value");
  if (value &&
      (countOf(*value).value_or(0) < 1 || value->element != x->element))
    return node.fail("the padding value has type " + dtypeName(value->element) +
                     ", the input " + dtypeName(x->element));
  mlir::TypedAttr constant =
      value ? scalarAttr(*value, 0) : constantAttr(b, x->element, number);
  return node.done(padOrCrop(b, x, low, high, constant));
}

LogicalResult importTile(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  TRY(SmallVector<Expr> repeats, sizesOf(node, 1, "repeats", 0));
  if (int64_t(repeats.size()) != x->rank())
    return node.fail("repeats has " + Twine(repeats.size()) +
                     " values, the input has shape " + b.sizes.str(x->dims));
  return node.done(repeat(b, x, repeats));
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
  TRY(Tensor x, node.input(0));
  TRY(int64_t block, blockSize(node, x));
  TRY(std::string mode, node.attributes.string("mode", "DCR"));
  if (mode != "DCR" && mode != "CRD")
    return node.fail("attribute 'mode' is '" + mode + "', expected DCR or CRD");
  return node.done(
      depthToSpace(node.b, x, block, /*blocksFirst=*/mode == "DCR"));
}

LogicalResult importSpaceToDepth(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(int64_t block, blockSize(node, x));
  return node.done(spaceToDepth(node.b, x, block));
}

LogicalResult importTrilu(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor x, node.input(0));
  if (failed(expectRank(node.b, x, 2, "the input")))
    return failure();
  TRY(bool upper, node.attributes.flag("upper", true));
  Expr k = b.zero();
  if (node.hasInput(1)) {
    TRY(k, sizeOf(node, 1, "k"));
  }
  return node.done(triangle(b, x, k, upper));
}

} // namespace

void addMovementOps(OpTable &t) {
  t.add("Transpose", 1, importTranspose);
  t.add("Concat", 1, importConcat);
  t.add("Slice", 1, importSlice, "axes constant");
  t.add("Split", 1, importSplit);
  t.add("Pad", 1, importPad, "axes and value constant");
  t.add("Tile", 6, importTile);
  t.add("DepthToSpace", 1, importDepthToSpace);
  t.add("SpaceToDepth", 1, importSpaceToDepth);
  t.add("Trilu", 14, importTrilu);
}

} // namespace tilewright::onnx
