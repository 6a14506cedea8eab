// Which results a program permits: what the specification leaves open makes a
// set of them.
#pragma once

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace mlir {
class Operation;
} // namespace mlir

namespace tilewright::reference {

/// What a run takes for open. The computed results are the same in each case;
/// with more freedom there may be other ones beside them.
enum class Freedom {
  /// Nothing: each result is the computed one.
  none,
  /// The order of sums and products of floats, in reductions, scans, dots and
  /// atomics, in the type of their accumulator; and the precision of a dot.
  order,
  /// That, and each rounding: results between the exact one and those that are
  /// further from it by what the type, a fused multiply-add or the
  /// implementation of a function may lose.
  roundings,
};

/// How far a function of math may be from the exact result, in units of the
/// last place of f32 and of f64; types below f32 are computed in f32 and
/// rounded once more.
struct FunctionBound {
  /// The name of the op, without its dialect: "exp".
  llvm::StringRef function;
  double f32 = 0, f64 = 0;
};

/// The freedom of a run, and what it needs to know for it.
struct FreedomOptions {
  Freedom freedom = Freedom::none;
  /// For Freedom::roundings; a function that is missing is rounded once. Not
  /// owned.
  llvm::ArrayRef<FunctionBound> functions = {};
};

/// Where a run ended, because what it would do next depends on the freedom: a
/// condition, a size or an index has several permitted values. This is no
/// fault of the program.
struct Undetermined {
  /// None: the run did not end so.
  mlir::Operation *op = nullptr;
  std::string what;
};

/// A set of numbers of one type: an interval, and NaN. An interval with 0 has
/// both zeros. Sets of integers have them as signed numbers.
struct Permitted {
  /// Inclusive, also where infinite. There are no numbers if `least` is greater
  /// than `greatest`.
  double least = 0, greatest = 0;
  bool mayBeNaN = false;
  /// Every value of the type, and poison.
  bool isAny = false;

  /// One number, or NaN.
  static Permitted value(double number);
  static Permitted numbers(double least, double greatest) {
    return {least, greatest};
  }
  static Permitted any();
  static Permitted nan();

  bool hasNumbers() const { return least <= greatest; }
  bool contains(double number) const;
  /// One number that is not 0, infinities included, or only NaN: all of the
  /// set has the same bits, or is a NaN.
  bool isSingle() const;
  /// The least set with both.
  Permitted unite(const Permitted &other) const;
  /// For messages: "[0.5, 1.5]", "any", "[1, inf] or nan".
  std::string text() const;
};

/// The set around one computed number, in a word: as distances from it, which
/// are rounded up to 20 bits. It has no owner and no address, so that an
/// element carries it wherever it is copied.
///
/// Ends of an interval, and no center with one radius: functions that are
/// monotone map them exactly, a bound that is open on one side (an overflow,
/// the square root at 0) does not widen the other one, and without symbols for
/// each rounding a center would not make `x - x` any tighter.
class Spread {
public:
  /// Nothing beside the computed number.
  Spread() = default;
  /// `computed` is 0 for a set that is any.
  static Spread of(const Permitted &set, double computed);
  static Spread any();
  static Spread fromWord(uint64_t word) { return Spread(word); }

  explicit operator bool() const { return word != 0; }
  uint64_t toWord() const { return word; }
  /// The set; one of `computed` alone if there is no spread.
  Permitted around(double computed) const;
  bool isAny() const { return (word & kAny) != 0; }

  /// The low bits of a word that is a spread; pointers and the empty spread
  /// have others.
  static constexpr uint64_t kTag = 3;

private:
  explicit Spread(uint64_t word) : word(word) {}
  static constexpr uint64_t kAny = uint64_t(1) << 62;
  static constexpr uint64_t kNaN = uint64_t(1) << 63;

  uint64_t word = 0;
};

} // namespace tilewright::reference
