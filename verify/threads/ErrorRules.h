//===- ErrorRules.h - How errors of operands become errors ------*- C++ -*-===//
//
// Running error analysis (N. J. Higham, Accuracy and Stability of Numerical
// Algorithms, 2002, section 3.3), as what holds for each implementation whose
// ops are each within their own bounds. An op's operands are x exactly, v in
// the reference, and t on a device; with |v - x| <= e and |t - x| <= e the
// rules give e for the result. So t is within 2 e of v.
//
// Bounds are computed in f64 and enlarged by more than what its roundings lose.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_VERIFY_THREADS_ERRORRULES_H
#define TILEWRIGHT_VERIFY_THREADS_ERRORRULES_H

#include "mlir/IR/BuiltinTypes.h"
#include "tileir/reference/Permitted.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace tilewright::verify::threads {

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// A number of the reference, and the bound of its error.
struct Inexact {
  double value = 0, error = 0;
  [[nodiscard]] double size() const { return std::fabs(value); }
};

/// A bound that was computed by few operations, safely above.
inline double enlarged(double bound) {
  return bound == 0 ? 0 : bound * (1 + 0x1p-46) + 0x1p-1074;
}

/// A format of floats, as rounding needs it.
struct NumberFormat {
  explicit NumberFormat(mlir::FloatType type);

  mlir::FloatType type;
  /// Bits of a significand, with the first one.
  int precision;
  /// The exponent of the least normal number.
  int leastExponent;
  /// From here on numbers are no finite ones.
  double overflow;
  double largest;

  [[nodiscard]] double load(uint64_t bits) const;
  /// The distance of numbers as large as this; unbounded if too large.
  [[nodiscard]] double unit(double size) const;
  [[nodiscard]] double leastNormal() const;

private:
  unsigned bitsOfType;
  double (*convert)(uint64_t bits) = nullptr;
};

/// One result of an op.
struct ErrorCall {
  llvm::ArrayRef<Inexact> x;
  /// What the reference computed.
  double made;
  const NumberFormat &format;
  /// Of the op, without its dialect.
  llvm::StringRef name;
  llvm::ArrayRef<reference::FunctionBound> functions;

  [[nodiscard]] bool isExact() const;
  /// Of a result that is rounded: by `units` of the last place at most, from a
  /// number with such an error.
  [[nodiscard]] double rounded(double error, double units = 0.5) const;
};

/// The bound of a finite result of finite operands. Operands have bounds.
using ErrorRule = double (*)(const ErrorCall &);

double errorOfSum(const ErrorCall &call);
double errorOfDifference(const ErrorCall &call);
double errorOfProduct(const ErrorCall &call);
double errorOfQuotient(const ErrorCall &call);
/// Where a product with the rounded inverse is permitted.
double errorOfInverseProduct(const ErrorCall &call);
double errorOfMultiplyAdd(const ErrorCall &call);
/// Of a maximum or minimum of two.
double errorOfExtremum(const ErrorCall &call);
/// Of what is one of the operands; of numbers that become others of a type with
/// the same numbers and more.
double greatestError(const ErrorCall &call);
/// The first operand, rounded.
double errorOfRounding(const ErrorCall &call);
/// A function of one operand, within the bound of its implementation.
double errorOfFunction(const ErrorCall &call);
/// By the name of an op of arith or math, without its dialect. Null: none is
/// known.
ErrorRule errorRuleOf(llvm::StringRef name);

/// By how much an exact product differs with such operands.
double productError(const Inexact &a, const Inexact &b);

/// By how much an exact quotient differs.
double quotientError(const Inexact &a, const Inexact &b);

/// A function of one operand, as far as its error needs it.
struct ErrorFunction {
  llvm::StringRef name;
  /// The greatest slope on an interval: unbounded where it is not defined on
  /// all of it.
  double (*slope)(double low, double high);
};
/// By how much a function differs with such an operand; none: it is not known.
std::optional<double> functionError(llvm::StringRef name, const Inexact &x);

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_ERRORRULES_H
