// The tree behind Expression; private to its sources.
#ifndef TILEWRIGHT_RUNTIME_ABI_EXPRESSIONNODE_H
#define TILEWRIGHT_RUNTIME_ABI_EXPRESSIONNODE_H

#include "tilewright/manifest/Expression.h"

namespace tilewright::runtime {

/// One node. Unary ops use `lhs` only.
struct Expression::Node {
  Op op = Op::constant;
  int64_t value = 0;
  std::string name;
  std::shared_ptr<const Node> lhs = nullptr;
  std::shared_ptr<const Node> rhs = nullptr;
};

/// The result of one operation; nothing on overflow or division by zero.
std::optional<int64_t> apply(Expression::Op op, int64_t a, int64_t b);

/// The functions of the language: how they are spelled.
struct ExpressionFunction {
  std::string_view name;
  Expression::Op op;
};
inline constexpr ExpressionFunction expressionFunctions[] = {
    {"ceildiv", Expression::Op::ceilDiv},
    {"floordiv", Expression::Op::floorDiv},
    {"mod", Expression::Op::mod},
    {"min", Expression::Op::min},
    {"max", Expression::Op::max},
};

/// Characters of names, independent of the locale.
constexpr bool isNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool isNameRest(char c) {
  return isNameStart(c) || (c >= '0' && c <= '9') || c == '.';
}

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_ABI_EXPRESSIONNODE_H
