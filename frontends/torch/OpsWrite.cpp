// Reads and writes of the elements of all dimensions in order, and writes that
// combine several elements.
#include "frontends/torch/Promotion.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Dimensions.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Gather.h"
#include "graph/build/Logic.h"
#include "graph/build/Movement.h"
#include "graph/build/Scan.h"
#include "graph/build/Scatter.h"
#include "graph/build/Shape.h"

#include <cmath>
#include <functional>

using namespace mlir;

namespace tilewright::torch {
namespace {

FailureOr<Tensor> flat(GraphBuilder &b, const Tensor &x) {
  return reshape(b, x, {b.sizes.product(x->dims)});
}

LogicalResult importTake(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor index, c.tensor("index"));
  TRY(x, flat(c.b, x));
  return c.done(gatherAlong(c.b, x, index, 0));
}

LogicalResult importPut(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor index, c.tensor("index"));
  TRY(Tensor source, c.tensor("source"));
  TRY(bool adds, c.flag("accumulate"));
  TRY(Tensor whole, flat(c.b, x));
  TRY(index, flat(c.b, index));
  TRY(source, flat(c.b, source));
  TRY(Tensor result, scatterElements(c.b, whole, index, source, 0,
                                     adds ? ScatterReduction::Add
                                          : ScatterReduction::Replace));
  return c.done(reshape(c.b, result, x->dims));
}

/// A write of updates to data.
using Write = std::function<FailureOr<Tensor>(
    const Tensor &data, const Tensor &updates, ScatterReduction reduction)>;

/// What changes nothing.
double neutralOf(StringRef reduction) {
  return reduction == "prod"   ? 1
         : reduction == "amax" ? -INFINITY
         : reduction == "amin" ? INFINITY
                               : 0;
}

/// What is written to is combined with the updates, and with what was there if
/// that is included; means are over all of these.
FailureOr<Tensor> combine(Call &c, const Tensor &x, const Tensor &updates,
                          StringRef name, bool includes, const Write &write) {
  GraphBuilder &b = c.b;
  Element element = x->element;
  const bool isMean = name == "mean";
  auto constant = [&](const Tensor &like, double value) {
    return filled(b, like->dims, constantAttr(b, element, value), element);
  };
  Tensor data = x;
  TRY(Tensor one, constant(updates, 1));
  if (!includes) {
    TRY(Tensor zero, constant(x, 0));
    TRY(Tensor isWritten, write(zero, one, ScatterReduction::Replace));
    TRY(isWritten, convert(b, isWritten, boolean(b)));
    TRY(Tensor neutral, constant(x, neutralOf(name)));
    TRY(data, where(b, isWritten, neutral, x));
  }
  ScatterReduction reduction = name == "prod"   ? ScatterReduction::Multiply
                               : name == "amax" ? ScatterReduction::Max
                               : name == "amin" ? ScatterReduction::Min
                                                : ScatterReduction::Add;
  TRY(Tensor result, write(data, updates, reduction));
  if (!isMean)
    return result;
  TRY(Tensor count, constant(x, includes ? 1 : 0));
  TRY(count, write(count, one, ScatterReduction::Add));
  TRY(count, elementwise(b, {count}, element, [](Scalar &s, Values v) {
        return s.max(v[0], s.like(v[0], 1));
      }));
  if (element.isFloat())
    return divide(b, result, count);
  TRY(Tensor rest, modulo(b, result, count, /*truncates=*/false));
  TRY(result, arithmetic(b, Arithmetic::Subtract, result, rest));
  return divide(b, result, count);
}

LogicalResult importScatterReduce(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor index, c.tensor("index"));
  TRY(Tensor updates, c.tensor("src"));
  TRY(std::string name, c.text("reduce"));
  TRY(bool includes, c.flag("include_self"));
  Dims dims = x->dims;
  x = atLeastVector(b, x);
  index = atLeastVector(b, index);
  updates = atLeastVector(b, updates);
  TRY(int64_t axis, c.axis("dim", x->rank()));
  if (updates->dims != index->dims) {
    SmallVector<int64_t> steps(index->rank(), 1);
    TRY(updates,
        slice(b, updates, Dims(index->rank(), b.zero()), index->dims, steps));
  }
  TRY(Tensor result, combine(c, x, updates, name, includes,
                             [&](const Tensor &data, const Tensor &values,
                                 ScatterReduction reduction) {
                               return scatterElements(b, data, index, values,
                                                      axis, reduction);
                             }));
  return c.done(reshape(b, result, dims));
}

LogicalResult importIndexReduce(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor self, c.tensor("self"));
  TRY(Tensor index, c.tensor("index"));
  TRY(Tensor source, c.tensor("source"));
  TRY(std::string name, c.text("reduce"));
  TRY(bool includes, c.flag("include_self"));
  Tensor x = atLeastVector(b, self);
  index = atLeastVector(b, index);
  source = atLeastVector(b, source);
  TRY(int64_t axis, c.axis("dim", x->rank()));
  if (index->rank() != 1)
    return c.fail("expected a vector of indices");
  TRY(source, transpose(b, source, axisFirst(axis, x->rank())));
  TRY(Tensor result, combine(c, x, source, name, includes,
                             [&](const Tensor &data, const Tensor &values,
                                 ScatterReduction reduction) {
                               return scatterPoints(b, data, axis, index,
                                                    values, reduction);
                             }));
  return c.done(reshape(b, result, self->dims));
}

