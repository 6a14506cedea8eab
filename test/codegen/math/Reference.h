//===- Reference.h - Exact values of math functions -------------*- C++ -*-===//
//
// The references, which share nothing with the formulas: for f32 the host's
// library in double, whose error is below 2^-28 units in the last place of an
// f32; for f64 MPFR with 120 bits, rounded correctly.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TEST_CODEGEN_MATH_REFERENCE_H
#define TILEWRIGHT_TEST_CODEGEN_MATH_REFERENCE_H

#include <cmath>
#include <cstdint>
#include <string>

namespace tilewright::mathtest {

/// How far results may be from exact ones; the distance of what must be equal
/// and is not (NaN, an infinity that is exact, the sign of a zero).
inline constexpr double kWrong = 1e30;

/// A function and its operands' type. `y` is a function's second operand, or
/// the exponent of fpowi.
struct Reference {
  explicit Reference(const std::string &name);

  /// The distance of `found` from the exact result, in units in the last place
  /// of that (2^-149 and 2^-1074 at least). An infinity found where the exact
  /// result is finite counts as the number after the largest. For an f32 that
  /// is the nearest to the exact result, 0.5.
  double error(float x, float y, float found) const {
    return single(x, y, found);
  }
  double error(float x, int64_t n, float found) const {
    // As a double, n may lose that it is odd.
    double sign = n % 2 != 0 && std::signbit(x) ? -1 : 1;
    return single(std::abs(x), double(n), float(sign * found));
  }
  double error(double x, double y, double found) const {
    return wide(x, y, 0, found);
  }
  double error(double x, int64_t n, double found) const {
    return wide(x, 0, n, found);
  }

private:
  double single(double x, double y, float found) const;
  double wide(double x, double y, int64_t n, double found) const;

  double (*exact)(double x, double y) = nullptr;
  const struct WideFunction *exactWide = nullptr;
};

} // namespace tilewright::mathtest

#endif // TILEWRIGHT_TEST_CODEGEN_MATH_REFERENCE_H
