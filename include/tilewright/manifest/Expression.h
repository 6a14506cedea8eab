// Integer expressions over named sizes: shapes, grids and buffer sizes in
// manifests.
#ifndef TILEWRIGHT_MANIFEST_EXPRESSION_H
#define TILEWRIGHT_MANIFEST_EXPRESSION_H

#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

/// An order of names that seldom looks at their letters.
struct ShorterFirst {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }
};

/// Values of names. Ordered, so that printed results are stable.
using Bindings = std::map<std::string, int64_t, ShorterFirst>;

/// An immutable expression on 64-bit signed integers.
///
///   expression := sum
///   sum        := product (('+' | '-') product)*
///   product    := unary ('*' unary)*
///   unary      := '-' unary | integer | name | '(' sum ')'
///               | function '(' sum ',' sum ')'
///   function   := ceildiv | floordiv | mod | min | max
///   name       := [A-Za-z_][A-Za-z0-9_.]*
///
/// floordiv rounds down, ceildiv up, and mod(a, b) = a - b * floordiv(a, b).
/// Copies are cheap and share their nodes; safe to read from many threads.
class TILEWRIGHT_API Expression {
public:
  enum class Op {
    constant,
    name,
    negate,
    add,
    subtract,
    multiply,
    ceilDiv,
    floorDiv,
    mod,
    min,
    max,
  };
  /// Returns the value of a name; none if the name is unknown.
  using Lookup = std::function<std::optional<int64_t>(std::string_view)>;

  /// The constant `value` (implicit, because a static size is an expression).
  Expression(int64_t value = 0);
  /// The size called `name`, which must be a name of the grammar.
  static Expression symbol(std::string name);
  /// `op` applied to two operands; folds constants if the result is exact.
  static Expression binary(Op op, Expression lhs, Expression rhs);

  /// Parses the textual form. Errors quote the text and name the column.
  static StatusOr<Expression> parse(std::string_view text);

  /// The value for these bindings. Errors: division by zero, overflow and
  /// unknown names; the message quotes the failing part and its operands.
  StatusOr<int64_t> evaluate(const Bindings &values) const;
  StatusOr<int64_t> evaluate(const Lookup &lookup) const;

  /// The textual form with the fewest parentheses; parse(str()) == *this.
  [[nodiscard]] std::string str() const;
  /// The value, if the expression is one constant.
  [[nodiscard]] std::optional<int64_t> constant() const;
  /// The name, if the expression is one name.
  [[nodiscard]] std::optional<std::string_view> name() const;
  /// All names in it, sorted, each once.
  [[nodiscard]] std::vector<std::string> names() const;

  /// Structural equality.
  friend bool operator==(const Expression &lhs, const Expression &rhs);
  friend Expression operator+(Expression a, Expression b) {
    return binary(Op::add, std::move(a), std::move(b));
  }
  friend Expression operator-(Expression a, Expression b) {
    return binary(Op::subtract, std::move(a), std::move(b));
  }
  friend Expression operator*(Expression a, Expression b) {
    return binary(Op::multiply, std::move(a), std::move(b));
  }
  friend Expression operator-(Expression a);

  /// The tree, for the sources of Expression only.
  struct Node;
  [[nodiscard]] const Node &root() const { return *node; }

private:
  friend class ExpressionParser;
  explicit Expression(std::shared_ptr<const Node> node);
  std::shared_ptr<const Node> node;
};

/// Whether `text` is a name of the grammar.
[[nodiscard]] TILEWRIGHT_API bool isExpressionName(std::string_view text);

[[nodiscard]] inline Expression ceilDiv(Expression a, Expression b) {
  return Expression::binary(Expression::Op::ceilDiv, std::move(a),
                            std::move(b));
}
[[nodiscard]] inline Expression floorDiv(Expression a, Expression b) {
  return Expression::binary(Expression::Op::floorDiv, std::move(a),
                            std::move(b));
}
[[nodiscard]] inline Expression mod(Expression a, Expression b) {
  return Expression::binary(Expression::Op::mod, std::move(a), std::move(b));
}
[[nodiscard]] inline Expression min(Expression a, Expression b) {
  return Expression::binary(Expression::Op::min, std::move(a), std::move(b));
}
[[nodiscard]] inline Expression max(Expression a, Expression b) {
  return Expression::binary(Expression::Op::max, std::move(a), std::move(b));
}

} // namespace tilewright::runtime

#endif // TILEWRIGHT_MANIFEST_EXPRESSION_H