/// The elements of pooled windows at the positions that they had in a plane of
/// the result, zeros elsewhere.
LogicalResult importUnpool(Call &c) {
  GraphBuilder &b = c.b;
  Sizes &z = b.sizes;
  // The gradient of a pooling adds where windows overlap.
  const bool adds = StringRef(c.target).contains("backward");
  TRY(Tensor x, c.tensor(adds ? "grad_output" : "self"));
  TRY(Tensor indices, c.tensor("indices"));
  TRY(Dims dims, c.dims());
  int64_t spatial = StringRef(c.target).contains("3d") ? 3 : 2;
  int64_t planes = x->rank() - spatial;
  if (planes < 1)
    return c.fail("expected at least " + llvm::Twine(spatial + 1) +
                  " dimensions");
  auto asPlanes = [&](ArrayRef<Expr> shape) {
    return Dims{z.product(shape.take_front(planes)),
                z.product(shape.drop_front(planes))};
  };
  TRY(Tensor values, reshape(b, x, asPlanes(x->dims)));
  TRY(indices, reshape(b, indices, asPlanes(x->dims)));
  TRY(Tensor zeros,
      filled(b, asPlanes(dims), zeroOf(b, x->element), x->element));
  TRY(Tensor result, scatterElements(b, zeros, indices, values, 1,
                                     adds ? ScatterReduction::Add
                                          : ScatterReduction::Replace));
  return c.done(reshape(b, result, dims));
}

/// An element where the mask holds, else one value.
LogicalResult importMaskedIndex(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor mask, c.tensor("mask"));
  TRY(SmallVector<Tensor> indices, c.tensors("indices"));
  TRY(Term fill, termOf(c, "fill"));
  indices.resize(x->rank());
  // Where the mask does not hold, an index may be out of bounds.
  for (Tensor &each : indices)
    if (each) {
      TRY(Tensor zero,
          broadcastTo(b, scalarConstant(b, each->element, 0), each->dims));
      TRY(each, where(b, mask, each, zero));
    }
  TRY(Tensor values, gatherPoints(b, x, indices));
  TRY(Tensor other, convert(b, fill.tensor, x->element));
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < values->rank(); ++i)
    kept.push_back(i < mask->rank() ? i : -1);
  return c.done(where(b, rearrange(b, mask, kept), values, other));
}

/// Where elements are not zero, in order: as many rows of coordinates as the
/// result has, of which those that are left have one value.
LogicalResult importStaticNonzero(Call &c) {
  GraphBuilder &b = c.b;
  Sizes &z = b.sizes;
  TRY(Tensor x, c.tensor("self"));
  TRY(Expr size, c.size("size"));
  TRY(int64_t fill, c.integer("fill_value"));
  Element type = i64(b);
  Expr count = z.product(x->dims);
  TRY(Tensor hits, convert(b, x, boolean(b)));
  TRY(hits, flat(b, hits));
  TRY(Tensor ones, convert(b, hits, type));
  CumulateOptions before;
  before.exclusive = true;
  TRY(Tensor row, cumulate(b, ones, 0, before));
  // What has no row goes to one more, which is dropped.
  TRY(row, elementwise(b, {hits, row}, type, [&](Scalar &s, Values v) {
        Scalar t(s.builder, s.loc);
        Value last = s.fromIndex(b.index(size), v[1].getType());
        return s.select(v[0], t.min(v[1], last), last);
      }));
  TRY(Tensor numbers, iota(b, count, type));
  TRY(Tensor rows,
      filled(b, {z.add(size, 1)}, constantAttr(b, type, -1), type));
  TRY(rows,
      scatterElements(b, rows, row, numbers, 0, ScatterReduction::Replace));
  TRY(rows, slice(b, rows, {b.zero()}, {size}, {1}));
  Dims dims = {size, z.constant(x->rank())};
  return c.done(elementwiseOver(
      b, dims, {rearrange(b, rows, {0, -1})}, type, [&](Scalar &s, Values v) {
        Scalar t(s.builder, s.loc);
        Type own = v[0].getType();
        Value result = s.integer(own, fill), rest = v[0];
        for (int64_t d = x->rank(); d-- > 0;) {
          Value extent = s.fromIndex(b.index(x->dims[d]), own);
          Value isOwn = t.eq(s.loop(1), s.index(d));
          isOwn = s.logicalAnd(isOwn, t.ge(v[0], s.integer(own, 0)));
          result = s.select(isOwn, t.rem(rest, extent), result);
          rest = t.div(rest, extent);
        }
        return result;
      }));
}

} // namespace

void addWriteOps(OpTable &t) {
  t.add("aten.take.default", importTake);
  t.add("aten.put.default", importPut);
  t.add("aten.scatter_reduce.two", importScatterReduce);
  t.add("aten.index_reduce.default", importIndexReduce);
  t.add({"aten.max_unpool2d.default", "aten.max_unpool3d.default",
         "aten.max_pool2d_with_indices_backward.default"},
        importUnpool);
  t.add("aten._unsafe_masked_index.default", importMaskedIndex);
  t.add("aten.nonzero_static.default", importStaticNonzero);
}

} // namespace tilewright::torch
