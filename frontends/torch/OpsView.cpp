// Views: the elements of another tensor in another shape, order or number.
#include "frontends/torch/Views.h"
#include "graph/build/Arrange.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Dimensions.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/Scatter.h"
#include "graph/build/TensorValues.h"

#include <numeric>

using namespace mlir;

namespace tilewright::torch {
namespace {

/// The result has the shape that the program says.
LogicalResult importReshape(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Dims dims, c.dims());
  return c.setView(0, "self", reshapedView(c.b, x->dims, dims));
}

/// The same, or a copy where the elements are not in order.
LogicalResult importReshapeOrCopy(Call &c) {
  const TensorMeta *meta = c.meta("self");
  if (!meta || isRowMajor(*meta))
    return importReshape(c);
  TRY(Tensor x, c.tensor("self"));
  TRY(Dims dims, c.dims());
  return c.done(reshape(c.b, x, dims));
}

LogicalResult importPermute(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(SmallVector<int64_t> order, c.integers("dims"));
  if (int64_t(order.size()) != x->rank())
    return c.fail("argument 'dims' has " + llvm::Twine(order.size()) +
                  " values, expected " + llvm::Twine(x->rank()));
  for (int64_t &axis : order) {
    TRY(axis, axisOf(c.b, axis, x->rank()));
  }
  return c.setView(0, "self", permutedView(c.b, order));
}

LogicalResult exchange(Call &c, int64_t rank, int64_t first, int64_t second) {
  SmallVector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (rank > 0)
    std::swap(order[first], order[second]);
  return c.setView(0, "self", permutedView(c.b, order));
}

LogicalResult importTranspose(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  if (x->rank() == 0)
    return exchange(c, 0, 0, 0);
  StringRef names[] = {"dim0", "dim1"};
  if (!c.find("dim0"))
    names[0] = "axis0", names[1] = "axis1";
  TRY(int64_t first, c.axis(names[0], x->rank()));
  TRY(int64_t second, c.axis(names[1], x->rank()));
  return exchange(c, x->rank(), first, second);
}

/// The transposed matrix; vectors and numbers stay.
LogicalResult importMatrixTranspose(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  int64_t rank = x->rank();
  return rank < 2 ? exchange(c, rank, 0, 0)
                  : exchange(c, rank, rank - 2, rank - 1);
}

/// Some dimensions at other positions; the rest keep their order.
LogicalResult importMoveDim(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(SmallVector<int64_t> from, c.integers("source"));
  TRY(SmallVector<int64_t> to, c.integers("destination"));
  SmallVector<int64_t> order(x->rank(), -1);
  if (from.size() != to.size())
    return c.fail("expected as many destinations as sources");
  for (auto [source, destination] : llvm::zip(from, to)) {
    TRY(source, axisOf(c.b, source, x->rank()));
    TRY(int64_t at, axisOf(c.b, destination, x->rank()));
    order[at] = source;
  }
  int64_t next = 0;
  for (int64_t &each : order) {
    if (each >= 0)
      continue;
    while (llvm::is_contained(from, next))
      ++next;
    each = next++;
  }
  return c.setView(0, "self", permutedView(c.b, order));
}

/// All dimensions in the reverse order.
LogicalResult importReversed(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  SmallVector<int64_t> order(x->rank());
  std::iota(order.rbegin(), order.rend(), 0);
  return c.setView(0, "self", permutedView(c.b, order));
}

LogicalResult importSlice(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Strip strip, stripOf(c, x));
  TRY(Dims dims, c.dims());
  // The program knows more of its sizes.
  if (!constantOf(strip.length) && dims.size() == x->dims.size())
    strip.length = dims[strip.axis];
  return c.setView(0, "self", stripView(c.b, strip));
}

LogicalResult importNarrow(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  Strip strip;
  TRY(strip.axis, c.axis("dim", x->rank()));
  TRY(strip.start, c.size("start"));
  TRY(strip.length, c.size("length"));
  if (auto start = constantOf(strip.start); start && *start < 0)
    strip.start = c.b.sizes.add(x->dims[strip.axis], *start);
  return c.setView(0, "self", stripView(c.b, strip));
}

LogicalResult importSelect(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  if (x->rank() == 0)
    return c.fail("selects from a tensor without dimensions");
  TRY(int64_t axis, c.axis("dim", x->rank()));
  TRY(Expr at, c.size("index"));
  Expr size = x->dims[axis];
  if (auto constant = constantOf(at)) {
    auto most = constantOf(size);
    if (most && (*constant < -*most || *constant >= *most))
      return c.fail("index " + llvm::Twine(*constant) +
                    " is outside of dimension " + llvm::Twine(axis) + " of " +
                    c.b.sizes.str(x->dims));
    if (*constant < 0)
      at = c.b.sizes.add(size, *constant);
  }
  checkAtMost(c.b, c.b.sizes.add(at, 1), size,
              "an index is outside of a dimension");
  return c.setView(0, "self", selectedView(c.b, x, axis, at));
}

