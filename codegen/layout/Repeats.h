//===- Repeats.h - How a layout counts the repeats of its cell --*- C++ -*-===//
//
// The repeats of a cell are counted by an index: its digits are the repeats
// along each dimension, the last dimension the fastest unless the layout has
// its own order. Registers (or offsets) count the index, unless it is *dealt*
// to parts: groups of warps, or single ones. Then
//
//   index = part + parts * round
//
// and registers count the rounds. The last round may be partly empty. A digit
// may also count *copies*: it moves along no dimension.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_REPEATS_H
#define TILEWRIGHT_CODEGEN_LAYOUT_REPEATS_H

#include "codegen/layout/Dims.h"
#include "tilewright/support/Status.h"

namespace tilewright::layout {

class Repeats {
public:
  /// In place of a dimension: the digit counts copies.
  static constexpr int64_t copies = -1;
  static constexpr int64_t maxParts = 32;

  Repeats() = default;
  /// `counts[d]` repeats along dimension d. `order`, a permutation, lists the
  /// dimensions from the slowest to the fastest; empty means 0, 1, ...
  Repeats(const Dims &counts, const Dims &order = {});
  Repeats(std::initializer_list<int64_t> counts) : Repeats(Dims(counts)) {}
  /// Of `rank` dimensions, with the digits of these dimensions (or copies) and
  /// counts, the slowest first. Rejected where a dimension is named twice or
  /// does not exist, or where a count is not positive.
  static StatusOr<Repeats> ofDigits(unsigned rank, const Dims &dims,
                                    const Dims &counts);

  [[nodiscard]] unsigned rank() const { return theCounts.rank(); }
  /// Along each dimension.
  [[nodiscard]] const Dims &counts() const { return theCounts; }
  int64_t operator[](unsigned dim) const { return theCounts[dim]; }
  /// The dimension (or `copies`) and the count of each digit, the slowest
  /// first. Digits that count to 1 are left out.
  [[nodiscard]] const Dims &digits() const { return theDigits; }
  [[nodiscard]] const Dims &digitCounts() const { return theDigitCounts; }
  /// All dimensions, the slowest first.
  [[nodiscard]] Dims order() const;

  /// The groups of warps that the index is dealt to, and the rounds in which
  /// that happens.
  [[nodiscard]] int64_t parts() const { return theParts; }
  [[nodiscard]] int64_t rounds() const { return (total() - 1) / theParts + 1; }
  /// How far the index counts: copies included.
  [[nodiscard]] int64_t total() const { return theDigitCounts.product(); }
  [[nodiscard]] bool isRowMajor() const;
  /// Whether in a partly empty round the repeat along `dim` runs on beyond its
  /// count.
  [[nodiscard]] bool runsOnAlong(unsigned dim) const;
  /// Neither dealt nor with copies: registers alone count them.
  [[nodiscard]] bool isPlain() const;
  /// Plain, or each part holds a copy of all repeats, and rounds count them.
  [[nodiscard]] bool isLocal() const;
  /// Whether along each dimension the repeat is a sum of what the part chooses
  /// and what the round chooses.
  [[nodiscard]] bool isSeparable() const;

  /// The index of a repeat, copies 0, and the reverse. Beyond the total the
  /// slowest digit runs on.
  [[nodiscard]] int64_t index(const Dims &repeat) const;
  [[nodiscard]] Dims at(int64_t index) const;
  /// How many distinct repeats along `dim` the parts choose.
  [[nodiscard]] int64_t partsAlong(unsigned dim) const;
  /// Whether the digits of copies are 0.
  [[nodiscard]] bool isOwner(int64_t index) const;
  /// Whether the part alone decides that.
  [[nodiscard]] bool ownersArePart() const;

  //===--- Changed copies of it -------------------------------------------===//

  /// Of local ones, those that each part counts: plain.
  [[nodiscard]] Repeats ofPart() const;
  /// Dealt to this many parts.
  [[nodiscard]] Repeats dealtTo(int64_t parts) const;
  /// Of plain ones, those along `dim` dealt, and padded so that each part has
  /// as many: separable. Copies where there is only one.
  [[nodiscard]] Repeats dealtAlong(unsigned dim, int64_t parts) const;
  /// Other counts; a digit that is new becomes the slowest where repeats are
  /// not plain and row-major.
  [[nodiscard]] Repeats withCounts(const Dims &counts) const;
  /// Dimension `dim` no longer counts: its digit is left out where each part
  /// still has what it had, else it counts copies.
  [[nodiscard]] Repeats collapsed(unsigned dim) const;
  /// The index in collapsed(dim) of what has `index` here.
  [[nodiscard]] int64_t collapsedIndex(unsigned dim, int64_t index) const;
  /// The dimension's digit counts copies.
  [[nodiscard]] Repeats copiedAlong(unsigned dim) const;
  /// Of plain ones, `count` copies of all, one for each part.
  [[nodiscard]] Repeats copiedTo(int64_t count) const;
  /// Dimension d becomes newDims[d]; -1 where it goes, and it may only where
  /// it has no repeats. Others of `rank` dimensions come without repeats.
  [[nodiscard]] Repeats renamed(const Dims &newDims, unsigned rank) const;

  friend bool operator==(const Repeats &, const Repeats &) = default;

private:
  /// The digit that collapsed(dim) leaves out, or -1, and what the faster ones
  /// count to.
  struct LeftOut {
    int digit = -1;
    int64_t faster = 1;
  };
  [[nodiscard]] LeftOut leftOut(unsigned dim) const;

  Dims theCounts, theDigits, theDigitCounts;
  int64_t theParts = 1;
};

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_REPEATS_H
