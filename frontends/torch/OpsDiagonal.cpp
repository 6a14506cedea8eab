// Diagonals: their elements, matrices that have them, and triangles by index.
#include "frontends/torch/Views.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduce.h"
#include "graph/build/Scatter.h"
#include "graph/build/Shape.h"
#include "graph/build/TensorValues.h"

using namespace mlir;

namespace tilewright::torch {
namespace {

/// How many elements a diagonal has.
Expr lengthOf(GraphBuilder &b, const Tensor &x, const Diagonal &d) {
  Sizes &z = b.sizes;
  Expr rows =
      z.sub(x->dims[d.first], z.constant(std::max<int64_t>(-d.offset, 0)));
  Expr columns =
      z.sub(x->dims[d.second], z.constant(std::max<int64_t>(d.offset, 0)));
  return z.positivePart(z.min(rows, columns));
}

FailureOr<Diagonal> readDiagonal(Call &c, int64_t rank) {
  Diagonal d;
  TRY(d.first, c.axis("dim1", rank));
  TRY(d.second, c.axis("dim2", rank));
  TRY(d.offset, c.integer("offset"));
  if (d.first == d.second)
    return c.fail("expected two different dimensions");
  return d;
}

LogicalResult importDiagonal(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Diagonal d, readDiagonal(c, x->rank()));
  TRY(Dims dims, c.dims());
  if (int64_t(dims.size()) != x->rank() - 1)
    return c.fail("expected a result with one dimension less than " +
                  c.b.sizes.str(x->dims));
  return c.setView(0, "self", diagonalView(c.b, d, dims));
}

LogicalResult importDiagonalScatter(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor from, c.tensor("src"));
  TRY(Diagonal d, readDiagonal(c, x->rank()));
  TRY(from, convert(c.b, from, x->element));
  return c.done(diagonalView(c.b, d, from->dims).write(x, from));
}

/// Zeros with the last dimension of x as a diagonal of two new dimensions.
FailureOr<Tensor> embedded(GraphBuilder &b, const Tensor &x, const Diagonal &d,
                           ArrayRef<Expr> dims) {
  TRY(Tensor zeros, filled(b, dims, zeroOf(b, x->element), x->element));
  return diagonalView(b, d, x->dims).write(zeros, x);
}

LogicalResult importDiagonalEmbed(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Diagonal d, readDiagonal(c, x->rank() + 1));
  TRY(Dims dims, c.dims());
  return c.done(embedded(c.b, x, d, dims));
}

/// Of a vector the matrix with this diagonal, of a matrix its diagonal.
LogicalResult importDiag(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  Diagonal d{0, 1, 0};
  bool isFlat = StringRef(c.target).starts_with("aten.diagflat");
  TRY(d.offset, c.integer(isFlat ? "offset" : "diagonal"));
  TRY(Dims dims, c.dims());
  if (isFlat) {
    TRY(x, reshape(c.b, x, {c.b.sizes.product(x->dims)}));
  }
  if (dims.size() == 2)
    return c.done(embedded(c.b, x, d, dims));
  return c.done(diagonalView(c.b, d, dims).read(x));
}

LogicalResult importTrace(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  if (x->rank() != 2)
    return c.fail("expected a matrix");
  Diagonal d{0, 1, 0};
  TRY(Element out, c.resultElement());
  TRY(Tensor elements, diagonalView(c.b, d, {lengthOf(c.b, x, d)}).read(x));
  TRY(elements, convert(c.b, elements, out));
  return c.done(sumAlong(c.b, elements, {0}, false, plainSum));
}

/// Where the elements of a triangle of [row, col] are, row by row.
template <bool upper> LogicalResult importTriangleIndices(Call &c) {
  TRY(int64_t rows, c.integer("row"));
  TRY(int64_t columns, c.integer("col"));
  TRY(int64_t offset, c.integer("offset"));
  TRY(Dims dims, c.dims());
  TRY(Element out, c.resultElement());
  if (rows > 4096 || columns > 4096)
    return c.fail("expected at most 4096 rows and columns");
  SmallVector<int64_t> first, second;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      if (upper ? j - i >= offset : j - i <= offset) {
        first.push_back(i);
        second.push_back(j);
      }
  first.append(second);
  return c.set(0, integerTensor(c.b, exprsOf(c.b.sizes, first), dims, out));
}

} // namespace

View diagonalView(GraphBuilder &b, Diagonal d, ArrayRef<Expr> part) {
  Dims dims(part);
  View view;
  view.read = [=, &b](const Tensor &base) {
    denseValue(b, base);
    return gather(b, {}, dims, base->element, [&](Scalar &s, Values) {
      SmallVector<Value> at(base->rank());
      Value i = s.loop(dims.size() - 1);
      at[d.first] = s.add(i, s.index(std::max<int64_t>(-d.offset, 0)));
      at[d.second] = s.add(i, s.index(std::max<int64_t>(d.offset, 0)));
      unsigned next = 0;
      for (Value &each : at)
        if (!each)
          each = s.loop(next++);
      return extractElement(b, s, base, at, /*isPart=*/true);
    });
  };
  view.write = [=, &b](const Tensor &base,
                       const Tensor &value) -> FailureOr<Tensor> {
    if (isConst(dims.back(), 0))
      return base;
    Operand own{base, {}};
    for (int64_t i = 0; i < base->rank(); ++i)
      own.at.push_back(b.loop(i));
    denseValue(b, value);
    return gather(
        b, {own}, base->dims, base->element, [&](Scalar &s, Values v) {
          Scalar t(s.builder, s.loc);
          Value row = s.loop(d.first), column = s.loop(d.second);
          Value isOn = s.eq(s.sub(column, row), s.index(d.offset));
          SmallVector<Value> at;
          for (int64_t i = 0; i < base->rank(); ++i)
            if (i != d.first && i != d.second)
              at.push_back(s.loop(i));
          at.push_back(boundedIndex(b, s, d.offset < 0 ? column : row,
                                    dims.back(), false));
          return s.select(isOn, extractElement(b, s, value, at), v[0]);
        });
  };
  return view;
}

void addDiagonalOps(OpTable &t) {
  t.add("aten.diagonal.default", importDiagonal);
  t.add("aten.diagonal_scatter.default", importDiagonalScatter);
  t.add("aten.diag_embed.default", importDiagonalEmbed);
  t.add({"aten.diag.default", "aten.diagflat.default"}, importDiag);
  t.add("aten.trace.default", importTrace);
  t.add("aten.tril_indices.default", importTriangleIndices<false>);
  t.add("aten.triu_indices.default", importTriangleIndices<true>);
}

} // namespace tilewright::torch
