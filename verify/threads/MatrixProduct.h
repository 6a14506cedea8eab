//===- MatrixProduct.h - How tensor cores add products ----------*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_THREADS_MATRIXPRODUCT_H
#define TILEWRIGHT_VERIFY_THREADS_MATRIXPRODUCT_H

#include <cstdint>
#include <span>

namespace tilewright::verify::threads {

/// A format of floats: bits of its exponent and of its fraction.
struct FloatLayout {
  unsigned exponent, fraction;
  /// The greatest exponent has numbers, and NaN alone (f8E4M3FN).
  bool isFinite = false;
};

/// How the products of one instruction are added to an f32.
struct ProductRules {
  /// How many products one addition takes; those behind follow, from its
  /// result on.
  unsigned group = 16;
  /// Bits behind the point of the greatest term that an addition keeps.
  unsigned alignedBits = 25;
  /// Bits of the result's fraction.
  unsigned resultBits = 23;
  /// Products alone are added, those with an even k / 2 first; then the sum is
  /// added to the accumulator as f32.
  bool isEmulated = false;
};

/// What mma.sync does on an architecture (80 for sm_80, ..) for operands of a
/// format: "tf32", "f16", ...
ProductRules productRules(unsigned architecture, FloatLayout format);

/// The sum of a[k] * b[k] and of `acc`, all as bits.
uint32_t addProducts(std::span<const uint32_t> a, FloatLayout formatA,
                     std::span<const uint32_t> b, FloatLayout formatB,
                     uint32_t acc, const ProductRules &rules);

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_MATRIXPRODUCT_H
