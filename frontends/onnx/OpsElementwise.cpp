// Arithmetic, element by element.
#include "frontends/onnx/OpsCommon.h"
#include "frontends/onnx/Readers.h"
#include "graph/analysis/SizeBounds.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/FoldBinary.h"
#include "graph/build/KnownTensor.h"

#include <cmath>

using namespace mlir;

namespace tilewright::onnx {
namespace {

using Values = ArrayRef<Value>;

template <auto fn> LogicalResult floatUnary(Node &node) {
  TRY(Tensor x, node.input(0));
  if (!x->element.isFloat())
    return node.fail("expected a float operand, found " +
                     dtypeName(x->element));
  return node.done(
      elementwise(node.b, {x}, x->element,
                  [](Scalar &s, Values v) { return fn(s, v[0]); }));
}

template <auto fn> LogicalResult numberUnary(Node &node) {
  TRY(Tensor x, node.input(0));
  return node.done(
      elementwise(node.b, {x}, x->element,
                  [](Scalar &s, Values v) { return fn(s, v[0]); }));
}

/// Rounding does not change known integers.
template <auto fn> LogicalResult rounding(Node &node) {
  TRY(Tensor x, node.input(0));
  if (x->content && !x->constant)
    return node.set(0, x);
  return floatUnary<fn>(node);
}

/// `scalar` computes an element, `exact` a known integer (or nothing).
template <auto scalar, auto exact> LogicalResult arithmetic(Node &node) {
  TRY(auto operands, binaryOperands(node));
  auto &[a, b] = operands;
  TRY(Tensor known, foldBinary(node.b, a, b, a->element, exact));
  if (known)
    return node.set(0, known);
  return node.done(
      elementwise(node.b, {a, b}, a->element,
                  [](Scalar &s, Values v) { return scalar(s, v[0], v[1]); }));
}

template <auto scalar, auto exact> LogicalResult variadic(Node &node) {
  TRY(SmallVector<Tensor> inputs, node.inputs());
  Tensor sum = inputs[0];
  for (const Tensor &next : ArrayRef<Tensor>(inputs).drop_front()) {
    if (next->element != sum->element)
      return node.fail("operands have types " + dtypeName(sum->element) +
                       " and " + dtypeName(next->element));
    TRY(Tensor known, foldBinary(node.b, sum, next, sum->element, exact));
    if (known) {
      sum = known;
      continue;
    }
    TRY(sum,
        elementwise(node.b, {sum, next}, sum->element,
                    [](Scalar &s, Values v) { return scalar(s, v[0], v[1]); }));
  }
  return node.set(0, sum);
}

/// Fails where known integers are divided by a 0 that is known too: there is no
/// such number, and a size that depends on it would be made up.
LogicalResult expectNoZeroDivisor(Node &node, const Tensor &a,
                                  const Tensor &b) {
  if (!a->element.isInteger())
    return success();
  Tensor dividend = evaluate(node.b, a);
  Tensor divisor = dividend ? evaluate(node.b, b) : nullptr;
  if (!divisor || !dividend->content || !divisor->content ||
      dividend->content->empty())
    return success();
  Sizes &sizes = node.b.sizes;
  for (Expr value : *divisor->content)
    if (isConst(value, 0))
      return node.fail(
          "divides the known integers " + sizes.str(*dividend->content) +
          " by " + sizes.str(*divisor->content) + ", expected no divisor of 0");
  return success();
}

std::optional<Expr> exactDivision(Sizes &sizes, Expr a, Expr b) {
  if (isConst(b, 0))
    return std::nullopt;
  if (auto quotient = sizes.exactDiv(a, b))
    return quotient;
  // A divisor of 0 is an error when the sizes are known.
  auto low = lowerBound(sizes, a), divisor = lowerBoundUnlessEmpty(sizes, b);
  if (low && *low >= 0 && divisor && *divisor > 0)
    return sizes.floorDiv(a, b);
  return std::nullopt;
}

/// A float quotient is known only if it is a whole number.
LogicalResult importDiv(Node &node) {
  TRY(auto operands, binaryOperands(node));
  auto &[a, b] = operands;
  if (failed(expectNoZeroDivisor(node, a, b)))
    return failure();
  bool isFloat = a->element.isFloat();
  auto exact = [isFloat](Sizes &sizes, Expr x, Expr y) {
    return isFloat ? sizes.exactDiv(x, y) : exactDivision(sizes, x, y);
  };
  TRY(Tensor known, foldBinary(node.b, a, b, a->element, exact));
  if (known)
    return node.set(0, known);
  return node.done(
      elementwise(node.b, {a, b}, a->element,
                  [](Scalar &s, Values v) { return s.div(v[0], v[1]); }));
}

LogicalResult importMean(Node &node) {
  TRY(SmallVector<Tensor> inputs, node.inputs());
  auto sum = [](Scalar &s, Values v) {
    Value total = v[0];
    for (Value next : v.drop_front())
      total = s.add(total, next);
    return s.div(total, s.like(total, double(v.size())));
  };
  return node.done(elementwise(node.b, inputs, inputs[0]->element, sum));
}

LogicalResult importMod(Node &node) {
  TRY(auto operands, binaryOperands(node));
  auto &[a, b] = operands;
  if (failed(expectNoZeroDivisor(node, a, b)))
    return failure();
  TRY(bool truncates, node.attributes.flag("fmod", false));
  auto exact = [](Sizes &sizes, Expr x, Expr y) -> std::optional<Expr> {
    auto divisor = lowerBoundUnlessEmpty(sizes, y), low = lowerBound(sizes, x);
    if (!divisor || *divisor <= 0 || !low || *low < 0)
      return std::nullopt;
    return sizes.mod(x, y);
  };
  TRY(Tensor known, foldBinary(node.b, a, b, a->element, exact));
  if (known)
    return node.set(0, known);
  return node.done(
      elementwise(node.b, {a, b}, a->element, [&](Scalar &s, Values v) {
        Value rest = s.rem(v[0], v[1]);
        if (truncates || s.isUnsigned)
          return rest;
        // The sign of the divisor, as in Python.
        Value zero = s.like(rest, 0);
        Value differs = s.ne(s.lt(rest, zero), s.lt(v[1], zero));
        Value adjust = s.logicalAnd(s.ne(rest, zero), differs);
        return s.select(adjust, s.add(rest, v[1]), rest);
      }));
}

/// A bound of Clip: an attribute before opset 11, an operand since.
FailureOr<Tensor> clipBound(Node &node, StringRef name, int64_t input,
                            Element element) {
  if (node.opset >= 11)
    return node.optionalInput(input);
  if (!node.attributes.has(name))
    return Tensor();
  TRY(double value, node.attributes.number(name, 0));
  return scalarConstant(node.b, element, value);
}

LogicalResult importClip(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor low, clipBound(node, "min", 1, x->element));
  TRY(Tensor high, clipBound(node, "max", 2, x->element));
  SmallVector<Tensor> operands = {x};
  if (low)
    operands.push_back(low);
  if (high)
    operands.push_back(high);
  if (operands.size() == 1)
    return node.set(0, x);
  return node.done(
      elementwise(node.b, operands, x->element, [&](Scalar &s, Values v) {
        Value result = low ? s.max(v[0], v[1]) : v[0];
        return high ? s.min(result, v.back()) : result;
      }));
}

Value sign(Scalar &s, Value x) {
  Value zero = s.like(x, 0), one = s.like(x, 1);
  if (s.isUnsigned && !isa<FloatType>(x.getType()))
    return s.select(s.eq(x, zero), zero, one);
  // Zero and NaN are their own sign.
  Value negative = s.select(s.lt(x, zero), s.like(x, -1), x);
  return s.select(s.gt(x, zero), one, negative);
}

LogicalResult importNeg(Node &node) {
  TRY(Tensor x, node.input(0));
  if (x->content && !x->constant) {
    SmallVector<Expr> values;
    for (Expr e : *x->content)
      values.push_back(node.b.sizes.mul(e, -1));
    return node.set(0, integerTensor(node.b, values, x->dims, x->element));
  }
  return numberUnary<[](Scalar &s, Value v) { return s.neg(v); }>(node);
}

LogicalResult importCast(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Element to, node.attributes.element("to", x->element));
  if (!node.attributes.has("to"))
    return node.fail("attribute 'to' is missing");
  TRY(bool saturate, node.attributes.flag("saturate", true));
  return node.done(convert(node.b, x, to, saturate));
}

