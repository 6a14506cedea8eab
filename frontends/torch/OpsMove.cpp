// Copies: joins, padding, rearrangements, conversions, writes.
#include "frontends/torch/Promotion.h"
#include "frontends/torch/Views.h"
#include "graph/build/Blocks.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Dimensions.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Generic.h"
#include "graph/build/Logic.h"
#include "graph/build/Movement.h"
#include "graph/build/Pad.h"
#include "graph/build/TensorValues.h"

using namespace mlir;

namespace tilewright::torch {
namespace {

LogicalResult importClone(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  return c.set(0, x);
}

/// To another type; the tensor itself if it has that and no copy is asked for.
LogicalResult importTo(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Element out, c.resultElement());
  bool copies = StringRef(c.target).starts_with("aten._to_copy");
  if (c.find("copy")) {
    TRY(copies, c.flag("copy"));
  }
  if (x->element == out && !copies)
    return c.setAlias("self");
  return c.done(convert(c.b, x, out));
}

LogicalResult importCopy(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor from, c.tensor("src"));
  TRY(from, convert(c.b, from, x->element));
  return c.done(broadcastTo(c.b, from, x->dims));
}

/// One value for all elements.
LogicalResult importFill(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  Tensor value;
  if (StringRef(c.target).starts_with("aten.zero")) {
    value = scalarConstant(c.b, x->element, 0);
  } else {
    TRY(Term term, termOf(c, "value"));
    value = term.tensor;
  }
  TRY(value, convert(c.b, value, x->element));
  return c.done(broadcastTo(c.b, value, x->dims));
}

/// Empty vectors are left out, whatever their shape.
LogicalResult importCat(Call &c) {
  TRY(SmallVector<Tensor> given, c.tensors("tensors"));
  TRY(Element out, c.resultElement());
  TRY(Dims dims, c.dims());
  SmallVector<Tensor> parts;
  for (const Tensor &each : given) {
    if (each->rank() == 1 && isConst(each->dims[0], 0) && dims.size() != 1)
      continue;
    TRY(Tensor part, convert(c.b, each, out));
    parts.push_back(part);
  }
  if (parts.empty())
    return c.fail("expected tensors");
  TRY(int64_t axis, c.axis("dim", parts[0]->rank()));
  return c.done(join(c.b, parts, axis));
}

LogicalResult importStack(Call &c) {
  TRY(SmallVector<Tensor> parts, c.tensors("tensors"));
  TRY(Element out, c.resultElement());
  if (parts.empty())
    return c.fail("expected tensors");
  int64_t rank = parts[0]->rank();
  TRY(int64_t axis, c.axis("dim", rank + 1));
  for (Tensor &part : parts) {
    if (part->rank() != rank)
      return c.fail("its tensors have different numbers of dimensions");
    TRY(part, convert(c.b, part, out));
    SmallVector<int64_t> kept;
    for (int64_t i = 0; i <= rank; ++i)
      kept.push_back(i == axis ? -1 : i < axis ? i : i - 1);
    part = rearrange(c.b, part, kept);
  }
  return c.done(join(c.b, parts, axis));
}

/// Amounts before and after the last dimensions, the last one first.
FailureOr<std::pair<Dims, Dims>> readPadding(Call &c, StringRef name,
                                             int64_t rank) {
  TRY(SmallVector<Expr> amounts, c.sizes(name));
  if (amounts.size() % 2 != 0 || int64_t(amounts.size()) > 2 * rank)
    return c.fail("argument '" + name + "' has " + llvm::Twine(amounts.size()) +
                  " values");
  Dims low(rank, c.b.zero()), high(rank, c.b.zero());
  for (size_t i = 0; i < amounts.size() / 2; ++i) {
    low[rank - 1 - i] = amounts[2 * i];
    high[rank - 1 - i] = amounts[2 * i + 1];
  }
  return std::pair(low, high);
}

LogicalResult padConstant(Call &c, double value) {
  TRY(Tensor x, c.tensor("self"));
  TRY(auto amounts, readPadding(c, "pad", x->rank()));
  return c.done(padOrCrop(c.b, x, amounts.first, amounts.second,
                          constantAttr(c.b, x->element, value)));
}

