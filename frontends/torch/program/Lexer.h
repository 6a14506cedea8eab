// What the texts of expressions consist of.
#pragma once

#include "tilewright/compiler/TorchProgram.h"
#include "tilewright/support/Status.h"

#include <cctype>
#include <charconv>

namespace tilewright::torch {

/// Expressions are nested at most as deep as this.
inline constexpr int mostLevels = 200;

inline Expression make(Expression::Kind kind,
                       std::vector<Expression> operands) {
  Expression result;
  result.kind = kind;
  result.operands = std::move(operands);
  return result;
}

inline Expression integer(int64_t value) {
  Expression result;
  result.integer = value;
  return result;
}

/// What both languages read: words, numbers, quoted names, signs.
class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}

  bool atEnd() {
    skipSpace();
    return at == text.size();
  }
  /// Takes these characters if they are next.
  bool take(std::string_view sign) {
    skipSpace();
    if (text.substr(at, sign.size()) != sign)
      return false;
    at += sign.size();
    return true;
  }
  bool peek(std::string_view sign) {
    skipSpace();
    return text.substr(at, sign.size()) == sign;
  }
  /// A word of letters, digits and "_"; empty if there is none.
  std::string_view word() {
    skipSpace();
    size_t from = at;
    while (at < text.size() && isWord(text[at]))
      ++at;
    return text.substr(from, at - from);
  }
  bool takeWord(std::string_view wanted) {
    size_t before = at;
    if (word() == wanted)
      return true;
    at = before;
    return false;
  }
  /// A name in quotes; nothing if there is none.
  std::optional<std::string_view> quoted() {
    skipSpace();
    if (at == text.size() || (text[at] != '\'' && text[at] != '"'))
      return std::nullopt;
    size_t end = text.find(text[at], at + 1);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string_view name = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return name;
  }
  /// A whole number that 64 bits hold.
  std::optional<int64_t> number() {
    skipSpace();
    int64_t value;
    const char *begin = text.data() + at, *end = text.data() + text.size();
    auto [next, error] = std::from_chars(begin, end, value);
    if (error != std::errc())
      return std::nullopt;
    at += next - begin;
    return value;
  }
  bool startsNumber() {
    skipSpace();
    return at < text.size() &&
           std::isdigit(static_cast<unsigned char>(text[at]));
  }
  Status wrong(std::string_view expected) const {
    std::string_view rest = text.substr(at, 40);
    return Status::invalidInput("expected " + std::string(expected) +
                                " in the expression \"" + std::string(text) +
                                "\" at \"" + std::string(rest) + "\"");
  }

private:
  static bool isWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  }
  void skipSpace() {
    while (at < text.size() && text[at] == ' ')
      ++at;
  }

  std::string_view text;
  size_t at = 0;
};

} // namespace tilewright::torch
