#include "runtime/abi/Interval.h"
#include "runtime/abi/ExpressionNode.h"
#include <algorithm>

namespace tilewright::runtime {

using Op = Expression::Op;

static constexpr int64_t infinity = Interval::none;
static constexpr int64_t minusInfinity = -Interval::none - 1;

static bool isInfinite(int64_t value) {
  return value == infinity || value == minusInfinity;
}

/// `op` of two bounds; what no 64 bits hold is infinite, of `sign`.
static int64_t bound(Op op, int64_t a, int64_t b, bool isNegative) {
  const std::optional<int64_t> value = apply(op, a, b);
  return value.value_or(isNegative ? minusInfinity : infinity);
}

static int64_t negated(int64_t a) {
  return a == infinity ? minusInfinity : a == minusInfinity ? infinity : -a;
}

static int64_t addBounds(int64_t a, int64_t b) {
  if (isInfinite(a) || isInfinite(b))
    return isInfinite(a) ? a : b;
  return bound(Op::add, a, b, a < 0);
}

static int64_t mulBounds(int64_t a, int64_t b) {
  if (a == 0 || b == 0)
    return 0;
  const bool isNegative = (a < 0) != (b < 0);
  if (isInfinite(a) || isInfinite(b))
    return isNegative ? minusInfinity : infinity;
  return bound(Op::multiply, a, b, isNegative);
}

/// Of a positive divisor.
static int64_t quotient(Op op, int64_t a, int64_t b) {
  if (isInfinite(a))
    return a;
  if (b == infinity)
    return op == Op::floorDiv ? (a < 0 ? -1 : 0) : (a > 0 ? 1 : 0);
  return bound(op, a, b, a < 0);
}

/// From the least to the greatest of what `combine` makes of the bounds: for
/// operations that are monotonic in each operand.
template <typename Combine>
static Interval hull(Interval a, Interval b, Combine combine) {
  const int64_t corners[] = {combine(a.least, b.least),
                             combine(a.least, b.most), combine(a.most, b.least),
                             combine(a.most, b.most)};
  return {std::ranges::min(corners), std::ranges::max(corners)};
}

static Interval remainder(Interval a, Interval b) {
  if (b.least < 1)
    return {};
  if (a.least >= 0 && a.most < b.least)
    return a;
  return {0, b.most == infinity ? infinity : b.most - 1};
}

static Interval intervalOf(Op op, Interval a, Interval b) {
  switch (op) {
  case Op::negate:
    return {negated(a.most), negated(a.least)};
  case Op::add:
    return {addBounds(a.least, b.least), addBounds(a.most, b.most)};
  case Op::subtract:
    return {addBounds(a.least, negated(b.most)),
            addBounds(a.most, negated(b.least))};
  case Op::multiply:
    return hull(a, b, mulBounds);
  case Op::ceilDiv:
  case Op::floorDiv:
    if (b.least < 1)
      return {};
    return hull(a, b,
                [op](int64_t x, int64_t y) { return quotient(op, x, y); });
  case Op::mod:
    return remainder(a, b);
  case Op::min:
    return {std::min(a.least, b.least), std::min(a.most, b.most)};
  case Op::max:
    return {std::max(a.least, b.least), std::max(a.most, b.most)};
  case Op::constant:
  case Op::name:
    break;
  }
  return {};
}

static Interval
intervalOf(const Expression::Node &node,
           const std::map<std::string, Interval, std::less<>> &names) {
  if (node.op == Op::constant)
    return Interval::of(node.value);
  if (node.op == Op::name) {
    auto known = names.find(node.name);
    return known == names.end() ? Interval() : known->second;
  }
  return intervalOf(node.op, intervalOf(*node.lhs, names),
                    node.rhs ? intervalOf(*node.rhs, names) : Interval());
}

Interval intervalOf(const Expression &expression,
                    const std::map<std::string, Interval, std::less<>> &names) {
  return intervalOf(expression.root(), names);
}

} // namespace tilewright::runtime