LogicalResult padByMode(Call &c, StringRef name, PadMode mode) {
  TRY(Tensor x, c.tensor("self"));
  TRY(auto amounts, readPadding(c, name, x->rank()));
  return c.done(padRepeating(c.b, x, amounts.first, amounts.second, mode));
}

LogicalResult importConstantPad(Call &c) {
  TRY(double value, c.number("value"));
  return padConstant(c, value);
}

LogicalResult importPad(Call &c) {
  TRY(std::string mode, c.text("mode"));
  if (mode == "constant") {
    double value = 0;
    if (!c.isNone("value")) {
      TRY(value, c.number("value"));
    }
    return padConstant(c, value);
  }
  if (mode == "reflect")
    return padByMode(c, "pad", PadMode::Reflect);
  return padByMode(c, "pad",
                   mode == "circular" ? PadMode::Wrap : PadMode::Edge);
}

template <PadMode mode> LogicalResult importRepeatingPad(Call &c) {
  return padByMode(c, "padding", mode);
}

LogicalResult importRepeat(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(SmallVector<Expr> repeats,
      c.sizes(c.find("repeats") ? "repeats" : "dims"));
  int64_t rank = std::max<int64_t>(repeats.size(), x->rank());
  repeats.insert(repeats.begin(), rank - repeats.size(), c.b.sizes.constant(1));
  SmallVector<int64_t> kept(rank - x->rank(), -1);
  for (int64_t i = 0; i < x->rank(); ++i)
    kept.push_back(i);
  return c.done(repeat(c.b, rearrange(c.b, x, kept), repeats));
}

/// Each element `repeats` times along a dimension.
LogicalResult importRepeatInterleave(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("self"));
  TRY(Expr repeats, c.size("repeats"));
  int64_t axis = 0;
  if (c.isNone("dim")) {
    TRY(x, reshape(b, x, {b.sizes.product(x->dims)}));
  } else {
    TRY(axis, c.axis("dim", x->rank()));
  }
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < x->rank(); ++i) {
    kept.push_back(i);
    if (i == axis)
      kept.push_back(-1);
  }
  Tensor wide = rearrange(b, x, kept);
  Dims dims = wide->dims;
  dims[axis + 1] = repeats;
  TRY(wide, broadcastTo(b, wide, dims));
  Dims out = x->dims;
  out[axis] = b.sizes.mul(out[axis], repeats);
  return c.done(reshape(b, wide, out));
}

FailureOr<Tensor> flipped(GraphBuilder &b, const Tensor &x,
                          ArrayRef<int64_t> axes) {
  denseValue(b, x);
  return gather(b, {}, x->dims, x->element, [&](Scalar &s, Values) {
    SmallVector<Value> at;
    for (int64_t i = 0; i < x->rank(); ++i) {
      Value position = s.loop(i);
      if (llvm::is_contained(axes, i))
        position = s.sub(b.index(b.sizes.add(x->dims[i], -1)), position);
      at.push_back(position);
    }
    return extractElement(b, s, x, at);
  });
}

LogicalResult importFlip(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  SmallVector<int64_t> given;
  if (c.find("dims")) {
    TRY(given, c.integers("dims"));
  } else {
    given.push_back(StringRef(c.target).starts_with("aten.fliplr"));
  }
  TRY(SmallVector<int64_t> axes, axesOf(c.b, given, x->rank()));
  return c.done(flipped(c.b, x, axes));
}

/// The plane of two dimensions, turned k times from the first to the second.
LogicalResult importRotate(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(int64_t k, c.integer("k"));
  TRY(SmallVector<int64_t> plane, c.integers("dims"));
  if (plane.size() != 2)
    return c.fail("argument 'dims' has " + llvm::Twine(plane.size()) +
                  " values, expected 2");
  for (int64_t &axis : plane) {
    TRY(axis, axisOf(c.b, axis, x->rank()));
  }
  k = (k % 4 + 4) % 4;
  if (k == 2)
    return c.done(flipped(c.b, x, plane));
  if (k == 0)
    return c.set(0, x);
  SmallVector<int64_t> order = axesFrom(0, x->rank());
  std::swap(order[plane[0]], order[plane[1]]);
  TRY(Tensor turned, flipped(c.b, x, {plane[k == 1 ? 1 : 0]}));
  return c.done(transpose(c.b, turned, order));
}

