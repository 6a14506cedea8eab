#include "runtime/emulator/ptx/Expressions.h"
#include "support/Format.h"
#include <array>
#include <span>

namespace tilewright::emulator::ptx {

// Integers are 64 bits wide. They are signed here: an unsigned one of 2^63 or
// more, whose division, shift and comparison would differ, does not occur in
// constants.

//===--- Operators --------------------------------------------------------===//

static int64_t shiftLeft(int64_t a, int64_t b) {
  return uint64_t(b) > 63 ? 0 : int64_t(uint64_t(a) << b);
}
static int64_t shiftRight(int64_t a, int64_t b) {
  return a >> (uint64_t(b) > 63 ? 63 : b);
}
static int64_t wrapped(uint64_t value) { return int64_t(value); }

namespace {
struct BinaryOperator {
  std::string_view text;
  int64_t (*apply)(int64_t, int64_t);
};
} // namespace

/// Loosest first.
static std::span<const BinaryOperator> operatorsOf(unsigned level) {
  static constexpr BinaryOperator table[] = {
      {"||", [](int64_t a, int64_t b) { return int64_t(a || b); }},
      {"&&", [](int64_t a, int64_t b) { return int64_t(a && b); }},
      {"|", [](int64_t a, int64_t b) { return a | b; }},
      {"^", [](int64_t a, int64_t b) { return a ^ b; }},
      {"&", [](int64_t a, int64_t b) { return a & b; }},
      {"==", [](int64_t a, int64_t b) { return int64_t(a == b); }},
      {"!=", [](int64_t a, int64_t b) { return int64_t(a != b); }},
      {"<", [](int64_t a, int64_t b) { return int64_t(a < b); }},
      {"<=", [](int64_t a, int64_t b) { return int64_t(a <= b); }},
      {">", [](int64_t a, int64_t b) { return int64_t(a > b); }},
      {">=", [](int64_t a, int64_t b) { return int64_t(a >= b); }},
      {"<<", shiftLeft},
      {">>", shiftRight},
      {"+",
       [](int64_t a, int64_t b) { return wrapped(uint64_t(a) + uint64_t(b)); }},
      {"-",
       [](int64_t a, int64_t b) { return wrapped(uint64_t(a) - uint64_t(b)); }},
      {"*",
       [](int64_t a, int64_t b) { return wrapped(uint64_t(a) * uint64_t(b)); }},
      {"/", [](int64_t a,
               int64_t b) { return b == -1 ? wrapped(-uint64_t(a)) : a / b; }},
      {"%", [](int64_t a, int64_t b) { return b == -1 ? 0 : a % b; }},
  };
  static constexpr std::array<unsigned, 11> starts = {0, 1,  2,  3,  4, 5,
                                                      7, 11, 13, 15, 18};
  return std::span(table).subspan(starts[level],
                                  starts[level + 1] - starts[level]);
}
static constexpr unsigned levels = 10;

//===--- Expressions ------------------------------------------------------===//

static Constant parseUnary(TokenCursor &cursor) {
  TokenCursor::Nested nested(cursor);
  if (cursor.failed())
    return {};
  Token first = cursor.token();
  if (cursor.accept("+"))
    return parseUnary(cursor);
  if (cursor.accept("-") || cursor.accept("!") || cursor.accept("~")) {
    Constant constant = parseUnary(cursor);
    if (constant.isReal && first.is("-"))
      constant.value ^= uint64_t{1} << (constant.isDouble ? 63 : 31);
    else if (constant.isReal)
      cursor.fail(first.at,
                  format("expected an integer after '{}'", {first.text}));
    else
      constant.value = first.is("-")   ? -constant.value
                       : first.is("~") ? ~constant.value
                                       : uint64_t(!constant.value);
    return constant;
  }
  if (cursor.accept("(")) {
    // A cast: .s64 or .u64, which all integers are.
    if (cursor.acceptModifier("s64") || cursor.acceptModifier("u64")) {
      cursor.expect(")");
      return parseUnary(cursor);
    }
    Constant constant = parseConstant(cursor);
    cursor.expect(")");
    return constant;
  }
  if (first.kind == Token::Kind::identifier && first.text == "WARP_SZ") {
    cursor.take();
    return {false, false, 32};
  }
  if (first.kind != Token::Kind::integer && first.kind != Token::Kind::real) {
    cursor.failExpected("a constant");
    return {};
  }
  cursor.take();
  return {first.kind == Token::Kind::real, first.isDouble, first.value};
}

static Constant parseBinary(TokenCursor &cursor, unsigned level) {
  if (level == levels)
    return parseUnary(cursor);
  Constant left = parseBinary(cursor, level + 1);
  while (!cursor.failed()) {
    const BinaryOperator *found = nullptr;
    for (const BinaryOperator &candidate : operatorsOf(level))
      if (cursor.token().is(candidate.text))
        found = &candidate;
    if (!found)
      break;
    Location at = cursor.take().at;
    Constant right = parseBinary(cursor, level + 1);
    if (left.isReal || right.isReal)
      cursor.fail(at, format("expected integers around '{}'", {found->text}));
    else if ((found->text == "/" || found->text == "%") && !right.value)
      cursor.fail(at, "expected a divisor that is not 0");
    else
      left.value =
          uint64_t(found->apply(int64_t(left.value), int64_t(right.value)));
  }
  return left;
}

/// `a ? b : c`, whose operator is the loosest.
Constant parseConstant(TokenCursor &cursor) {
  Constant condition = parseBinary(cursor, 0);
  if (!cursor.accept("?"))
    return condition;
  TokenCursor::Nested nested(cursor);
  Constant yes = parseConstant(cursor);
  cursor.expect(":");
  Constant no = parseConstant(cursor);
  return condition.value ? yes : no;
}

uint64_t parseIntegerConstant(TokenCursor &cursor) {
  Location at = cursor.token().at;
  Constant constant = parseConstant(cursor);
  if (constant.isReal)
    cursor.fail(at, "expected an integer");
  return constant.value;
}

uint64_t parseOffset(TokenCursor &cursor) {
  bool present = cursor.token().is("+") || cursor.token().is("-");
  return present ? parseIntegerConstant(cursor) : 0;
}

} // namespace tilewright::emulator::ptx
