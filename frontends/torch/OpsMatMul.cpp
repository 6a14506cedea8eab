// Matrix products.
#include "frontends/torch/Promotion.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Elementwise.h"
#include "graph/build/MatMul.h"
#include "graph/build/Movement.h"

using namespace mlir;

namespace tilewright::torch {
namespace {

LogicalResult importProduct(Call &c, StringRef x, StringRef y) {
  TRY(Tensor left, c.tensor(x));
  TRY(Tensor right, c.tensor(y));
  return c.done(matmul(c.b, left, right, left->element));
}

LogicalResult importMatmul(Call &c) {
  bool isOther = c.find("other") != nullptr;
  bool isVector = c.find("vec") != nullptr;
  return importProduct(c, "self",
                       isOther            ? "other"
                       : isVector         ? "vec"
                       : c.find("tensor") ? "tensor"
                                          : "mat2");
}

/// x w^T + bias.
LogicalResult importLinear(Call &c) {
  TRY(Tensor x, c.tensor("input"));
  TRY(Tensor w, c.tensor("weight"));
  TRY(Tensor bias, c.optionalTensor("bias"));
  if (w->rank() == 2) {
    TRY(w, transpose(c.b, w, {1, 0}));
  }
  const bool isNarrow = x->element.isNarrowFloat() && bias;
  TRY(Tensor product, matmul(c.b, x, w, isNarrow ? f32(c.b) : x->element));
  if (!bias)
    return c.set(0, product);
  Element out = x->element;
  return c.done(elementwise(c.b, {product, bias}, out, [](Scalar &s, Values v) {
    return s.add(v[0], v[1]);
  }));
}

/// beta * self + alpha * x y.
LogicalResult importAddProduct(Call &c, StringRef x, StringRef y) {
  TRY(Tensor left, c.tensor(x));
  TRY(Tensor right, c.tensor(y));
  TRY(Tensor sum, c.tensor("self"));
  TRY(double alpha, c.number("alpha"));
  TRY(double beta, c.number("beta"));
  Element out = left->element;
  TRY(Tensor product,
      matmul(c.b, left, right, out.isNarrowFloat() ? f32(c.b) : out));
  return c.done(elementwise(c.b, {product, sum}, out, [&](Scalar &s, Values v) {
    Value scaled = alpha == 1 ? v[0] : s.mul(v[0], s.like(v[0], alpha));
    // With beta 0, not even NaN counts.
    if (beta == 0)
      return scaled;
    Value own = beta == 1 ? v[1] : s.mul(v[1], s.like(v[1], beta));
    return s.add(scaled, own);
  }));
}

LogicalResult importAddmm(Call &c) {
  return importAddProduct(c, "mat1", "mat2");
}
LogicalResult importAddmv(Call &c) { return importAddProduct(c, "mat", "vec"); }
LogicalResult importBaddbmm(Call &c) {
  return importAddProduct(c, "batch1", "batch2");
}

LogicalResult importEinsum(Call &c) {
  TRY(std::string equation, c.text("equation"));
  TRY(SmallVector<Tensor> inputs, c.tensors("tensors"));
  return c.done(einsum(c.b, inputs, equation));
}

LogicalResult importOuter(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(Tensor y, c.tensor("vec2"));
  return c.done(
      arithmetic(c.b, Arithmetic::Multiply, rearrange(c.b, x, {0, -1}), y));
}

} // namespace

void addMatMulOps(OpTable &t) {
  t.add({"aten.matmul.default", "aten.mm.default", "aten.bmm.default",
         "aten.mv.default", "aten.dot.default"},
        importMatmul);
  t.add("aten.linear.default", importLinear);
  t.add("aten.addmm.default", importAddmm);
  t.add("aten.addmv.default", importAddmv);
  t.add("aten.baddbmm.default", importBaddbmm);
  t.add("aten.einsum.default", importEinsum);
  t.add({"aten.outer.default", "aten.ger.default"}, importOuter);
}

} // namespace tilewright::torch