/// Elements move by `shift` along an axis, and from its end to its beginning.
FailureOr<Tensor> rolled(GraphBuilder &b, const Tensor &x, int64_t axis,
                         Expr shift) {
  Expr size = x->dims[axis];
  if (isConst(size, 0))
    return x;
  Expr start = b.sizes.mod(b.sizes.mul(shift, -1), size);
  if (isConst(start, 0))
    return x;
  TRY(Tensor tail, readStrip(b, x, {axis, start, b.sizes.sub(size, start), 1}));
  TRY(Tensor head, readStrip(b, x, {axis, b.zero(), start, 1}));
  return concat(b, {tail, head}, axis);
}

LogicalResult importRoll(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(SmallVector<Expr> shifts, c.sizes("shifts"));
  TRY(SmallVector<int64_t> axes, c.integers("dims"));
  Dims dims = x->dims;
  if (axes.empty()) {
    TRY(x, reshape(c.b, x, {c.b.sizes.product(dims)}));
    axes.push_back(0);
  }
  if (axes.size() != shifts.size())
    return c.fail("expected as many shifts as dimensions");
  for (auto [axis, shift] : llvm::zip(axes, shifts)) {
    TRY(int64_t at, axisOf(c.b, axis, x->rank()));
    TRY(x, rolled(c.b, x, at, shift));
  }
  return c.done(reshape(c.b, x, dims));
}

/// The first half of these dimensions, or all, after the second one.
template <bool inverse> LogicalResult importHalfShift(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  SmallVector<int64_t> axes;
  TRY(axes, c.axes("dim", x->rank()));
  Sizes &z = c.b.sizes;
  for (int64_t axis : axes) {
    Expr size = x->dims[axis];
    TRY(x, rolled(c.b, x, axis,
                  inverse ? z.ceilDiv(size, 2) : z.floorDiv(size, 2)));
  }
  return c.set(0, x);
}

template <bool upper> LogicalResult importTriangle(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  if (failed(expectRank(c.b, x, 2, "the input")))
    return failure();
  TRY(Expr k, c.size("diagonal"));
  return c.done(triangle(c.b, x, k, upper));
}

LogicalResult importSliceScatter(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor from, c.tensor("src"));
  TRY(Strip strip, stripOf(c, x));
  if (from->rank() == x->rank())
    strip.length = from->dims[strip.axis];
  return c.done(overwriteStrip(c.b, x, from, strip));
}

LogicalResult importSelectScatter(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor from, c.tensor("src"));
  TRY(int64_t axis, c.axis("dim", x->rank()));
  if (from->rank() != x->rank() - 1)
    return c.fail("writes " + c.b.sizes.str(from->dims) + " to a part of " +
                  c.b.sizes.str(x->dims));
  TRY(Expr at, c.size("index"));
  if (auto constant = constantOf(at); constant && *constant < 0)
    at = c.b.sizes.add(x->dims[axis], *constant);
  View view = selectedView(c.b, x, axis, at);
  return c.done(view.write(x, from));
}

/// Each tensor with the shape that all broadcast to.
LogicalResult importBroadcast(Call &c) {
  TRY(SmallVector<Tensor> tensors, c.tensors("tensors"));
  TRY(Dims dims, broadcastDims(c.b, tensors));
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    TRY(Tensor whole, broadcastTo(c.b, tensor, dims));
    if (failed(c.set(i, whole)))
      return failure();
  }
  return success();
}

/// Vector i along dimension i of a grid; the first two change places in "xy".
LogicalResult importMeshgrid(Call &c) {
  TRY(SmallVector<Tensor> tensors, c.tensors("tensors"));
  bool isSwapped = false;
  if (!c.isNone("indexing")) {
    TRY(std::string order, c.text("indexing"));
    isSwapped = order == "xy" && tensors.size() > 1;
  }
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    size_t place = isSwapped && i < 2 ? 1 - i : i;
    SmallVector<int64_t> kept(tensors.size(), -1);
    if (tensor->rank() == 1)
      kept[place] = 0;
    TRY(Dims dims, c.dims(i));
    TRY(Tensor whole, broadcastTo(c.b, rearrange(c.b, tensor, kept), dims));
    if (failed(c.set(i, whole)))
      return failure();
  }
  return success();
}

