#include "frontends/torch/Numbers.h"

#include <cmath>

namespace tilewright::torch {

using Kind = Expression::Kind;
using llvm::Twine;

FailureOr<Numbers::Ratio> Numbers::symbol(const std::string &name) {
  auto found = symbols.find(name);
  if (found != symbols.end())
    return Ratio{found->second, b.sizes.constant(1)};
  return b.fail("the size " + name +
                " is not that of an input: it follows from the elements of a "
                "tensor, which is not supported");
}

FailureOr<Numbers::Ratio> Numbers::inputSize(const Expression &expression) {
  auto found = inputs.find(expression.name);
  if (found == inputs.end())
    return b.fail("a condition names the size of '" + expression.name +
                  "', which is not an input");
  const Dims &dims = found->second;
  int64_t dim = expression.integer;
  if (dim < 0 || dim >= int64_t(dims.size()))
    return b.fail("a condition names dimension " + Twine(dim) + " of input '" +
                  expression.name + "', which has " + Twine(dims.size()));
  return Ratio{dims[dim], b.sizes.constant(1)};
}

FailureOr<Numbers::Ratio> Numbers::power(const Expression &expression) {
  TRY(Ratio base, ratio(expression.operands[0]));
  TRY(Expr exponent, size(expression.operands[1]));
  auto count = constantOf(exponent);
  if (!count || std::abs(*count) > 8)
    return b.fail("a size is a power with the exponent " +
                  b.sizes.str(exponent) + ", expected a number up to 8");
  if (*count < 0)
    std::swap(base.over, base.under);
  Ratio result{b.sizes.constant(1), b.sizes.constant(1)};
  for (int64_t i = 0; i < std::abs(*count); ++i)
    result = {b.sizes.mul(result.over, base.over),
              b.sizes.mul(result.under, base.under)};
  return result;
}

FailureOr<Numbers::Ratio> Numbers::combine(Kind kind, Ratio x, Ratio y) {
  Sizes &z = b.sizes;
  Expr one = z.constant(1);
  switch (kind) {
  case Kind::Add:
    if (x.under == y.under)
      return Ratio{z.add(x.over, y.over), x.under};
    return Ratio{z.add(z.mul(x.over, y.under), z.mul(y.over, x.under)),
                 z.mul(x.under, y.under)};
  case Kind::Multiply:
    return Ratio{z.mul(x.over, y.over), z.mul(x.under, y.under)};
  case Kind::Divide:
    return Ratio{z.mul(x.over, y.under), z.mul(x.under, y.over)};
  case Kind::FloorDivide:
    return Ratio{z.floorDiv(z.mul(x.over, y.under), z.mul(x.under, y.over)),
                 one};
  case Kind::CeilDivide:
    return Ratio{z.ceilDiv(z.mul(x.over, y.under), z.mul(x.under, y.over)),
                 one};
  case Kind::Remainder:
  case Kind::Minimum:
  case Kind::Maximum:
    if (!isConst(x.under, 1) || !isConst(y.under, 1))
      break;
    return Ratio{kind == Kind::Remainder ? z.mod(x.over, y.over)
                 : kind == Kind::Minimum ? z.min(x.over, y.over)
                                         : z.max(x.over, y.over),
                 one};
  default:
    break;
  }
  return b.fail("a size has arithmetic that is not supported");
}

FailureOr<Numbers::Ratio> Numbers::ratio(const Expression &expression) {
  Expr one = b.sizes.constant(1);
  const auto &operands = expression.operands;
  switch (expression.kind) {
  case Kind::Integer:
    return Ratio{b.sizes.constant(expression.integer), one};
  case Kind::Symbol:
    return symbol(expression.name);
  case Kind::InputSize:
    return inputSize(expression);
  case Kind::Power:
    return power(expression);
  case Kind::ToReal:
    return ratio(operands[0]);
  case Kind::Real:
    if (expression.real == std::floor(expression.real) &&
        std::abs(expression.real) < 0x1p53)
      return Ratio{b.sizes.constant(int64_t(expression.real)), one};
    return b.fail("a size is computed from " +
                  Twine(std::to_string(expression.real)) +
                  ", expected whole numbers");
  default:
    break;
  }
  if (operands.empty())
    return b.fail("a size has arithmetic that is not supported");
  TRY(Ratio result, ratio(operands[0]));
  if (operands.size() == 1 && expression.kind == Kind::CeilDivide)
    return Ratio{b.sizes.ceilDiv(result.over, result.under), one};
  if (operands.size() == 1 && expression.kind == Kind::FloorDivide)
    return Ratio{b.sizes.floorDiv(result.over, result.under), one};
  for (const Expression &each : llvm::drop_begin(operands)) {
    TRY(Ratio next, ratio(each));
    TRY(result, combine(expression.kind, result, next));
  }
  return result;
}

FailureOr<Expr> Numbers::size(const Expression &expression) {
  TRY(Ratio result, ratio(expression));
  if (isConst(result.under, 1))
    return result.over;
  return b.sizes.floorDiv(result.over, result.under);
}

FailureOr<Dims> Numbers::sizes(ArrayRef<Expression> expressions) {
  Dims dims;
  for (const Expression &each : expressions) {
    TRY(Expr dim, size(each));
    dims.push_back(dim);
  }
  return dims;
}

FailureOr<double> Numbers::real(const Expression &expression) {
  if (expression.kind == Kind::Real)
    return expression.real;
  if (expression.kind == Kind::ToReal)
    return real(expression.operands[0]);
  TRY(Ratio result, ratio(expression));
  auto over = constantOf(result.over), under = constantOf(result.under);
  if (!over || !under || *under == 0)
    return b.fail("a number depends on sizes: " + b.sizes.str(result.over));
  return double(*over) / double(*under);
}

FailureOr<Expr> Numbers::compared(const Expression &condition) {
  Sizes &z = b.sizes;
  TRY(Expr left, size(condition.operands[0]));
  TRY(Expr right, size(condition.operands[1]));
  Expr difference = z.sub(left, right);
  Expr square = z.mul(difference, difference);
  switch (condition.kind) {
  case Kind::Equal:
    return square;
  case Kind::NotEqual:
    return z.positivePart(z.sub(z.constant(1), square));
  case Kind::Less:
    return z.positivePart(z.add(difference, 1));
  default:
    return z.positivePart(difference);
  }
}

FailureOr<Expr> Numbers::violation(const Expression &condition) {
  Sizes &z = b.sizes;
  switch (condition.kind) {
  case Kind::Equal:
  case Kind::NotEqual:
  case Kind::Less:
  case Kind::LessEqual:
    return compared(condition);
  case Kind::And:
  case Kind::Or: {
    TRY(Expr result, violation(condition.operands[0]));
    for (const Expression &each : llvm::drop_begin(condition.operands)) {
      TRY(Expr next, violation(each));
      result = condition.kind == Kind::And ? z.add(result, next)
                                           : z.mul(result, next);
    }
    return result;
  }
  case Kind::Not: {
    TRY(Expr inner, violation(condition.operands[0]));
    return z.positivePart(z.sub(z.constant(1), inner));
  }
  case Kind::Integer:
    return z.constant(condition.integer == 0);
  default:
    return b.fail("a condition on sizes is not supported");
  }
}

} // namespace tilewright::torch
