#include "graph/build/Logic.h"

#include "graph/analysis/SizeBounds.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/FoldBinary.h"

#include <cmath>

using namespace mlir;

namespace tilewright::build {
namespace {

std::optional<bool> lessOrEqual(Sizes &z, Expr x, Expr y) {
  std::optional<bool> isGreater = less(z, y, x);
  if (!isGreater)
    return std::nullopt;
  return !*isGreater;
}

Value comparisonOf(Comparison comparison, Scalar &s, Value x, Value y) {
  switch (comparison) {
  case Comparison::Equal:
    return s.eq(x, y);
  case Comparison::Less:
    return s.lt(x, y);
  case Comparison::LessOrEqual:
    return s.le(x, y);
  case Comparison::Greater:
    return s.gt(x, y);
  default:
    return s.ge(x, y);
  }
}

std::optional<bool> knownComparison(Comparison comparison, Sizes &z, Expr x,
                                    Expr y) {
  switch (comparison) {
  case Comparison::Equal:
    return equal(z, x, y);
  case Comparison::Less:
    return less(z, x, y);
  case Comparison::LessOrEqual:
    return lessOrEqual(z, x, y);
  case Comparison::Greater:
    return less(z, y, x);
  default:
    return lessOrEqual(z, y, x);
  }
}

/// Where over known integers with a known condition.
FailureOr<Tensor> foldWhere(GraphBuilder &b, const Tensor &condition,
                            const Tensor &x, const Tensor &y) {
  if (!condition->content || (x->constant && y->constant))
    return Tensor();
  auto chosen = constantsOf(*condition->content);
  auto left = knownIntegers(b.sizes, *x), right = knownIntegers(b.sizes, *y);
  auto shapes = {constantsOf(condition->dims), constantsOf(x->dims),
                 constantsOf(y->dims)};
  TRY(Dims dims, broadcastDims(b, ArrayRef<Tensor>{condition, x, y}));
  auto shape = constantsOf(dims);
  if (!chosen || !left || !right || !shape)
    return Tensor();
  SmallVector<SmallVector<int64_t>> at;
  for (const auto &from : shapes) {
    if (!from)
      return Tensor();
    at.push_back(broadcastPositions(*from, *shape));
  }
  SmallVector<Expr> values;
  for (size_t i = 0; i < at[0].size(); ++i)
    values.push_back((*chosen)[at[0][i]] ? (*left)[at[1][i]]
                                         : (*right)[at[2][i]]);
  return integerTensor(b, values, dims, x->element);
}

} // namespace

FailureOr<Tensor> compare(GraphBuilder &b, Comparison comparison,
                          const Tensor &x, const Tensor &y) {
  auto decide = [&](Sizes &sizes, Expr left,
                    Expr right) -> std::optional<Expr> {
    auto known = knownComparison(comparison, sizes, left, right);
    if (!known)
      return std::nullopt;
    return sizes.constant(*known);
  };
  Element out = boolean(b);
  TRY(Tensor known, foldBinary(b, x, y, out, decide));
  if (known)
    return known;
  return elementwise(b, {x, y}, out, [&](Scalar &s, Values v) {
    return comparisonOf(comparison, s, v[0], v[1]);
  });
}

FailureOr<Tensor> combineBits(GraphBuilder &b, Bitwise op, const Tensor &x,
                              const Tensor &y) {
  return elementwise(b, {x, y}, x->element, [&](Scalar &s, Values v) {
    if (op == Bitwise::And)
      return s.logicalAnd(v[0], v[1]);
    if (op == Bitwise::Or)
      return s.logicalOr(v[0], v[1]);
    return s.make<arith::XOrIOp>(v[0], v[1]);
  });
}

FailureOr<Tensor> invertBits(GraphBuilder &b, const Tensor &x) {
  return elementwise(b, {x}, x->element,
                     [](Scalar &s, Values v) { return s.logicalNot(v[0]); });
}

FailureOr<Tensor> isNaN(GraphBuilder &b, const Tensor &x) {
  return elementwise(b, {x}, boolean(b),
                     [](Scalar &s, Values v) { return s.ne(v[0], v[0]); });
}

FailureOr<Tensor> isInfinite(GraphBuilder &b, const Tensor &x, bool negative,
                             bool positive) {
  return elementwise(b, {x}, boolean(b), [&](Scalar &s, Values v) {
    Value result = s.truth(false);
    if (positive)
      result = s.eq(v[0], s.like(v[0], INFINITY));
    if (negative)
      result = s.logicalOr(result, s.eq(v[0], s.like(v[0], -INFINITY)));
    return result;
  });
}

FailureOr<Tensor> where(GraphBuilder &b, const Tensor &condition,
                        const Tensor &x, const Tensor &y) {
  TRY(Tensor known, foldWhere(b, condition, x, y));
  if (known)
    return known;
  return elementwise(
      b, {condition, x, y}, x->element,
      [](Scalar &s, Values v) { return s.select(v[0], v[1], v[2]); },
      /*widen=*/false);
}

} // namespace tilewright::build
