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

/// What a lowering may make of one product under a precision of tile.dot.
struct SplitProduct {
  /// How many products are added up.
  int64_t terms = 1;
  /// How far their exact sum may be from a * b, as a share of |a * b|.
  double error = 0;
};

/// Of operands that are rounded to parts of unit roundoff u, to nearest: with p
/// parts an operand is off by u^p, and so a product by 2 u^p and less than the
/// products of parts that are left out: one of u^2 for two parts (low * low),
/// 2 u^3 for three (middle * low, twice, and low * low, within the 1.01).
inline SplitProduct splitProduct(const std::string &precision) {
  double t = unitRoundoff("tf32"), b = unitRoundoff("bf16");
  // The interpreter rounds operands to tf32 too, perhaps the other way.
  if (precision == "tf32")
    return {1, 1.01 * 4 * t};
  if (precision == "tf32x3")
    return {3, 1.01 * 3 * t * t};
  if (precision == "bf16x3")
    return {3, 1.01 * 3 * b * b};
  if (precision == "bf16x6")
    return {6, 1.01 * 4 * b * b * b};
  return {};
}

/// How far tensor cores may be from the exact `acc + a1 * b1 + .. + an * bn` in
/// f32, where `magnitude` is at least |acc| + |a1 * b1| + .. + |an * bn|, and
/// an operand that is not 0 counts as at least its type's least normal number
/// (docs/spec.md, tile.dot).
inline double truncatedSumBound(int64_t depth, double magnitude) {
  double least = std::ldexp(1, -126);
  return double((depth + 7) / 8) * 11 * unitRoundoff("f32") *
         std::max(magnitude, least);
}

/// How far a result of `acc + a1 * b1 + .. + an * bn` that is accumulated in
/// `type` may be from the interpreter's, where `magnitude` is as above.
/// Products of f16 and bf16 may be added by tensor cores, and the result is
/// rounded to `type`. All others are added with the precision of `type`: in
/// any order, with or without fma, a sum of n + 1 terms is within (n + 1) * u *
/// magnitude of the exact one, for any n: C.-P. Jeannerod and S. M. Rump,
/// Improved error bounds for inner products in floating-point arithmetic, SIAM
/// J. Matrix Anal. Appl. 34 (2013). The interpreter adds in f64 and rounds once
/// (docs/spec.md, tile.dot).
inline double dotBound(int64_t depth, double magnitude,
                       const std::string &operand, const std::string &type,
                       const std::string &precision = "ieee") {
  SplitProduct product = splitProduct(precision);
  auto steps = double(depth * product.terms + 1);
  double reference = unitRoundoff(type) + steps * unitRoundoff("f64");
  if ((operand == "f16" || operand == "bf16") && type != "f64") {
    double sum = truncatedSumBound(depth, magnitude);
    double rounding = type == "f32" ? 0 : unitRoundoff(type);
    return sum + rounding * (magnitude + sum) + reference * magnitude;
  }
  double rounding = steps * unitRoundoff(type) + reference;
  return (rounding * (1 + product.error) + product.error) * magnitude;
}

} // namespace tilewright::kerneltest

#endif // TILEWRIGHT_TEST_CODEGEN_KERNELS_DOTBOUND_H