/// Parts of these lengths, one after the other.
LogicalResult setParts(Call &c, int64_t axis, ArrayRef<Expr> lengths) {
  Expr start = c.b.zero();
  for (auto [i, length] : llvm::enumerate(lengths)) {
    if (i < c.numResults() &&
        failed(c.setView(i, "self", stripView(c.b, {axis, start, length, 1}))))
      return failure();
    start = c.b.sizes.add(start, length);
  }
  return success();
}

/// The program says how long the parts are.
LogicalResult splitAs(Call &c, const Tensor &x, int64_t axis) {
  SmallVector<Expr> lengths;
  for (size_t i = 0; i < c.numResults(); ++i) {
    TRY(Dims dims, c.dims(i));
    if (int64_t(dims.size()) != x->rank())
      return c.fail("its results have other dimensions than its input");
    lengths.push_back(dims[axis]);
  }
  return setParts(c, axis, lengths);
}

LogicalResult importSplit(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(int64_t axis, c.axis("dim", x->rank()));
  return splitAs(c, x, axis);
}

/// hsplit, vsplit and dsplit: along dimension 1 (0 of vectors), 0 and 2.
LogicalResult importSplitByName(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  StringRef name = c.target;
  int64_t axis = name.contains("hsplit")   ? std::min<int64_t>(x->rank() - 1, 1)
                 : name.contains("vsplit") ? 0
                                           : 2;
  return splitAs(c, x, axis);
}

LogicalResult importUnbind(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  if (x->rank() == 0)
    return c.fail("unbinds a tensor without dimensions");
  TRY(int64_t axis, c.axis("dim", x->rank()));
  for (size_t i = 0; i < c.numResults(); ++i)
    if (failed(c.setView(i, "self",
                         selectedView(c.b, x, axis, c.b.sizes.constant(i)))))
      return failure();
  return success();
}

LogicalResult importExpand(Call &c) {
  TRY(Dims dims, c.dims());
  GraphBuilder &b = c.b;
  return c.setView(
      0, "self",
      {[&b, dims](const Tensor &base) { return broadcastTo(b, base, dims); },
       nullptr});
}

/// [..., i, ..., k] = x[..., i * step + k, ...].
LogicalResult importUnfold(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("self"));
  if (x->rank() == 0)
    return importReshape(c);
  TRY(int64_t axis, c.axis("dimension", x->rank()));
  TRY(int64_t step, c.integer("step"));
  TRY(Dims dims, c.dims());
  if (int64_t(dims.size()) != x->rank() + 1)
    return c.fail("expected a result with one dimension more than " +
                  b.sizes.str(x->dims));
  return c.setView(
      0, "self",
      {[=, &b](const Tensor &base) {
         denseValue(b, base);
         return gather(b, {}, dims, base->element, [&](Scalar &s, Values) {
           SmallVector<Value> at;
           for (int64_t i = 0; i < base->rank(); ++i)
             at.push_back(s.loop(i));
           at[axis] =
               s.add(s.mul(at[axis], s.index(step)), s.loop(dims.size() - 1));
           return extractElement(b, s, base, at, /*isPart=*/true);
         });
       },
       nullptr});
}

/// Elements of the memory of a tensor in row-major order, at these strides. In
/// that order again, they are a reshape.
FailureOr<View> stridedView(Call &c, const Tensor &x) {
  GraphBuilder &b = c.b;
  Sizes &z = b.sizes;
  TRY(SmallVector<Expr> dims, c.sizes("size"));
  TRY(SmallVector<Expr> strides, c.sizes("stride"));
  Expr offset = b.zero();
  if (!c.isNone("storage_offset")) {
    TRY(offset, c.size("storage_offset"));
  }
  const TensorMeta *meta = c.meta("self");
  if (!meta || !isRowMajor(*meta) || strides.size() != dims.size())
    return c.fail("expected a tensor whose elements are in row-major order, "
                  "and as many strides as sizes");
  Expr expected = z.constant(1);
  bool isReshape = isConst(offset, 0) && z.product(dims) == z.product(x->dims);
  for (size_t i = dims.size(); i-- > 0;) {
    isReshape &= isConst(dims[i], 1) || strides[i] == expected;
    expected = z.mul(expected, dims[i]);
  }
  if (isReshape)
    return reshapedView(b, x->dims, dims);
  Expr count = z.product(x->dims), last = offset;
  for (auto [dim, stride] : llvm::zip(dims, strides))
    last = z.add(last, z.mul(z.add(dim, -1), stride));
  checkAtMost(b, z.add(last, 1), count, "strides leave the tensor's memory");
  auto positionOf = [=, &b](Scalar &s) {
    Value at = b.index(offset);
    for (auto [i, stride] : llvm::enumerate(strides))
      at = s.add(at, s.mul(s.loop(i), b.index(stride)));
    return at;
  };
  auto read = [=, &b](const Tensor &base) -> FailureOr<Tensor> {
    TRY(Tensor flat, reshape(b, base, {count}));
    denseValue(b, flat);
    return gather(b, {}, dims, base->element, [&](Scalar &s, Values) {
      return extractElement(b, s, flat, {positionOf(s)}, /*isPart=*/true);
    });
  };
  auto write = [=, &b](const Tensor &base,
                       const Tensor &value) -> FailureOr<Tensor> {
    TRY(Tensor positions, gather(b, {}, dims, i64(b), [&](Scalar &s, Values) {
          return s.fromIndex(positionOf(s), s.builder.getI64Type());
        }));
    Expr written = b.sizes.product(dims);
    TRY(Tensor flat, reshape(b, base, {count}));
    TRY(positions, reshape(b, positions, {written}));
    TRY(Tensor values, reshape(b, value, {written}));
    TRY(flat, scatterElements(b, flat, positions, values, 0,
                              ScatterReduction::Replace));
    return reshape(b, flat, base->dims);
  };
  return View{read, write};
}

