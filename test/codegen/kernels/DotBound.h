//===- DotBound.h - How far two sums of products may be apart ---*- C++ -*-===//
#ifndef TILEWRIGHT_TEST_CODEGEN_KERNELS_DOTBOUND_H
#define TILEWRIGHT_TEST_CODEGEN_KERNELS_DOTBOUND_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace tilewright::kerneltest {

/// The unit roundoff of a type: half a unit in the last place of a number
/// near 1.
inline double unitRoundoff(const std::string &type) {
  return std::ldexp(1, type == "f64"    ? -53
                       : type == "f32"  ? -24
                       : type == "f16"  ? -11
                       : type == "tf32" ? -11
                                        : -8);
}

/// What a lowering may make of the products of a dot under a precision
/// (docs/spec.md, tile.dot, whose table this is).
struct PrecisionBound {
  /// How far the sum of the parts' products may be from that of the products,
  /// as a share of their magnitude.
  double error = 0;
  /// What an instruction that adds `positions` of k may lose of the magnitude.
  int64_t positions = 8;
  double lost = 0;
};

inline PrecisionBound precisionBound(const std::string &precision) {
  const double u = unitRoundoff("f32");
  if (precision == "tf32")
    return {std::ldexp(1, -9), 4, 7 * u};
  if (precision == "tf32x3")
    return {3 * std::ldexp(1, -20), 4, 22 * u};
  if (precision == "bf16x3")
    return {3 * std::ldexp(1, -14), 8, 34 * u};
  if (precision == "bf16x6")
    return {3 * std::ldexp(1, -21), 8, 68 * u};
  if (precision == "fast")
    return {0, 16, 19 * std::ldexp(1, -13)};
  return {0, 8, 11 * u};
}

/// How far tensor cores may be from the exact `acc + a1 * b1 + .. + an * bn` in
/// f32, where `magnitude` is at least |acc| + |a1 * b1| + .. + |an * bn|, and
/// an operand that is not 0 counts as at least what docs/spec.md, tile.dot,
/// says.
inline double truncatedSumBound(int64_t depth, double magnitude,
                                const std::string &precision = "ieee") {
  const PrecisionBound bound = precisionBound(precision);
  auto steps = double((depth + bound.positions - 1) / bound.positions);
  double more = 0;
  if (precision == "fast") { // In sums of 128, added in f32.
    steps = std::min(steps, 8.0);
    more = double((depth + 127) / 128) * unitRoundoff("f32");
  }
  double least = std::ldexp(1, -126);
  return (bound.error + steps * bound.lost + more) * std::max(magnitude, least);
}

/// How far a result of `acc + a1 * b1 + .. + an * bn` that is accumulated in
/// `type` may be from the interpreter's, where `magnitude` is as above.
/// Products of floats of 16 and 8 bits, and of f32 as `precision` allows, may
/// be added by tensor cores, and the result is rounded to `type`. All others
/// are added with the precision of `type`: in any order, with or without fma, a
/// sum of n + 1 terms is within (n + 1) * u * magnitude of the exact one, for
/// any n: C.-P. Jeannerod and S. M. Rump, Improved error bounds for inner
/// products in floating-point arithmetic, SIAM J. Matrix Anal. Appl. 34 (2013).
/// The interpreter adds in f64 and rounds once (docs/spec.md, tile.dot).
inline double dotBound(int64_t depth, double magnitude,
                       const std::string &operand, const std::string &type,
                       const std::string &precision = "ieee") {
  // The interpreter rounds operands to tf32, too.
  double rounded = precision == "tf32" ? std::ldexp(1.01, -10) : 0;
  double reference =
      unitRoundoff(type) + double(depth + 1) * unitRoundoff("f64") + rounded;
  const bool isNarrow = operand != "f32" && operand != "f64";
  if (type != "f64" && (isNarrow || precision != "ieee")) {
    double sum = truncatedSumBound(depth, magnitude, precision);
    double rounding = type == "f32" ? 0 : unitRoundoff(type);
    return sum + rounding * (magnitude + sum) + reference * magnitude;
  }
  double rounding = double(depth + 1) * unitRoundoff(type);
  return (rounding + reference) * magnitude;
}

} // namespace tilewright::kerneltest

#endif // TILEWRIGHT_TEST_CODEGEN_KERNELS_DOTBOUND_H
