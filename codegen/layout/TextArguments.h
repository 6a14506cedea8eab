//===- TextArguments.h - Words and parameters of a layout's text -*- C++ -*-==//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_TEXTARGUMENTS_H
#define TILEWRIGHT_CODEGEN_LAYOUT_TEXTARGUMENTS_H

#include "codegen/layout/Layout.h"

#include <string>
#include <vector>

namespace tilewright::layout {

/// The words of a text, separated by blanks, of which some are key=value. Each
/// function takes a word away. The first thing that is wrong is kept, and what
/// is returned after it means nothing.
class TextArguments {
public:
  explicit TextArguments(std::string_view text);

  /// The next word, whatever it is.
  std::string_view word(std::string_view expected);
  bool atEnd() const { return words.empty(); }
  /// What follows the word `of`, which is taken away with it.
  std::string_view rest();

  bool has(std::string_view key) const;
  /// 128x64, or `scalar`.
  Dims shape(std::string_view key);
  Dims shapeOr(std::string_view key, const Dims &otherwise);
  /// 1,0
  Dims listOr(std::string_view key, const Dims &otherwise);
  /// 1,copies6,0: dimensions, and digits of so many copies, whose dimension is
  /// Repeats::copies. Empty where the key is not there.
  struct Digit {
    int64_t dim, count;
  };
  std::vector<Digit> digits(std::string_view key);
  int64_t integerOr(std::string_view key, int64_t otherwise);
  /// A type's name, as a separate word.
  unsigned elementBits();
  /// (0,1),(0,2): columns in a cell.
  std::vector<Dims> columns(std::string_view key, unsigned rank);
  /// A word that is a shape.
  Dims shapeWord();
  /// Its value; empty where the key is not there.
  std::string_view value(std::string_view key);

  /// Nothing may be left.
  void finish();

  bool failed() const { return !error.empty(); }
  /// Where it went wrong. Only where failed().
  Status status() const { return Status::invalidInput(error); }
  /// Reports that `expected` was expected where the text has `found`.
  void fail(std::string_view found, std::string_view expected);
  /// What a family rejected.
  void failWith(const std::string &reason);

private:
  bool parseInteger(std::string_view &from, int64_t &value);
  Dims parseDims(std::string_view from, char separator,
                 std::string_view expected);

  std::string_view text;
  std::vector<std::string_view> words;
  std::string error;
};

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_TEXTARGUMENTS_H
