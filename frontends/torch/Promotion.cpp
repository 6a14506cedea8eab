#include "frontends/torch/Promotion.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/Movement.h"

using namespace mlir;

namespace tilewright::torch {
namespace {

/// Booleans, integers, floats.
int categoryOf(Element element) {
  return element.isBool() ? 0 : element.isInteger() ? 1 : 2;
}

/// Which operands decide: those with dimensions, those without, numbers.
int priorityOf(const Term &term) {
  return term.isNumber ? 2 : term.tensor->rank() == 0;
}

/// What a number counts as.
Element elementOfTerm(GraphBuilder &b, const Term &term) {
  Element element = term.tensor->element;
  return term.isNumber && element.isFloat() ? f32(b) : element;
}

} // namespace

FailureOr<Term> termOf(Call &call, StringRef name) {
  GraphBuilder &b = call.b;
  const Argument *argument = call.find(name);
  if (argument && std::holds_alternative<TensorName>(argument->value)) {
    TRY(Tensor tensor, call.tensor(name));
    return Term{tensor, false};
  }
  Element f64{b.builder.getF64Type()};
  if (argument && std::holds_alternative<double>(argument->value))
    return Term{scalarConstant(b, f64, std::get<double>(argument->value)),
                true};
  if (argument && std::holds_alternative<bool>(argument->value))
    return Term{scalarConstant(b, boolean(b), std::get<bool>(argument->value)),
                true};
  if (argument && std::holds_alternative<NumberName>(argument->value)) {
    if (call.isReal(name)) {
      TRY(double value, call.number(name));
      return Term{scalarConstant(b, f64, value), true};
    }
  }
  TRY(Expr value, call.size(name));
  return Term{integerTensor(b, {value}, {}, i64(b)), true};
}

Element promoteTypes(GraphBuilder &b, Element x, Element y) {
  if (x == y)
    return x;
  int left = categoryOf(x), right = categoryOf(y);
  if (left != right)
    return left > right ? x : y;
  if (x.isFloat()) {
    if (x.bits() != y.bits())
      return x.bits() > y.bits() ? x : y;
    return f32(b); // f16 and bf16.
  }
  if (x.isUnsigned == y.isUnsigned)
    return x.bits() > y.bits() ? x : y;
  const Element &wide = x.isUnsigned ? x : y, &other = x.isUnsigned ? y : x;
  if (other.bits() > wide.bits())
    return other;
  unsigned bits = std::min(wide.bits() * 2, 64u);
  return {b.builder.getIntegerType(bits), false};
}

FailureOr<Element> promote(GraphBuilder &b, ArrayRef<Term> terms) {
  std::optional<Element> byPriority[3];
  for (const Term &term : terms) {
    auto &result = byPriority[priorityOf(term)];
    Element element = elementOfTerm(b, term);
    result = result ? promoteTypes(b, *result, element) : element;
  }
  std::optional<Element> common;
  for (const auto &next : byPriority) {
    if (!next)
      continue;
    if (!common)
      common = next;
    else if (!common->isFloat() &&
             (common->isBool() || categoryOf(*next) > categoryOf(*common)))
      common = promoteTypes(b, *common, *next);
  }
  if (!common)
    return b.fail("has no operands");
  return *common;
}

FailureOr<Tensor> promoted(GraphBuilder &b, const Term &term, Element common) {
  if (term.isNumber && common.isNarrowFloat())
    return convert(b, term.tensor, f32(b));
  return convert(b, term.tensor, common);
}

FailureOr<Pair> promotedPair(Call &call, StringRef x, StringRef y) {
  TRY(Term left, termOf(call, x));
  TRY(Term right, termOf(call, y));
  Pair pair;
  TRY(pair.common, promote(call.b, {left, right}));
  TRY(pair.x, promoted(call.b, left, pair.common));
  TRY(pair.y, promoted(call.b, right, pair.common));
  return pair;
}

Element floating(GraphBuilder &b, Element element) {
  return element.isFloat() ? element : f32(b);
}

Tensor atLeastVector(GraphBuilder &b, const Tensor &x) {
  return x->rank() == 0 ? rearrange(b, x, {-1}) : x;
}

} // namespace tilewright::torch
