// Takes the parts of a line one after the other.
#ifndef TILEWRIGHT_SPATIAL_PROGRAM_LINESCANNER_H
#define TILEWRIGHT_SPATIAL_PROGRAM_LINESCANNER_H

#include "spatial/program/InstructionText.h"

namespace tilewright::spatial {

/// The first failure stays; what is taken after it is of no use, but harmless.
class LineScanner {
public:
  LineScanner(std::string_view line, const NameTable &names)
      : rest(line), names(names) {}

  /// Whether the next word is `word`; if so, it is taken.
  bool accept(std::string_view word);
  /// The same without blanks before it.
  bool acceptHere(std::string_view text);
  /// Takes `word`, which must come next.
  void expect(std::string_view word);
  void expectHere(std::string_view text);
  /// A word to the next blank.
  std::string_view word();
  /// Letters, digits and underscores.
  std::string_view identifier();
  /// Digits.
  int64_t natural(int64_t most = mostLineNumber);
  /// "n+s", "n-s" or "n".
  Affine affine();
  /// "NAME[i]".
  VectorName vectorName();
  /// "e5,e6".
  StreamList streams();
  /// "S:V".
  Port streamOperand();
  /// "rR".
  Affine row();
  /// ".j".
  int16_t plane();
  /// A decimal number, inf or nan.
  double number();

  void skipBlanks();
  /// Whether nothing but blanks is left.
  [[nodiscard]] bool atEnd();
  [[nodiscard]] char peek() const { return rest.empty() ? '\0' : rest[0]; }
  /// Whether this begins like streams: "e0".
  [[nodiscard]] bool atStreams() const;

  /// The error "expected WHAT, found '..'", with what comes next.
  void failExpected(std::string_view what);
  void fail(std::string message);
  [[nodiscard]] bool failed() const { return !error.ok(); }
  [[nodiscard]] const Status &status() const { return error; }
  [[nodiscard]] const NameTable &table() const { return names; }

private:
  std::string_view rest;
  const NameTable &names;
  Status error;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_PROGRAM_LINESCANNER_H