/// Differences of neighbours, n times.
LogicalResult importDiff(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("self"));
  TRY(int64_t count, c.integer("n"));
  if (x->rank() == 0)
    return c.fail("expected at least one dimension");
  TRY(int64_t axis, c.axis("dim", x->rank()));
  TRY(Tensor before, c.optionalTensor("prepend"));
  TRY(Tensor after, c.optionalTensor("append"));
  SmallVector<Tensor> parts;
  for (const Tensor &part : {before, x, after})
    if (part)
      parts.push_back(part);
  TRY(x, join(b, parts, axis));
  for (int64_t i = 0; i < count; ++i) {
    Expr rest = b.sizes.add(x->dims[axis], -1);
    TRY(Tensor left, readStrip(b, x, {axis, b.zero(), rest, 1}));
    TRY(Tensor right, readStrip(b, x, {axis, b.sizes.constant(1), rest, 1}));
    if (x->element.isBool()) {
      TRY(x, combineBits(b, Bitwise::Xor, right, left));
    } else {
      TRY(x, arithmetic(b, Arithmetic::Subtract, right, left));
    }
  }
  return c.set(0, x);
}

/// [N, C * r^2, H, W] as [N, C, H * r, W * r], and back.
template <bool shuffles> LogicalResult importPixelShuffle(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  if (x->rank() != 4)
    return c.fail("the input has shape " + c.b.sizes.str(x->dims) +
                  ", expected four dimensions");
  TRY(int64_t r, c.integer(shuffles ? "upscale_factor" : "downscale_factor"));
  if (shuffles)
    return c.done(depthToSpace(c.b, x, r, /*blocksFirst=*/false));
  // The channel of the input is the slow one.
  Sizes &z = c.b.sizes;
  Expr f = z.constant(r), h = z.floorDiv(x->dims[2], r),
       w = z.floorDiv(x->dims[3], r);
  TRY(Tensor split, reshape(c.b, x, {x->dims[0], x->dims[1], h, f, w, f}));
  TRY(Tensor moved, transpose(c.b, split, {0, 1, 3, 5, 2, 4}));
  return c.done(
      reshape(c.b, moved, {x->dims[0], z.mul(x->dims[1], r * r), h, w}));
}

} // namespace

void addMoveOps(OpTable &t) {
  t.add({"aten.clone.default", "aten.lift_fresh_copy.default"}, importClone);
  t.add({"aten.to.dtype", "aten.to.dtype_layout", "aten.to.device",
         "aten.to.other", "aten.type_as.default", "aten._to_copy.default"},
        importTo);
  t.add("aten.copy.default", importCopy);
  t.add({"aten.fill.Scalar", "aten.fill.Tensor", "aten.zero.default"},
        importFill);
  t.add({"aten.cat.default", "aten.concat.default"}, importCat);
  t.add("aten.stack.default", importStack);
  t.add("aten.constant_pad_nd.default", importConstantPad);
  t.add("aten.pad.default", importPad);
  t.add({"aten.reflection_pad1d.default", "aten.reflection_pad2d.default",
         "aten.reflection_pad3d.default"},
        importRepeatingPad<PadMode::Reflect>);
  t.add({"aten.replication_pad1d.default", "aten.replication_pad2d.default",
         "aten.replication_pad3d.default"},
        importRepeatingPad<PadMode::Edge>);
  t.add({"aten.repeat.default", "aten.tile.default"}, importRepeat);
  t.add("aten.repeat_interleave.self_int", importRepeatInterleave);
  t.add("aten.broadcast_tensors.default", importBroadcast);
  t.add({"aten.meshgrid.default", "aten.meshgrid.indexing"}, importMeshgrid);
  t.add("aten.diff.default", importDiff);
  t.add({"aten.flip.default", "aten.fliplr.default", "aten.flipud.default"},
        importFlip);
  t.add("aten.rot90.default", importRotate);
  t.add("aten.roll.default", importRoll);
  t.add("aten.fft_fftshift.default", importHalfShift<false>);
  t.add("aten.fft_ifftshift.default", importHalfShift<true>);
  t.add("aten.tril.default", importTriangle<false>);
  t.add("aten.triu.default", importTriangle<true>);
  t.add("aten.slice_scatter.default", importSliceScatter);
  t.add("aten.select_scatter.default", importSelectScatter);
  t.add("aten.pixel_shuffle.default", importPixelShuffle<true>);
  t.add("aten.pixel_unshuffle.default", importPixelShuffle<false>);
}

} // namespace tilewright::torch
