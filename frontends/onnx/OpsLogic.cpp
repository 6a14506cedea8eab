// Comparisons, logic, selection.
#include "frontends/onnx/OpsCommon.h"
#include "graph/analysis/SizeBounds.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/FoldBinary.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

using Values = ArrayRef<Value>;

Expr truth(Sizes &sizes, bool value) { return sizes.constant(value); }

/// `scalar` compares elements, `exact` known integers.
template <auto scalar, auto exact> LogicalResult compare(Node &node) {
  TRY(auto operands, binaryOperands(node));
  auto &[a, b] = operands;
  auto decide = [](Sizes &sizes, Expr x, Expr y) -> std::optional<Expr> {
    std::optional<bool> known = exact(sizes, x, y);
    if (!known)
      return std::nullopt;
    return truth(sizes, *known);
  };
  Element out = boolean(node.b);
  TRY(Tensor known, foldBinary(node.b, a, b, out, decide));
  if (known)
    return node.set(0, known);
  return node.done(elementwise(node.b, {a, b}, out, [](Scalar &s, Values v) {
    return scalar(s, v[0], v[1]);
  }));
}

template <auto fn, bool wantsBool> LogicalResult bitwise(Node &node) {
  TRY(auto operands, binaryOperands(node));
  auto &[a, b] = operands;
  if (a->element.isBool() != wantsBool || a->element.isFloat())
    return node.fail("operands have type " + dtypeName(a->element));
  return node.done(
      elementwise(node.b, {a, b}, a->element,
                  [](Scalar &s, Values v) { return fn(s, v[0], v[1]); }));
}

LogicalResult importNot(Node &node) {
  TRY(Tensor x, node.input(0));
  if (x->element.isFloat())
    return node.fail("the operand has type " + dtypeName(x->element));
  return node.done(
      elementwise(node.b, {x}, x->element,
                  [](Scalar &s, Values v) { return s.logicalNot(v[0]); }));
}

LogicalResult importIsNaN(Node &node) {
  TRY(Tensor x, node.input(0));
  if (!x->element.isFloat())
    return node.fail("the operand has type " + dtypeName(x->element));
  return node.done(
      elementwise(node.b, {x}, boolean(node.b),
                  [](Scalar &s, Values v) { return s.ne(v[0], v[0]); }));
}

LogicalResult importIsInf(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(bool negative, node.attributes.flag("detect_negative", true));
  TRY(bool positive, node.attributes.flag("detect_positive", true));
  if (!x->element.isFloat())
    return node.fail("the operand has type " + dtypeName(x->element));
  return node.done(
      elementwise(node.b, {x}, boolean(node.b), [&](Scalar &s, Values v) {
        Value result = s.truth(false);
        if (positive)
          result = s.eq(v[0], s.like(v[0], INFINITY));
        if (negative)
          result = s.logicalOr(result, s.eq(v[0], s.like(v[0], -INFINITY)));
        return result;
      }));
}

/// Where over known integers with a known condition.
FailureOr<Tensor> foldWhere(Node &node, const Tensor &condition,
                            const Tensor &x, const Tensor &y) {
  GraphBuilder &b = node.b;
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

LogicalResult importWhere(Node &node) {
  TRY(Tensor condition, node.input(0));
  TRY(Tensor x, node.input(1));
  TRY(Tensor y, node.input(2));
  if (!condition->element.isBool() || x->element != y->element)
    return node.fail("operands have types " + dtypeName(condition->element) +
                     ", " + dtypeName(x->element) + " and " +
                     dtypeName(y->element));
  TRY(Tensor known, foldWhere(node, condition, x, y));
  if (known)
    return node.set(0, known);
  return node.done(elementwise(
      node.b, {condition, x, y}, x->element,
      [](Scalar &s, Values v) { return s.select(v[0], v[1], v[2]); },
      /*widen=*/false));
}

std::optional<bool> negated(std::optional<bool> value) {
  if (!value)
    return std::nullopt;
  return !*value;
}

} // namespace

void addLogicOps(OpTable &t) {
  t.add("Equal", 1,
        compare<[](Scalar &s, Value a, Value b) { return s.eq(a, b); },
                [](Sizes &z, Expr a, Expr b) { return equal(z, a, b); }>,
        "no strings");
  t.add("Less", 1,
        compare<[](Scalar &s, Value a, Value b) { return s.lt(a, b); },
                [](Sizes &z, Expr a, Expr b) { return less(z, a, b); }>);
  t.add(
      "LessOrEqual", 12,
      compare<[](Scalar &s, Value a, Value b) { return s.le(a, b); },
              [](Sizes &z, Expr a, Expr b) { return negated(less(z, b, a)); }>);
  t.add("Greater", 1,
        compare<[](Scalar &s, Value a, Value b) { return s.gt(a, b); },
                [](Sizes &z, Expr a, Expr b) { return less(z, b, a); }>);
  t.add(
      "GreaterOrEqual", 12,
      compare<[](Scalar &s, Value a, Value b) { return s.ge(a, b); },
              [](Sizes &z, Expr a, Expr b) { return negated(less(z, a, b)); }>);
  auto conjunction = [](Scalar &s, Value a, Value b) {
    return s.logicalAnd(a, b);
  };
  auto disjunction = [](Scalar &s, Value a, Value b) {
    return s.logicalOr(a, b);
  };
  auto exclusive = [](Scalar &s, Value a, Value b) {
    return s.make<arith::XOrIOp>(a, b);
  };
  t.add("And", 1, bitwise<decltype(conjunction){}, true>);
  t.add("Or", 1, bitwise<decltype(disjunction){}, true>);
  t.add("Xor", 1, bitwise<decltype(exclusive){}, true>);
  t.add("BitwiseAnd", 18, bitwise<decltype(conjunction){}, false>);
  t.add("BitwiseOr", 18, bitwise<decltype(disjunction){}, false>);
  t.add("BitwiseXor", 18, bitwise<decltype(exclusive){}, false>);
  t.add("Not", 1, importNot);
  t.add("BitwiseNot", 18, importNot);
  t.add("IsNaN", 9, importIsNaN);
  t.add("IsInf", 10, importIsInf);
  t.add("Where", 9, importWhere, "no strings");
}

} // namespace tilewright::onnx
