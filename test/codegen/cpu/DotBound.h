//===- DotBound.h - How far two sums of products may be apart ---*- C++ -*-===//
#ifndef TILEWRIGHT_TEST_CODEGEN_CPU_DOTBOUND_H
#define TILEWRIGHT_TEST_CODEGEN_CPU_DOTBOUND_H

#include <cmath>
#include <cstdint>
#include <string>

namespace tilewright::cputest {

/// The unit roundoff of a type: half a unit in the last place of a number
/// near 1.
inline double unitRoundoff(const std::string &type) {
  return std::ldexp(1, type == "f64"   ? -53
                       : type == "f32" ? -24
                       : type == "f16" ? -11
                                       : -8);
}

/// How far a result of `acc + a1 * b1 + .. + an * bn` that is accumulated in
/// `type` may be from the interpreter's, where `magnitude` is at least |acc| +
/// |a1 * b1| + .. + |an * bn|. In any order, with or without fma, a sum of n +
/// 1 terms is within gamma(n + 1) * magnitude of the exact one, gamma(m) = m *
/// u / (1 - m * u): N. J. Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd edition, SIAM 2002, section 3.1, (3.5). The interpreter adds
/// in f64 and rounds once (docs/spec.md, tile.dot).
inline double dotBound(int64_t depth, double magnitude,
                       const std::string &type) {
  auto gamma = [&](const std::string &of) {
    double rounded = (depth + 1) * unitRoundoff(of);
    return rounded / (1 - rounded);
  };
  return (gamma(type) + gamma("f64") + unitRoundoff(type)) * magnitude;
}

} // namespace tilewright::cputest

#endif // TILEWRIGHT_TEST_CODEGEN_CPU_DOTBOUND_H
