// Products that are made of other ones.
#include "frontends/torch/Promotion.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Dimensions.h"
#include "graph/build/Elementwise.h"
#include "graph/build/Generic.h"
#include "graph/build/MatMul.h"
#include "graph/build/Movement.h"
#include "graph/build/Reduce.h"
#include "graph/build/Scan.h"
#include "graph/build/Shape.h"
#include "graph/build/TensorValues.h"

#include <cmath>

using namespace mlir;

namespace tilewright::torch {
namespace {

/// The sums of products over these dimensions of x and those of y, which go
/// together; the other dimensions follow each other.
FailureOr<Tensor> contractDims(Call &c, const Tensor &x, const Tensor &y,
                               ArrayRef<int64_t> left,
                               ArrayRef<int64_t> right) {
  GraphBuilder &b = c.b;
  Sizes &z = b.sizes;
  SmallVector<int64_t> order, second(right);
  Dims rows, columns, shared;
  for (int64_t i = 0; i < x->rank(); ++i)
    if (!llvm::is_contained(left, i)) {
      order.push_back(i);
      rows.push_back(x->dims[i]);
    }
  order.append(left.begin(), left.end());
  for (int64_t axis : left)
    shared.push_back(x->dims[axis]);
  for (int64_t i = 0; i < y->rank(); ++i)
    if (!llvm::is_contained(right, i)) {
      second.push_back(i);
      columns.push_back(y->dims[i]);
    }
  Expr inner = z.product(shared);
  TRY(Tensor a, transpose(b, x, order));
  TRY(Tensor w, transpose(b, y, second));
  TRY(a, reshape(b, a, {z.product(rows), inner}));
  TRY(w, reshape(b, w, {inner, z.product(columns)}));
  TRY(Tensor product, matmul(b, a, w, x->element));
  Dims dims = rows;
  dims.append(columns);
  return reshape(b, product, dims);
}

LogicalResult importTensorDot(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor y, c.tensor("other"));
  TRY(SmallVector<int64_t> left, c.integers("dims_self"));
  TRY(SmallVector<int64_t> right, c.integers("dims_other"));
  if (left.size() != right.size())
    return c.fail("expected as many dimensions of both tensors");
  for (auto [i, j] : llvm::zip(left, right)) {
    TRY(i, axisOf(c.b, i, x->rank()));
    TRY(j, axisOf(c.b, j, y->rank()));
  }
  return c.done(contractDims(c, x, y, left, right));
}

/// Over the last dimensions of both; of a number, a product.
LogicalResult importInner(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor y, c.tensor("other"));
  if (x->rank() == 0 || y->rank() == 0)
    return c.done(arithmetic(c.b, Arithmetic::Multiply, x, y));
  return c.done(contractDims(c, x, y, {x->rank() - 1}, {y->rank() - 1}));
}

/// beta * self + alpha * the product of the factors' elements.
LogicalResult addScaled(Call &c, ArrayRef<Tensor> factors, Element out) {
  TRY(Tensor sum, c.tensor("self"));
  TRY(double alpha, c.number("alpha"));
  TRY(double beta, c.number("beta"));
  if (out.isBool())
    return c.fail("booleans are not supported");
  TRY(sum, convert(c.b, sum, out));
  SmallVector<Tensor> operands(factors);
  operands.push_back(sum);
  return c.done(elementwise(c.b, operands, out, [&](Scalar &s, Values v) {
    Value product = v[0];
    for (Value factor : v.take_front(factors.size()).drop_front())
      product = s.mul(product, factor);
    product = s.mul(product, s.like(product, alpha));
    if (beta == 0)
      return product;
    return s.add(s.mul(v.back(), s.like(v.back(), beta)), product);
  }));
}

/// With the outer product of two vectors.
LogicalResult importAddOuter(Call &c) {
  TRY(Tensor x, c.tensor("vec1"));
  TRY(Tensor y, c.tensor("vec2"));
  TRY(Element out, c.resultElement());
  TRY(x, convert(c.b, x, out));
  TRY(y, convert(c.b, y, out));
  return addScaled(c, {rearrange(c.b, x, {0, -1}), y}, out);
}

