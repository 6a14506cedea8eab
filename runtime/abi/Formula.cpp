#include "runtime/abi/Formula.h"
#include "runtime/abi/ExpressionNode.h"

namespace tilewright::runtime {

using Op = Expression::Op;

Formula::Formula(const Expression &expression, const Positions &positions) {
  add(expression.root(), positions);
}

uint32_t Formula::add(const Expression::Node &node,
                      const Positions &positions) {
  Term term{.op = node.op, .value = node.value};
  if (node.op == Op::name)
    term.position = positions(node.name);
  if (node.lhs)
    term.lhs = add(*node.lhs, positions);
  if (node.rhs)
    term.rhs = add(*node.rhs, positions);
  terms.push_back(term);
  return static_cast<uint32_t>(terms.size() - 1);
}

std::optional<int64_t> Formula::valueOf(const Term &term,
                                        std::span<const int64_t> values) const {
  if (term.op == Op::constant)
    return term.value;
  if (term.op == Op::name)
    return term.position ? std::optional(values[*term.position]) : std::nullopt;
  const std::optional<int64_t> a = valueOf(terms[term.lhs], values);
  if (!a || term.op == Op::negate)
    return a ? apply(term.op, *a, 0) : std::nullopt;
  const std::optional<int64_t> b = valueOf(terms[term.rhs], values);
  return b ? apply(term.op, *a, *b) : std::nullopt;
}

} // namespace tilewright::runtime
