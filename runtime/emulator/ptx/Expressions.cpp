#include "runtime/emulator/ptx/ParserImpl.h"
#include "support/Format.h"
#include <array>
#include <bit>
#include <span>

namespace tilewright::emulator::ptx {

// Constant expressions, PTX section 4.6. Integers are 64 bits wide. They are
// signed here: an unsigned one of 2^63 or more, whose division, shift and
// comparison would differ, does not occur in constants.

using Apply = int64_t (*)(int64_t, int64_t);
namespace {
struct BinaryOperator {
  std::string_view text;
  Apply apply;
};
int64_t shiftLeft(int64_t a, int64_t b) {
  return uint64_t(b) > 63 ? 0 : int64_t(uint64_t(a) << b);
}
int64_t shiftRight(int64_t a, int64_t b) {
  return a >> (uint64_t(b) > 63 ? 63 : b);
}
int64_t wrapped(uint64_t value) { return int64_t(value); }
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

Constant Parser::parseBinary(unsigned level) {
  if (level == levels)
    return parseUnary();
  Constant left = parseBinary(level + 1);
  while (!failed()) {
    const BinaryOperator *found = nullptr;
    for (const BinaryOperator &candidate : operatorsOf(level))
      if (token().is(candidate.text))
        found = &candidate;
    if (!found)
      break;
    Location at = take().at;
    Constant right = parseBinary(level + 1);
    if (left.isReal || right.isReal)
      fail(at, format("expected integers around '{}'", {found->text}));
    else if ((found->text == "/" || found->text == "%") && !right.value)
      fail(at, "expected a divisor that is not 0");
    else
      left.value =
          uint64_t(found->apply(int64_t(left.value), int64_t(right.value)));
  }
  return left;
}

Constant Parser::parseUnary() {
  Nested nested(*this);
  if (failed())
    return {};
  Token first = token();
  if (accept("+"))
    return parseUnary();
  if (accept("-") || accept("!") || accept("~")) {
    Constant constant = parseUnary();
    if (constant.isReal && first.is("-"))
      constant.value ^= uint64_t{1} << (constant.isDouble ? 63 : 31);
    else if (constant.isReal)
      fail(first.at, format("expected an integer after '{}'", {first.text}));
    else
      constant.value = first.is("-")   ? -constant.value
                       : first.is("~") ? ~constant.value
                                       : uint64_t(!constant.value);
    return constant;
  }
  if (accept("(")) {
    // A cast: .s64 or .u64, which all integers are.
    if (acceptModifier("s64") || acceptModifier("u64")) {
      expect(")");
      return parseUnary();
    }
    Constant constant = parseConditional();
    expect(")");
    return constant;
  }
  if (first.kind == Token::Kind::identifier && first.text == "WARP_SZ") {
    take();
    return {false, false, 32};
  }
  if (first.kind != Token::Kind::integer && first.kind != Token::Kind::real) {
    failExpected("a constant");
    return {};
  }
  take();
  return {first.kind == Token::Kind::real, first.isDouble, first.value};
}

Constant Parser::parseConditional() {
  Constant condition = parseBinary(0);
  if (!accept("?"))
    return condition;
  Nested nested(*this);
  Constant yes = parseConditional();
  expect(":");
  Constant no = parseConditional();
  return condition.value ? yes : no;
}

Constant Parser::parseConstant() { return parseConditional(); }

uint64_t Parser::parseIntegerConstant() {
  Location at = token().at;
  Constant constant = parseConstant();
  if (constant.isReal)
    fail(at, "expected an integer");
  return constant.value;
}

} // namespace tilewright::emulator::ptx
