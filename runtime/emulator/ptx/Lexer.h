// PTX text as tokens.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PTX_LEXER_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PTX_LEXER_H

#include "runtime/emulator/ptx/Ast.h"
#include "tilewright/support/Status.h"

namespace tilewright::emulator::ptx {

struct Token {
  enum class Kind : uint8_t {
    end,
    /// `add`, `%r1`, `$L__BB0_1`.
    identifier,
    /// `.u32`, `.shared::cta`; the text is without the dot.
    modifier,
    /// An integer; `value`.
    integer,
    /// `0f...`, `0d...` or decimal; `value` has the bits.
    real,
    /// The text is without the quotes.
    string,
    /// One of , ; ( ) { } [ ] : | @ ! and the operators; `text`.
    punctuation,
  };
  Kind kind = Kind::end;
  /// A real of 64 bits.
  bool isDouble = false;
  /// No blank separates this token from the one before.
  bool adjacent = false;
  Location at;
  std::string_view text;
  uint64_t value = 0;

  [[nodiscard]] bool is(std::string_view punctuation) const {
    return kind == Kind::punctuation && text == punctuation;
  }
  /// As in an error message.
  [[nodiscard]] std::string describe() const;
};

/// The tokens of `text`, with one of kind `end` last. The tokens point into
/// `text`. Errors: an unknown character, a malformed number, an open comment or
/// string; "LINE:COLUMN: ...".
StatusOr<std::vector<Token>> tokenize(std::string_view text);

/// "LINE:COLUMN: message".
Status errorAt(Location at, std::string_view message);

} // namespace tilewright::emulator::ptx

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PTX_LEXER_H
