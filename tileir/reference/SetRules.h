// Arithmetic on sets of floats of one type: each result encloses what the
// operation gives for any elements of the operands' sets.
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "tileir/reference/Rounding.h"

namespace tilewright::reference {

/// What rounding needs to know about a float type.
struct FloatFormat {
  explicit FloatFormat(mlir::FloatType type);

  const llvm::fltSemantics *semantics;
  /// Bits of a significand, with the first one.
  int precision;
  /// The exponent of the least normal number.
  int leastExponent;
  double largest;
  bool hasInfinity, hasNaN;

  /// The distance of numbers as large as `x`, with any exponent from the
  /// subnormal numbers on.
  double unitOf(double x) const;
  /// The least distance.
  double leastUnit() const;
  /// From here on numbers are rounded to infinity.
  double overflow() const;
  double rounded(double x, const RoundingRule &rule = {}) const;
};

class SetRules {
public:
  SetRules(mlir::FloatType type, const FreedomOptions &options)
      : format(type), options(options) {}

  const FloatFormat &getFormat() const { return format; }
  bool roundsFreely() const { return options.freedom == Freedom::roundings; }

  /// What rounding makes of exact results. An implementation may be `units` of
  /// the last place away from these if roundings are free.
  Permitted round(const Permitted &exact, double units = 0.5,
                  const RoundingRule &rule = {}) const;

  // Rounded.
  Permitted add(const Permitted &a, const Permitted &b) const;
  Permitted subtract(const Permitted &a, const Permitted &b) const;
  Permitted multiply(const Permitted &a, const Permitted &b) const;
  Permitted divide(const Permitted &a, const Permitted &b) const;
  Permitted multiplyAdd(const Permitted &a, const Permitted &b,
                        const Permitted &c) const;
  /// `name` is that of the op, without its dialect; the set is any if it is
  /// not known.
  Permitted function(llvm::StringRef name, const Permitted &x) const;
  /// Those that are known, sincos as sin and cos, too.
  static llvm::ArrayRef<llvm::StringRef> functions();
  Permitted power(const Permitted &base, const Permitted &exponent,
                  llvm::StringRef name) const;
  Permitted angle(const Permitted &y, const Permitted &x) const;

private:
  /// What rounding may lose at a result, as units of its last place.
  double unitsOf(llvm::StringRef function) const;
  double lossAt(double x, double units) const;

  FloatFormat format;
  FreedomOptions options;
};

// Exact, in any type.
Permitted negated(const Permitted &x);
Permitted absolute(const Permitted &x);
Permitted maximum(const Permitted &a, const Permitted &b);
Permitted minimum(const Permitted &a, const Permitted &b);
/// A number rather than a NaN.
Permitted maxnum(const Permitted &a, const Permitted &b);
Permitted minnum(const Permitted &a, const Permitted &b);
/// Not rounded: enclosures.
Permitted exactSum(const Permitted &a, const Permitted &b);
Permitted exactProduct(const Permitted &a, const Permitted &b);

} // namespace tilewright::reference
