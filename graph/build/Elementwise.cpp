#include "graph/build/Elementwise.h"

#include "graph/analysis/SizeBounds.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/FoldBinary.h"
#include "graph/build/KnownTensor.h"

using namespace mlir;

namespace tilewright::build {

FailureOr<Tensor> mapElements(GraphBuilder &b, const Tensor &x, UnaryFn fn) {
  return elementwise(b, {x}, x->element,
                     [&](Scalar &s, Values v) { return fn(s, v[0]); });
}

FailureOr<Tensor> roundElements(GraphBuilder &b, const Tensor &x, UnaryFn fn) {
  if (x->content && !x->constant)
    return x;
  return mapElements(b, x, fn);
}

FailureOr<Tensor> negate(GraphBuilder &b, const Tensor &x) {
  if (x->content && !x->constant) {
    SmallVector<Expr> values;
    for (Expr e : *x->content)
      values.push_back(b.sizes.mul(e, -1));
    return integerTensor(b, values, x->dims, x->element);
  }
  return mapElements(b, x, [](Scalar &s, Value v) { return s.neg(v); });
}

Value absolute(Scalar &s, Value x) { return s.abs(x); }

Value sign(Scalar &s, Value x) {
  Value zero = s.like(x, 0), one = s.like(x, 1);
  if (s.isUnsigned && !isa<FloatType>(x.getType()))
    return s.select(s.eq(x, zero), zero, one);
  // Zero and NaN are their own sign.
  Value negative = s.select(s.lt(x, zero), s.like(x, -1), x);
  return s.select(s.gt(x, zero), one, negative);
}

Value reciprocal(Scalar &s, Value x) { return s.div(s.like(x, 1), x); }

namespace {

/// An operator on elements and on known integers.
struct ArithmeticRow {
  BinaryFn scalar;
  Expr (*exact)(Sizes &, Expr, Expr);
};

/// In the order of Arithmetic.
const ArithmeticRow arithmeticRows[] = {
    {[](Scalar &s, Value x, Value y) { return s.add(x, y); },
     [](Sizes &z, Expr x, Expr y) { return z.add(x, y); }},
    {[](Scalar &s, Value x, Value y) { return s.sub(x, y); },
     [](Sizes &z, Expr x, Expr y) { return z.sub(x, y); }},
    {[](Scalar &s, Value x, Value y) { return s.mul(x, y); },
     [](Sizes &z, Expr x, Expr y) { return z.mul(x, y); }},
    {[](Scalar &s, Value x, Value y) { return s.max(x, y); },
     [](Sizes &z, Expr x, Expr y) { return z.max(x, y); }},
    {[](Scalar &s, Value x, Value y) { return s.min(x, y); },
     [](Sizes &z, Expr x, Expr y) { return z.min(x, y); }},
};

/// Fails where known integers are divided by a 0 that is known too: there is no
/// such number, and a size that depends on it would be made up.
LogicalResult expectNoZeroDivisor(GraphBuilder &b, const Tensor &x,
                                  const Tensor &y) {
  if (!x->element.isInteger())
    return success();
  Tensor dividend = evaluate(b, x);
  Tensor divisor = dividend ? evaluate(b, y) : nullptr;
  if (!divisor || !dividend->content || !divisor->content ||
      dividend->content->empty())
    return success();
  Sizes &sizes = b.sizes;
  for (Expr value : *divisor->content)
    if (isConst(value, 0))
      return b.fail(
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

} // namespace

FailureOr<Tensor> arithmetic(GraphBuilder &b, Arithmetic op, const Tensor &x,
                             const Tensor &y) {
  const ArithmeticRow &row = arithmeticRows[size_t(op)];
  auto exact = [&](Sizes &sizes, Expr left, Expr right) {
    return std::optional<Expr>(row.exact(sizes, left, right));
  };
  TRY(Tensor known, foldBinary(b, x, y, x->element, exact));
  if (known)
    return known;
  return elementwise(b, {x, y}, x->element, [&](Scalar &s, Values v) {
    return row.scalar(s, v[0], v[1]);
  });
}

FailureOr<Tensor> arithmetic(GraphBuilder &b, Arithmetic op,
                             ArrayRef<Tensor> inputs) {
  Tensor result = inputs[0];
  for (const Tensor &next : inputs.drop_front()) {
    if (next->element != result->element)
      return b.fail("operands have types " + dtypeName(result->element) +
                    " and " + dtypeName(next->element));
    TRY(result, arithmetic(b, op, result, next));
  }
  return result;
}

FailureOr<Tensor> meanOf(GraphBuilder &b, ArrayRef<Tensor> inputs) {
  return elementwise(b, inputs, inputs[0]->element, [](Scalar &s, Values v) {
    Value total = v[0];
    for (Value next : v.drop_front())
      total = s.add(total, next);
    return s.div(total, s.like(total, double(v.size())));
  });
}

/// A float quotient is known only if it is a whole number.
FailureOr<Tensor> divide(GraphBuilder &b, const Tensor &x, const Tensor &y) {
  if (failed(expectNoZeroDivisor(b, x, y)))
    return failure();
  bool isFloat = x->element.isFloat();
  auto exact = [isFloat](Sizes &sizes, Expr left, Expr right) {
    return isFloat ? sizes.exactDiv(left, right)
                   : exactDivision(sizes, left, right);
  };
  TRY(Tensor known, foldBinary(b, x, y, x->element, exact));
  if (known)
    return known;
  if (failed(requireDivisors(b, y)))
    return failure();
  return elementwise(b, {x, y}, x->element,
                     [](Scalar &s, Values v) { return s.div(v[0], v[1]); });
}

FailureOr<Tensor> modulo(GraphBuilder &b, const Tensor &x, const Tensor &y,
                         bool truncates) {
  if (failed(expectNoZeroDivisor(b, x, y)))
    return failure();
  auto exact = [](Sizes &sizes, Expr left, Expr right) -> std::optional<Expr> {
    auto divisor = lowerBoundUnlessEmpty(sizes, right),
         low = lowerBound(sizes, left);
    if (!divisor || *divisor <= 0 || !low || *low < 0)
      return std::nullopt;
    return sizes.mod(left, right);
  };
  TRY(Tensor known, foldBinary(b, x, y, x->element, exact));
  if (known)
    return known;
  if (failed(requireDivisors(b, y)))
    return failure();
  return elementwise(b, {x, y}, x->element, [&](Scalar &s, Values v) {
    Value rest = s.rem(v[0], v[1]);
    if (truncates || s.isUnsigned)
      return rest;
    // The sign of the divisor.
    Value zero = s.like(rest, 0);
    Value differs = s.ne(s.lt(rest, zero), s.lt(v[1], zero));
    Value adjust = s.logicalAnd(s.ne(rest, zero), differs);
    return s.select(adjust, s.add(rest, v[1]), rest);
  });
}

FailureOr<Tensor> clip(GraphBuilder &b, const Tensor &x, const Tensor &low,
                       const Tensor &high) {
  SmallVector<Tensor> operands = {x};
  if (low)
    operands.push_back(low);
  if (high)
    operands.push_back(high);
  if (operands.size() == 1)
    return x;
  return elementwise(b, operands, x->element, [&](Scalar &s, Values v) {
    Value result = low ? s.max(v[0], v[1]) : v[0];
    return high ? s.min(result, v.back()) : result;
  });
}

FailureOr<Tensor> shiftBits(GraphBuilder &b, const Tensor &x, const Tensor &y,
                            bool left) {
  int64_t bits = x->element.bits();
  return elementwise(b, {x, y}, x->element, [&](Scalar &s, Values v) {
    Value inside = s.make<arith::CmpIOp>(arith::CmpIPredicate::ult, v[1],
                                         s.integer(v[1].getType(), bits));
    Value count = s.select(inside, v[1], s.like(v[1], 0));
    Value shifted = left ? s.make<arith::ShLIOp>(v[0], count)
                         : s.make<arith::ShRUIOp>(v[0], count);
    return s.select(inside, shifted, s.like(v[0], 0));
  });
}

} // namespace tilewright::build