/// With the sum of the products of a batch.
LogicalResult importAddBatches(Call &c) {
  TRY(Tensor x, c.tensor("batch1"));
  TRY(Tensor y, c.tensor("batch2"));
  if (x->rank() != 3 || y->rank() != 3)
    return c.fail("expected batches of matrices");
  TRY(Tensor product, contractDims(c, x, y, {0, 2}, {0, 1}));
  return addScaled(c, product, x->element);
}

/// A dimension of size 3 whose elements are the products of the other two.
LogicalResult importCross(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor y, c.tensor("other"));
  TRY(Dims dims, broadcastDims(b, ArrayRef<Tensor>{x, y}));
  int64_t axis = -1;
  if (!c.isNone("dim")) {
    TRY(axis, c.axis("dim", dims.size()));
  }
  for (int64_t i = 0; axis < 0 && i < int64_t(dims.size()); ++i)
    if (isConst(dims[i], 3))
      axis = i;
  if (axis < 0)
    return c.fail("expected a dimension of size 3");
  TRY(x, broadcastTo(b, x, dims));
  TRY(y, broadcastTo(b, y, dims));
  denseValue(b, x);
  denseValue(b, y);
  return c.done(gather(b, {}, dims, x->element, [&](Scalar &s, Values) {
    Scalar t(s.builder, s.loc);
    auto element = [&](const Tensor &from, int64_t shift) {
      SmallVector<Value> at;
      for (int64_t i = 0; i < int64_t(dims.size()); ++i)
        at.push_back(s.loop(i));
      at[axis] = t.rem(t.add(at[axis], t.index(shift)), t.index(3));
      Value value = extractElement(b, s, from, at, /*isPart=*/true);
      return x->element.isNarrowFloat()
                 ? s.convert(value, s.builder.getF32Type())
                 : value;
    };
    return s.sub(s.mul(element(x, 1), element(y, 2)),
                 s.mul(element(x, 2), element(y, 1)));
  }));
}

/// The sums of products along a dimension.
LogicalResult importVectorDot(Call &c) {
  const bool isPlain = c.find("x") == nullptr;
  TRY(Tensor x, c.tensor(isPlain ? "self" : "x"));
  TRY(Tensor y, c.tensor(isPlain ? "other" : "y"));
  Element wide = accumulatorOf(c.b, x->element);
  TRY(Tensor products, elementwise(c.b, {x, y}, wide, [](Scalar &s, Values v) {
        return s.mul(v[0], v[1]);
      }));
  int64_t axis = 0;
  if (c.find("dim")) {
    TRY(axis, c.axis("dim", products->rank()));
  }
  TRY(Tensor sum, sumAlong(c.b, products, {axis}, false, plainSum));
  return c.done(convert(c.b, sum, x->element));
}

/// Powers of matrices by squaring.
LogicalResult importMatrixPower(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("self"));
  TRY(int64_t n, c.integer("n"));
  if (n < 0 || x->rank() < 2)
    return c.fail("expected matrices, and an exponent of at least 0: the "
                  "inverse is not supported");
  Tensor result;
  if (n == 0) {
    TRY(result,
        diagonal(b, ArrayRef<Expr>(x->dims).take_back(2), 0, x->element));
    return c.done(broadcastTo(b, result, x->dims));
  }
  for (Tensor square = x;; n /= 2) {
    if (n % 2 == 1) {
      if (result) {
        TRY(result, matmul(b, result, square, x->element));
      } else {
        result = square;
      }
    }
    if (n < 2)
      return c.set(0, result);
    TRY(square, matmul(b, square, square, x->element));
  }
}

