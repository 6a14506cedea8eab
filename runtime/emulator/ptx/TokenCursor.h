// What all parts of the PTX parser share: the position in the tokens, and the
// first error.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PTX_TOKENCURSOR_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PTX_TOKENCURSOR_H

#include "runtime/emulator/ptx/Lexer.h"

namespace tilewright::emulator::ptx {

/// Every parse function takes a cursor and parses the construct in its name
/// from the current position. The first error stays in the cursor, and parsing
/// then ends soon: only the end of the text follows, so that nothing is
/// accepted any more, and each loop checks failed(). So no function need check
/// after each step.
class TokenCursor {
public:
  explicit TokenCursor(std::vector<Token> tokens) : tokens(std::move(tokens)) {}

  /// The next token, or one behind it; at the end, the last, of kind `end`.
  [[nodiscard]] const Token &token(size_t ahead = 0) const;
  [[nodiscard]] bool isModifier(std::string_view text) const;
  Token take();
  /// Takes the next token if it is this one.
  bool accept(std::string_view punctuation);
  bool acceptModifier(std::string_view text);
  /// Takes the next token, or fails. `what` is what the message expects.
  void expect(std::string_view punctuation);
  Word expectIdentifier(std::string_view what);
  uint64_t expectInteger(std::string_view what);

  void fail(Location at, std::string_view message);
  /// At the next token: "expected WHAT, found TOKEN".
  void failExpected(std::string_view what);
  [[nodiscard]] bool failed() const { return !error.ok(); }
  [[nodiscard]] const Status &status() const { return error; }

  /// Guards a recursion: nested blocks, lists and parentheses have a limit.
  class Nested {
  public:
    explicit Nested(TokenCursor &cursor);
    ~Nested() { --cursor.depth; }

  private:
    TokenCursor &cursor;
  };

private:
  std::vector<Token> tokens;
  size_t next = 0;
  unsigned depth = 0;
  Status error;
};

} // namespace tilewright::emulator::ptx

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PTX_TOKENCURSOR_H
