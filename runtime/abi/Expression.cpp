#include "tilewright/manifest/Expression.h"
#include "runtime/abi/ExpressionNode.h"
#include "support/Format.h"
#include <limits>
#include <set>

namespace tilewright::runtime {

using Node = Expression::Node;
using Op = Expression::Op;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

std::optional<int64_t> apply(Op op, int64_t a, int64_t b) {
  constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
  int64_t result = 0;
  switch (op) {
  case Op::constant:
  case Op::name:
    return std::nullopt;
  case Op::negate:
    if (__builtin_sub_overflow(int64_t{0}, a, &result))
      return std::nullopt;
    return result;
  case Op::add:
    if (__builtin_add_overflow(a, b, &result))
      return std::nullopt;
    return result;
  case Op::subtract:
    if (__builtin_sub_overflow(a, b, &result))
      return std::nullopt;
    return result;
  case Op::multiply:
    if (__builtin_mul_overflow(a, b, &result))
      return std::nullopt;
    return result;
  case Op::mod:
    if (b == 0)
      return std::nullopt;
    if (b == -1) // The quotient of the lowest number would overflow.
      return 0;
    result = a % b;
    return result != 0 && (result < 0) != (b < 0) ? result + b : result;
  case Op::ceilDiv:
  case Op::floorDiv: {
    if (b == 0 || (a == lowest && b == -1))
      return std::nullopt;
    int64_t quotient = a / b;
    if (a % b == 0)
      return quotient;
    bool negative = (a < 0) != (b < 0);
    if (op == Op::floorDiv)
      return negative ? quotient - 1 : quotient;
    return negative ? quotient : quotient + 1;
  }
  case Op::min:
    return a < b ? a : b;
  case Op::max:
    return a < b ? b : a;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

Expression::Expression(int64_t value)
    : node(std::make_shared<Node>(Node{Op::constant, value, {}})) {}

Expression::Expression(std::shared_ptr<const Node> node)
    : node(std::move(node)) {}

Expression Expression::symbol(std::string name) {
  assert(isExpressionName(name) && "not a name");
  return Expression(std::make_shared<Node>(Node{Op::name, 0, std::move(name)}));
}

Expression Expression::binary(Op op, Expression lhs, Expression rhs) {
  assert(op >= Op::add && "not a binary operation");
  std::optional<int64_t> a = lhs.constant(), b = rhs.constant();
  if (a && b)
    if (std::optional<int64_t> folded = apply(op, *a, *b))
      return *folded;
  bool addsZero = (op == Op::add || op == Op::subtract) && b == 0;
  bool divides = op == Op::ceilDiv || op == Op::floorDiv;
  if (addsZero || ((op == Op::multiply || divides) && b == 1))
    return lhs;
  if ((op == Op::add && a == 0) || (op == Op::multiply && a == 1))
    return rhs;
  return Expression(std::make_shared<Node>(
      Node{op, 0, {}, std::move(lhs.node), std::move(rhs.node)}));
}

Expression operator-(Expression a) {
  if (std::optional<int64_t> value = a.constant())
    if (std::optional<int64_t> folded = apply(Op::negate, *value, 0))
      return *folded;
  return Expression(std::make_shared<Node>(
      Node{Op::negate, 0, {}, std::move(a.node), nullptr}));
}

bool isExpressionName(std::string_view text) {
  if (text.empty() || !isNameStart(text[0]))
    return false;
  for (char c : text)
    if (!isNameRest(c))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

std::optional<int64_t> Expression::constant() const {
  if (node->op != Op::constant)
    return std::nullopt;
  return node->value;
}

std::optional<std::string_view> Expression::name() const {
  if (node->op != Op::name)
    return std::nullopt;
  return node->name;
}

static void collectNames(const Node &node, std::set<std::string> &names) {
  if (node.op == Op::name)
    names.insert(node.name);
  if (node.lhs)
    collectNames(*node.lhs, names);
  if (node.rhs)
    collectNames(*node.rhs, names);
}

std::vector<std::string> Expression::names() const {
  std::set<std::string> names;
  collectNames(*node, names);
  return {names.begin(), names.end()};
}

static bool equal(const Node *a, const Node *b) {
  if (a == b)
    return true;
  return a && b && a->op == b->op && a->value == b->value &&
         a->name == b->name && equal(a->lhs.get(), b->lhs.get()) &&
         equal(a->rhs.get(), b->rhs.get());
}

bool operator==(const Expression &lhs, const Expression &rhs) {
  return equal(lhs.node.get(), rhs.node.get());
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

namespace {
/// How tightly the printed form of a node binds. No node binds as tightly as
/// `parenthesized`.
enum Binding { sum, product, unary, atom, parenthesized };
} // namespace

static Binding bindingOf(const Node &node) {
  switch (node.op) {
  case Op::add:
  case Op::subtract:
    return sum;
  case Op::multiply:
    return product;
  case Op::negate:
    return unary;
  case Op::constant:
    return node.value < 0 ? unary : atom;
  default:
    return atom;
  }
}

static void print(const Node &node, std::string &out);

/// Prints an operand that must bind at least as tightly as `least`.
static void printOperand(const Node &node, Binding least, std::string &out) {
  bool parenthesize = bindingOf(node) < least;
  out += parenthesize ? "(" : "";
  print(node, out);
  out += parenthesize ? ")" : "";
}

static void printInfix(const Node &node, std::string_view op,
                       std::string &out) {
  Binding binding = bindingOf(node);
  printOperand(*node.lhs, binding, out);
  out += op;
  // Operators associate to the left.
  printOperand(*node.rhs, static_cast<Binding>(binding + 1), out);
}

static void print(const Node &node, std::string &out) {
  switch (node.op) {
  case Op::constant:
    out += std::to_string(node.value);
    return;
  case Op::name:
    out += node.name;
    return;
  case Op::negate:
    // "-3" would read back as a constant.
    out += "-";
    printOperand(*node.lhs,
                 node.lhs->op == Op::constant ? parenthesized : unary, out);
    return;
  case Op::add:
    return printInfix(node, " + ", out);
  case Op::subtract:
    return printInfix(node, " - ", out);
  case Op::multiply:
    return printInfix(node, " * ", out);
  default:
    break;
  }
  for (const ExpressionFunction &function : expressionFunctions)
    if (function.op == node.op)
      out += function.name;
  out += "(";
  print(*node.lhs, out);
  out += ", ";
  print(*node.rhs, out);
  out += ")";
}

std::string Expression::str() const {
  std::string out;
  print(*node, out);
  return out;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

static StatusOr<int64_t> evaluateNode(const Node &node,
                                      const Expression::Lookup &lookup) {
  if (node.op == Op::constant)
    return node.value;
  if (node.op == Op::name) {
    if (std::optional<int64_t> value = lookup(node.name))
      return *value;
    return Status::invalidInput(format("unknown name '{}'", {node.name}));
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(int64_t a, evaluateNode(*node.lhs, lookup));
  int64_t b = 0;
  if (node.rhs) {
    TILEWRIGHT_ASSIGN_OR_RETURN(b, evaluateNode(*node.rhs, lookup));
  }
  if (std::optional<int64_t> result = apply(node.op, a, b))
    return *result;
  bool divides =
      node.op == Op::ceilDiv || node.op == Op::floorDiv || node.op == Op::mod;
  std::string part;
  print(node, part);
  std::string operands = std::to_string(a);
  if (node.rhs)
    operands += format(" and {}", {b});
  return Status::invalidInput(format(
      "{} in '{}' with {}",
      {divides && b == 0 ? "division by zero" : "overflow", part, operands}));
}

StatusOr<int64_t> Expression::evaluate(const Lookup &lookup) const {
  StatusOr<int64_t> result = evaluateNode(*node, lookup);
  if (!result.ok() && node->op != Op::name)
    return result.status().prefixed(format("expression '{}'", {str()}));
  return result;
}

StatusOr<int64_t> Expression::evaluate(const Bindings &values) const {
  return evaluate([&](std::string_view name) -> std::optional<int64_t> {
    auto found = values.find(name);
    if (found == values.end())
      return std::nullopt;
    return found->second;
  });
}

} // namespace tilewright::runtime