LogicalResult importStrided(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(View view, stridedView(c, x));
  return c.setView(0, "self", view);
}

LogicalResult importStridedScatter(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor from, c.tensor("src"));
  TRY(View view, stridedView(c, x));
  TRY(from, convert(c.b, from, x->element));
  return c.done(view.write(x, from));
}

/// The tensor itself: nothing is copied.
LogicalResult importAlias(Call &c) {
  return c.setAlias(c.find("self") ? "self" : "input");
}

LogicalResult importContiguous(Call &c) {
  const TensorMeta *meta = c.meta("self");
  if (!meta || isRowMajor(*meta))
    return importAlias(c);
  TRY(Tensor x, c.tensor("self"));
  return c.set(0, x);
}

LogicalResult importDropout(Call &c) {
  if (c.find("train")) {
    TRY(bool trains, c.flag("train"));
    if (trains)
      return c.fail("random numbers are not supported: expected the program of "
                    "a model in evaluation mode");
  }
  return importAlias(c);
}

LogicalResult importBitCast(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Element out, c.resultElement());
  return c.done(bitCast(c.b, x, out));
}

} // namespace

void addViewOps(OpTable &t) {
  t.add({"aten.view.default", "aten._unsafe_view.default",
         "aten.unsqueeze.default", "aten.squeeze.default", "aten.squeeze.dim",
         "aten.squeeze.dims", "aten.unflatten.int", "aten.view_as.default"},
        importReshape);
  t.add({"aten.reshape.default", "aten.flatten.using_ints",
         "aten.reshape_as.default", "aten._reshape_alias.default",
         "aten.ravel.default"},
        importReshapeOrCopy);
  t.add("aten.permute.default", importPermute);
  t.add({"aten.transpose.int", "aten.swapaxes.default"}, importTranspose);
  t.add({"aten.t.default", "aten.mT.default", "aten.mH.default",
         "aten.matrix_H.default", "aten.adjoint.default"},
        importMatrixTranspose);
  t.add("aten.numpy_T.default", importReversed);
  t.add({"aten.movedim.int", "aten.movedim.intlist"}, importMoveDim);
  t.add("aten.slice.Tensor", importSlice);
  t.add("aten.narrow.default", importNarrow);
  t.add("aten.select.int", importSelect);
  t.add({"aten.split.Tensor", "aten.split.sizes",
         "aten.split_with_sizes.default", "aten.chunk.default",
         "aten.unsafe_chunk.default", "aten.unsafe_split.Tensor",
         "aten.unsafe_split_with_sizes.default", "aten.tensor_split.sections",
         "aten.tensor_split.indices"},
        importSplit);
  t.add({"aten.hsplit.int", "aten.hsplit.array", "aten.vsplit.int",
         "aten.vsplit.array", "aten.dsplit.int", "aten.dsplit.array"},
        importSplitByName);
  t.add("aten.unbind.int", importUnbind);
  t.add({"aten.expand.default", "aten.expand_as.default",
         "aten.broadcast_to.default"},
        importExpand);
  t.add("aten.unfold.default", importUnfold);
  t.add("aten.as_strided.default", importStrided);
  t.add("aten.as_strided_scatter.default", importStridedScatter);
  t.add({"aten.detach.default", "aten.alias.default", "aten.lift.default",
         "aten.positive.default", "aten.conj.default", "aten._conj.default",
         "aten.conj_physical.default", "aten.real.default",
         "aten.resolve_conj.default", "aten.resolve_neg.default",
         "aten.lift_fresh.default", "aten.detach_.default"},
        importAlias);
  t.add("aten.contiguous.default", importContiguous);
  t.add({"aten.dropout.default", "aten.feature_dropout.default",
         "aten.alpha_dropout.default", "aten.feature_alpha_dropout.default",
         "aten.native_dropout.default"},
        importDropout);
  t.add("aten.view.dtype", importBitCast);
}

} // namespace tilewright::torch
