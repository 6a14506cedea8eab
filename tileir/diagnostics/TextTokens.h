// The tokens of MLIR's text.
#ifndef TILEWRIGHT_TILEIR_DIAGNOSTICS_TEXTTOKENS_H
#define TILEWRIGHT_TILEIR_DIAGNOSTICS_TEXTTOKENS_H

#include "llvm/ADT/StringRef.h"

namespace tilewright {

/// Goes over a text token by token, without blanks and comments: strings with
/// their quotes, words and numbers, names with the sign that they begin with,
/// `->`, `>=`, and single characters. A copy goes on by itself; the text must
/// outlive it.
class TextTokens {
public:
  explicit TextTokens(llvm::StringRef text) : text(text) { skipBlanks(); }

  /// The next token; empty at the end.
  llvm::StringRef peek() const;
  /// The same, and goes past it.
  llvm::StringRef next();
  /// Goes past the next token if it is this one.
  bool consume(llvm::StringRef token);
  /// Behind an open bracket: goes past its end; what is in it.
  llvm::StringRef skipBrackets();
  /// Of the next token in the text, at most its last character's.
  size_t position() const;

private:
  void skipBlanks();

  llvm::StringRef text;
  size_t at = 0;
};

} // namespace tilewright

#endif // TILEWRIGHT_TILEIR_DIAGNOSTICS_TEXTTOKENS_H