LogicalResult importCastLike(Node &node) {
  TRY(Tensor x, node.input(0));
  TRY(Tensor like, node.input(1));
  TRY(bool saturate, node.attributes.flag("saturate", true));
  return node.done(convert(node.b, x, like->element, saturate));
}

LogicalResult importBitShift(Node &node) {
  TRY(auto operands, binaryOperands(node));
  auto &[a, b] = operands;
  TRY(std::string direction, node.attributes.string("direction", ""));
  if (direction != "LEFT" && direction != "RIGHT")
    return node.fail("attribute 'direction' is '" + direction +
                     "', expected LEFT or RIGHT");
  if (!a->element.isInteger())
    return node.fail("expected integer operands");
  int64_t bits = a->element.bits();
  return node.done(
      elementwise(node.b, {a, b}, a->element, [&](Scalar &s, Values v) {
        Value inside = s.make<arith::CmpIOp>(arith::CmpIPredicate::ult, v[1],
                                             s.integer(v[1].getType(), bits));
        Value count = s.select(inside, v[1], s.like(v[1], 0));
        Value shifted = direction == "LEFT"
                            ? s.make<arith::ShLIOp>(v[0], count)
                            : s.make<arith::ShRUIOp>(v[0], count);
        return s.select(inside, shifted, s.like(v[0], 0));
      }));
}

