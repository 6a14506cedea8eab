// One element of D, written for reading: the aligned sum as hardware does it.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_DOTPRODUCT_H
#define TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_DOTPRODUCT_H

#include "runtime/emulator/tensor/Rule.h"

namespace tilewright::emulator {

/// Elements of one type in a plain array, `stride` elements apart.
struct StridedElements {
  ElementType type;
  const void *first;
  int stride;

  /// Element `index`, in the low bits.
  [[nodiscard]] std::uint32_t at(int index) const;
};

/// The sum over k < rule.operation.depth of a[k] * b[k], plus c: the bits of an
/// element of D. `c` has the bits of an element of C. Only for a rule of kind
/// alignedSum.
///
/// A block has some products and an accumulator (f32, or f16 widened).
/// Significands of subnormal operands are below 1, and products of significands
/// are not normalised. The largest exponent among the block's nonzero terms
/// determines the grid: `fractionBits` bits below it. Each term's magnitude is
/// truncated to the grid; the results are added exactly; the sum is rounded
/// once and is the next block's accumulator.
///
/// If the exact sum of a block is infinite or NaN, so is its result; NaN is
/// 0x7fffffff (f32) or 0x7fff (f16). An exact zero is +0.
[[nodiscard]] std::uint32_t dotProduct(const Rule &rule,
                                       const StridedElements &a,
                                       const StridedElements &b,
                                       std::uint32_t c);

/// f64 (PTX ISA 9.7.14.5.14): one fused multiply-add after another, in order of
/// k, each rounded as rule.operation.rounding says. NaN is 0x7ff8000000000000.
/// Only for a rule of kind fusedChain; `a` and `b` point to f64 elements.
[[nodiscard]] std::uint64_t fusedChain(const Rule &rule,
                                       const StridedElements &a,
                                       const StridedElements &b,
                                       std::uint64_t c);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_DOTPRODUCT_H
