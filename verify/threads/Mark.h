//===- Mark.h - What a lane is besides its bits -----------------*- C++ -*-===//
//
// A lane is poison, or exact, or it has bounds of errors: one for the number
// that it is, or one for each of the numbers that are packed into it. All is in
// one word, so that lanes carry it wherever they are copied.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_VERIFY_THREADS_MARK_H
#define TILEWRIGHT_VERIFY_THREADS_MARK_H

#include "mlir/IR/Operation.h"
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tilewright::verify::threads {

/// The bound of what nothing is known of.
inline constexpr double kUnknownError = std::numeric_limits<double>::infinity();

/// A number that is not negative, as few bits, rounded up.
template <unsigned exponentBits, unsigned fractionBits> struct SmallBound {
  static constexpr unsigned kBits = exponentBits + fractionBits;
  static constexpr uint64_t kLast = (uint64_t(1) << kBits) - 1;
  /// The exponent of the number 1 << fractionBits. Errors are mostly small.
  static constexpr int kLeast = 1023 - (1 << exponentBits) * 3 / 4;

  static uint64_t encode(double bound) {
    if (bound == 0)
      return 0;
    const auto bits = std::bit_cast<uint64_t>(bound);
    const uint64_t unit = uint64_t(1) << (52 - fractionBits);
    const uint64_t kept = (bits + unit - 1) / unit;
    const uint64_t least = uint64_t(kLeast) << fractionBits;
    if (kept <= least)
      return 1;
    return std::min(kept - least, kLast);
  }
  static double decode(uint64_t number) {
    if (number == 0)
      return 0;
    if (number >= kLast)
      return std::numeric_limits<double>::infinity();
    return std::bit_cast<double>((number + (uint64_t(kLeast) << fractionBits))
                                 << (52 - fractionBits));
  }
};

class Mark {
public:
  /// Poison by that op; null: nothing.
  Mark(mlir::Operation *poison = nullptr)
      : word(reinterpret_cast<uint64_t>(poison)) {}
  /// Of an exact lane 0.
  static Mark error(double bound) {
    if (bound == 0)
      return {};
    // NaN comes from infinite bounds.
    if (!(bound < std::numeric_limits<double>::infinity()))
      return tagged(whole, kInfinite);
    const auto bits = std::bit_cast<uint64_t>(bound);
    return tagged(whole, std::min(bits + kTagMask, kInfinite));
  }
  /// Of 2, 4 or 8 parts of the lane, the lowest bits first.
  static Mark parts(llvm::ArrayRef<double> bounds);
  /// Of 1 or 2 parts that are the upper bits of numbers: by how much these are
  /// larger, besides the parts' own errors.
  static Mark upperBits(llvm::ArrayRef<double> bounds,
                        llvm::ArrayRef<double> rests);
  /// Where a lane has half of a number: all of it, or its lower or upper half,
  /// beside exact bits.
  enum class Where : uint8_t { all, lower, upper };
  /// Half of a number of twice the size.
  static Mark half(double bound, bool isUpperHalf, Where where);
  /// Nothing is known of it.
  static Mark unknown() { return tagged(whole, kInfinite); }

  bool operator==(const Mark &other) const { return word == other.word; }

  /// The op that made it poison; null if none did.
  operator mlir::Operation *() const {
    return word & 1 ? nullptr : reinterpret_cast<mlir::Operation *>(word);
  }
  mlir::Operation *operator->() const { return *this; }
  [[nodiscard]] bool isPoison() const { return word && !(word & 1); }
  [[nodiscard]] bool isClear() const { return word == 0; }
  /// Whether it is no poison, and has no error.
  [[nodiscard]] bool isExact() const {
    return word == 0 || ((word & 1) && isWithoutError());
  }
  /// Whether there are bounds: not for poison.
  [[nodiscard]] bool hasBounds() const { return word & 1; }
  /// How many parts have a bound each; 1 for the lane itself.
  [[nodiscard]] unsigned count() const;
  [[nodiscard]] double bound(unsigned part) const;
  [[nodiscard]] bool isHalf() const { return hasBounds() && kind() == torn; }
  /// Of a half.
  [[nodiscard]] bool isUpperHalf() const { return (word >> 4 & 1) != 0; }
  [[nodiscard]] Where where() const { return Where(word >> 5 & 3); }
  /// Whether the parts are the upper bits of numbers.
  [[nodiscard]] bool isUpper() const { return hasBounds() && kind() >= upper; }
  /// That of one of `count` parts.
  [[nodiscard]] Mark ofPart(unsigned part, unsigned count) const;
  /// The rest of a part that is the upper bits of a number; 0 for others.
  [[nodiscard]] double rest(unsigned part) const;

private:
  enum Kind : uint64_t { whole, two, four, eight, torn, upper, twoUpper };
  static constexpr uint64_t kTagMask = 15;
  static constexpr uint64_t kInfinite = uint64_t(0x7ff) << 52;
  using Half = SmallBound<8, 22>;
  using Quarter = SmallBound<8, 7>;
  using Eighth = SmallBound<7, 0>;

  static Mark tagged(Kind kind, uint64_t payload) {
    Mark made;
    made.word = (payload & ~kTagMask) | kind << 1 | 1;
    return made;
  }
  [[nodiscard]] Kind kind() const { return Kind(word >> 1 & 7); }
  [[nodiscard]] uint64_t field(unsigned index, unsigned bits) const {
    return word >> (4 + index * bits) & ((uint64_t(1) << bits) - 1);
  }
  [[nodiscard]] bool isWithoutError() const;

  uint64_t word;
};

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_MARK_H