using OptionalExpr = std::optional<Expr>;

void addArithmetic(OpTable &t) {
  t.add("Add", 1,
        arithmetic<[](Scalar &s, Value a, Value b) { return s.add(a, b); },
                   [](Sizes &z, Expr a, Expr b) {
                     return OptionalExpr(z.add(a, b));
                   }>);
  t.add("Sub", 1,
        arithmetic<[](Scalar &s, Value a, Value b) { return s.sub(a, b); },
                   [](Sizes &z, Expr a, Expr b) {
                     return OptionalExpr(z.sub(a, b));
                   }>);
  t.add("Mul", 1,
        arithmetic<[](Scalar &s, Value a, Value b) { return s.mul(a, b); },
                   [](Sizes &z, Expr a, Expr b) {
                     return OptionalExpr(z.mul(a, b));
                   }>);
  t.add("Div", 1, importDiv);
  t.add("Mod", 10, importMod);
  t.add("Sum", 1,
        variadic<[](Scalar &s, Value a, Value b) { return s.add(a, b); },
                 [](Sizes &z, Expr a, Expr b) {
                   return OptionalExpr(z.add(a, b));
                 }>);
  t.add("Max", 1,
        variadic<[](Scalar &s, Value a, Value b) { return s.max(a, b); },
                 [](Sizes &z, Expr a, Expr b) {
                   return OptionalExpr(z.max(a, b));
                 }>);
  t.add("Min", 1,
        variadic<[](Scalar &s, Value a, Value b) { return s.min(a, b); },
                 [](Sizes &z, Expr a, Expr b) {
                   return OptionalExpr(z.min(a, b));
                 }>);
  t.add("Mean", 1, importMean);
  t.add("Clip", 1, importClip);
  t.add("Cast", 1, importCast, "no strings");
  t.add("CastLike", 15, importCastLike, "no strings");
  t.add("BitShift", 11, importBitShift);
}

template <typename Op> Value mathOp(Scalar &s, Value v) {
  return s.make<Op>(v);
}

void addUnary(OpTable &t) {
  t.add("Abs", 1, numberUnary<[](Scalar &s, Value v) { return s.abs(v); }>);
  t.add("Neg", 1, importNeg);
  t.add("Sign", 9, numberUnary<sign>);
  t.add("Floor", 1, rounding<mathOp<math::FloorOp>>);
  t.add("Ceil", 1, rounding<mathOp<math::CeilOp>>);
  t.add("Round", 11, rounding<mathOp<math::RoundEvenOp>>);
  t.add("Exp", 1, floatUnary<mathOp<math::ExpOp>>);
  t.add("Log", 1, floatUnary<mathOp<math::LogOp>>);
  t.add("Sqrt", 1, floatUnary<mathOp<math::SqrtOp>>);
  t.add("Reciprocal", 1,
        floatUnary<[](Scalar &s, Value v) { return s.div(s.like(v, 1), v); }>);
  t.add("Sin", 7, floatUnary<mathOp<math::SinOp>>);
  t.add("Cos", 7, floatUnary<mathOp<math::CosOp>>);
  t.add("Tan", 7, floatUnary<mathOp<math::TanOp>>);
  t.add("Asin", 7, floatUnary<mathOp<math::AsinOp>>);
  t.add("Acos", 7, floatUnary<mathOp<math::AcosOp>>);
  t.add("Atan", 7, floatUnary<mathOp<math::AtanOp>>);
  t.add("Sinh", 9, floatUnary<mathOp<math::SinhOp>>);
  t.add("Cosh", 9, floatUnary<mathOp<math::CoshOp>>);
  t.add("Asinh", 9, floatUnary<mathOp<math::AsinhOp>>);
  t.add("Acosh", 9, floatUnary<mathOp<math::AcoshOp>>);
  t.add("Atanh", 9, floatUnary<mathOp<math::AtanhOp>>);
  t.add("Tanh", 1, floatUnary<mathOp<math::TanhOp>>);
  t.add("Erf", 9, floatUnary<mathOp<math::ErfOp>>);
}

} // namespace

void addElementwiseOps(OpTable &table) {
  addArithmetic(table);
  addUnary(table);
}

} // namespace tilewright::onnx
