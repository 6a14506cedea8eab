#include "frontends/onnx/PatternLexer.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewright::onnx {

void PatternLexer::skipBlanks() {
  while (char c = peek()) {
    if (c == '#') {
      while (peek() && peek() != '\n')
        step();
    } else if (llvm::isSpace(c) && (c != '\n' || depth > 0)) {
      step();
    } else {
      return;
    }
  }
}

void PatternLexer::advance() {
  skipBlanks();
  token = {PatternToken::end, "", location};
  char c = peek();
  if (c == '\0')
    return;
  if (llvm::isAlpha(c) || c == '_') {
    token.kind = PatternToken::name;
    while (llvm::isAlnum(peek()) || peek() == '_' || peek() == '.')
      take();
  } else if (llvm::isDigit(c) || c == '.' ||
             (c == '-' && (llvm::isDigit(peek(1)) || peek(1) == '.'))) {
    token.kind = PatternToken::number;
    take();
    while (llvm::isAlnum(peek()) || peek() == '.' ||
           ((peek() == '-' || peek() == '+') &&
            llvm::toLower(token.text.back()) == 'e'))
      take();
  } else if (c == '"') {
    token.kind = PatternToken::string;
    step();
    while (peek() && peek() != '"')
      take();
    if (!peek())
      return fail(token.location, "a string has no end");
    step();
  } else if (c == '-' && peek(1) == '>') {
    token.kind = '>';
    take();
    take();
  } else if (c == '\n' || c == ';') {
    token.kind = ';';
    take();
  } else if (StringRef("(){}[],=").contains(c)) {
    token.kind = c;
    take();
    depth += StringRef("({[").contains(c);
    depth -= depth > 0 && StringRef(")}]").contains(c);
  } else {
    fail(location, "'" + Twine(c) + "' has no meaning in a pattern");
  }
}

void PatternLexer::failExpected(const Twine &what) {
  fail(token.location, "expected " + what + ", found " +
                           (is(PatternToken::end) ? std::string("the end")
                            : is(';') ? std::string("the line's end")
                                      : "'" + token.text + "'"));
}

bool PatternLexer::expect(char kind, const Twine &what) {
  if (!is(kind))
    failExpected(what);
  if (succeeded())
    advance();
  return succeeded();
}

} // namespace tilewright::onnx
