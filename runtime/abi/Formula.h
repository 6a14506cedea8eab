// Expressions that every launch evaluates: names are positions in an array.
#ifndef TILEWRIGHT_RUNTIME_ABI_FORMULA_H
#define TILEWRIGHT_RUNTIME_ABI_FORMULA_H

#include "tilewright/manifest/Expression.h"
#include <span>

namespace tilewright::runtime {

/// An expression whose names are read once. Immutable; safe to evaluate from
/// many threads.
class Formula {
public:
  /// The position of the value of a name; none if the name is unknown.
  using Positions = std::function<std::optional<uint32_t>(std::string_view)>;

  Formula(const Expression &expression, const Positions &positions);

  /// The value, for the values at all positions. None where
  /// Expression::evaluate() is an error, which says why.
  [[nodiscard]] std::optional<int64_t>
  evaluate(std::span<const int64_t> values) const {
    return valueOf(terms.back(), values);
  }

private:
  struct Term {
    Expression::Op op;
    /// Of a constant.
    int64_t value = 0;
    /// Of a name; none if it is unknown.
    std::optional<uint32_t> position = {};
    /// The positions of the operands' terms; of negations `lhs` only.
    uint32_t lhs = 0, rhs = 0;
  };
  uint32_t add(const Expression::Node &node, const Positions &positions);
  [[nodiscard]] std::optional<int64_t>
  valueOf(const Term &term, std::span<const int64_t> values) const;

  /// Operands before what uses them: the last is the expression.
  std::vector<Term> terms;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_ABI_FORMULA_H