/// The product of several matrices, of which the first and the last may be
/// vectors.
LogicalResult importChain(Call &c) {
  TRY(SmallVector<Tensor> parts, c.tensors("tensors"));
  if (parts.empty())
    return c.fail("expected tensors");
  Tensor result = parts[0];
  for (const Tensor &part : ArrayRef<Tensor>(parts).drop_front()) {
    TRY(result, matmul(c.b, result, part, result->element));
  }
  return c.set(0, result);
}

/// x w[o] y + bias[o] for each output o.
LogicalResult importBilinear(Call &c) {
  GraphBuilder &b = c.b;
  Sizes &z = b.sizes;
  TRY(Tensor x, c.tensor("input1"));
  TRY(Tensor y, c.tensor("input2"));
  TRY(Tensor w, c.tensor("weight"));
  TRY(Tensor bias, c.optionalTensor("bias"));
  if (w->rank() != 3 || x->rank() < 1 || x->rank() != y->rank())
    return c.fail("expected a weight of three dimensions, and inputs with the "
                  "same number of dimensions");
  Expr out = w->dims[0], in = w->dims[1], other = w->dims[2];
  Dims dims = x->dims;
  dims.pop_back();
  Expr rows = z.product(dims);
  dims.push_back(out);
  TRY(Tensor left, reshape(b, x, {rows, in}));
  TRY(Tensor right, reshape(b, y, {rows, other}));
  TRY(Tensor matrix, transpose(b, w, {1, 0, 2}));
  TRY(matrix, reshape(b, matrix, {in, z.mul(out, other)}));
  Element wide = accumulatorOf(b, x->element);
  TRY(Tensor product, matmul(b, left, matrix, wide));
  TRY(product, reshape(b, product, {rows, out, other}));
  TRY(product,
      elementwise(b, {product, rearrange(b, right, {0, -1, 1})}, wide,
                  [](Scalar &s, Values v) { return s.mul(v[0], v[1]); }));
  TRY(Tensor sum, sumAlong(b, product, {2}, false, plainSum));
  TRY(sum, reshape(b, sum, dims));
  SmallVector<Tensor> operands = {sum};
  if (bias)
    operands.push_back(bias);
  return c.done(elementwise(b, operands, x->element, [&](Scalar &s, Values v) {
    return bias ? s.add(v[0], v[1]) : v[0];
  }));
}

/// [..., i, j] = x[..., i]^j.
LogicalResult importVander(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("x"));
  TRY(Dims dims, c.dims());
  TRY(Element out, c.resultElement());
  TRY(x, convert(b, x, out));
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < x->rank(); ++i)
    kept.push_back(i);
  kept.push_back(-1);
  // Of a number, it has a dimension, too.
  int64_t last = int64_t(dims.size()) - 1;
  TRY(Tensor factors,
      elementwiseOver(b, dims, {rearrange(b, x, kept)}, out,
                      [&](Scalar &s, Values v) {
                        Scalar t(s.builder, s.loc);
                        Value isFirst = t.eq(s.loop(last), s.index(0));
                        return s.select(isFirst, s.like(v[0], 1), v[0]);
                      }));
  CumulateOptions options;
  options.multiplies = true;
  return c.done(cumulate(b, factors, last, options));
}

