#include "runtime/emulator/ptx/TokenCursor.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::emulator::ptx {

const Token &TokenCursor::token(size_t ahead) const {
  return tokens[std::min(next + ahead, tokens.size() - 1)];
}

Token TokenCursor::take() {
  Token taken = token();
  if (next + 1 < tokens.size())
    ++next;
  return taken;
}

bool TokenCursor::accept(std::string_view punctuation) {
  if (!token().is(punctuation))
    return false;
  take();
  return true;
}

bool TokenCursor::isModifier(std::string_view text) const {
  return token().kind == Token::Kind::modifier && token().text == text;
}

bool TokenCursor::acceptModifier(std::string_view text) {
  if (!isModifier(text))
    return false;
  take();
  return true;
}

void TokenCursor::expect(std::string_view punctuation) {
  if (!accept(punctuation))
    failExpected(format("'{}'", {punctuation}));
}

Word TokenCursor::expectIdentifier(std::string_view what) {
  if (token().kind != Token::Kind::identifier) {
    failExpected(what);
    return {};
  }
  Token taken = take();
  return {taken.text, taken.at};
}

uint64_t TokenCursor::expectInteger(std::string_view what) {
  if (token().kind != Token::Kind::integer) {
    failExpected(what);
    return 0;
  }
  return take().value;
}

void TokenCursor::fail(Location at, std::string_view message) {
  if (!failed())
    error = errorAt(at, message);
  next = tokens.size() - 1;
}

void TokenCursor::failExpected(std::string_view what) {
  fail(token().at, format("expected {}, found {}", {what, token().describe()}));
}

TokenCursor::Nested::Nested(TokenCursor &cursor) : cursor(cursor) {
  if (++cursor.depth > 100)
    cursor.fail(cursor.token().at, "expected at most 100 nested scopes, "
                                   "lists or parentheses");
}

} // namespace tilewright::emulator::ptx
