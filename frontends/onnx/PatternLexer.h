// The text of a pattern, piece by piece.
#pragma once

#include "frontends/onnx/Pattern.h"

namespace tilewright::onnx {

/// A piece of the text. A symbol's kind is its character; "->" is '>'.
struct PatternToken {
  enum Kind : char { end = 0, name = 'a', number = '0', string = '"' };
  char kind = end;
  std::string text;
  PatternLocation location;
};

/// Reads tokens up to the first error; the rest is not checked.
class PatternLexer {
public:
  explicit PatternLexer(llvm::StringRef text) : text(text) {}

  /// Reads the next token.
  void advance();
  /// Skips ends of lines and statements.
  void skipEnds() {
    while (succeeded() && is(';'))
      advance();
  }
  bool is(char kind) const { return token.kind == kind; }
  /// Reads over a token of this kind. Errors: it is of another; `what` was
  /// expected.
  bool expect(char kind, const llvm::Twine &what);
  void failExpected(const llvm::Twine &what);
  void fail(PatternLocation where, const llvm::Twine &what) {
    if (message.empty())
      message = what.str(), messageLocation = where;
  }
  bool succeeded() const { return message.empty(); }

  const llvm::StringRef text;
  /// Behind the token.
  size_t at = 0;
  PatternToken token;
  /// The first thing that is wrong; empty if nothing is.
  std::string message;
  PatternLocation messageLocation;

private:
  void skipBlanks();
  char peek(size_t ahead = 0) const {
    return at + ahead < text.size() ? text[at + ahead] : '\0';
  }
  void take() {
    token.text += text[at];
    step();
  }
  void step() {
    bool isLine = text[at++] == '\n';
    location.line += isLine;
    location.column = isLine ? 1 : location.column + 1;
  }

  /// Depth of brackets, in which a line's end is a blank.
  unsigned depth = 0;
  PatternLocation location;
};

} // namespace tilewright::onnx