/// Norms of matrices that follow from sums of their elements.
LogicalResult importMatrixNorm(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Tensor x, c.tensor("self"));
  TRY(Element out, c.resultElement());
  TRY(x, convert(b, x, out));
  SmallVector<int64_t> axes = {-2, -1};
  if (!c.isNone("dim")) {
    TRY(axes, c.integers("dim"));
  }
  TRY(bool keepDims, c.flag("keepdim"));
  if (axes.size() != 2)
    return c.fail("argument 'dim' has " + llvm::Twine(axes.size()) +
                  " values, expected 2");
  for (int64_t &axis : axes) {
    TRY(axis, axisOf(b, axis, x->rank()));
  }
  SmallVector<int64_t> sorted(axes);
  llvm::sort(sorted);
  const Argument *ord = c.find("ord");
  if (ord && std::holds_alternative<std::string>(ord->value)) {
    if (std::get<std::string>(ord->value) != "fro")
      return c.fail("the nuclear norm is not supported");
    return c.done(vectorNorm(b, x, sorted, keepDims, 2));
  }
  TRY(double p, c.number("ord"));
  if (std::abs(p) == 2)
    return c.fail("norms of singular values are not supported");
  // 1: the greatest sum of a column; infinity: of a row.
  int64_t summed = std::isinf(p) ? axes[1] : axes[0];
  int64_t kept = std::isinf(p) ? axes[0] : axes[1];
  TRY(Tensor sums, vectorNorm(b, x, {summed}, true, 1));
  TRY(Tensor result, extremeAlong(b, sums, {kept}, true, p > 0));
  return keepDims ? c.set(0, result) : c.done(squeeze(b, result, sorted));
}

/// Without dimensions and an order, that of all elements; else that of vectors
/// or matrices.
LogicalResult importAnyNorm(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  SmallVector<int64_t> given;
  if (!c.isNone("dim")) {
    TRY(given, c.integers("dim"));
  }
  const bool isMatrix =
      given.size() == 2 || (c.isNone("dim") && x->rank() == 2);
  if (isMatrix && !c.isNone("ord"))
    return importMatrixNorm(c);
  TRY(Element out, c.resultElement());
  TRY(x, convert(c.b, x, out));
  TRY(bool keepDims, c.flag("keepdim"));
  SmallVector<int64_t> axes;
  TRY(axes, c.axes("dim", x->rank()));
  double p = 2;
  if (!c.isNone("ord")) {
    TRY(p, c.number("ord"));
  }
  return c.done(vectorNorm(c.b, x, axes, keepDims, p));
}

/// The products of three tensors, each with new dimensions, summed over some.
LogicalResult importTrilinear(Call &c) {
  GraphBuilder &b = c.b;
  constexpr std::pair<StringRef, StringRef> names[] = {
      {"i1", "expand1"}, {"i2", "expand2"}, {"i3", "expand3"}};
  SmallVector<Tensor> parts;
  for (auto [name, added] : names) {
    TRY(Tensor x, c.tensor(name));
    TRY(SmallVector<int64_t> axes, c.integers(added));
    llvm::sort(axes);
    parts.push_back(unsqueeze(b, x, axes));
  }
  TRY(SmallVector<int64_t> summed, c.integers("sumdim"));
  llvm::sort(summed);
  Element out = parts[0]->element, wide = accumulatorOf(b, out);
  TRY(Tensor products, elementwise(b, parts, wide, [](Scalar &s, Values v) {
        return s.mul(s.mul(v[0], v[1]), v[2]);
      }));
  TRY(Tensor sum, sumAlong(b, products, summed, false, plainSum));
  return c.done(convert(b, sum, out));
}

} // namespace

void addProductOps(OpTable &t) {
  t.add("aten.tensordot.default", importTensorDot);
  t.add("aten.inner.default", importInner);
  t.add("aten.addr.default", importAddOuter);
  t.add("aten.addbmm.default", importAddBatches);
  t.add({"aten.cross.default", "aten.linalg_cross.default"}, importCross);
  t.add({"aten.vdot.default", "aten.linalg_vecdot.default"}, importVectorDot);
  t.add({"aten.linalg_matrix_power.default", "aten.matrix_power.default"},
        importMatrixPower);
  t.add("aten.linalg_multi_dot.default", importChain);
  t.add("aten.bilinear.default", importBilinear);
  t.add("aten.linalg_vander.default", importVander);
  t.add({"aten.linalg_norm.default", "aten.linalg_norm.ord_str"},
        importAnyNorm);
  t.add("aten._trilinear.default", importTrilinear);
  t.add({"aten.linalg_matrix_norm.default", "aten.linalg_matrix_norm.str_ord"},
        importMatrixNorm);
}

} // namespace tilewright::torch
