//===- BankConflicts.h - What a shared memory access costs ------*- C++ -*-===//
//
// Shared memory has 32 banks of 4 bytes: byte address a is in word a / 4, in
// bank (a / 4) % 32. One access of a warp runs in phases: 32 lanes at once for
// up to 4 bytes a lane, 16 lanes for 8 bytes, 8 lanes for 16 bytes. A phase
// takes one wavefront for each different word in the most loaded bank: lanes
// that touch one word share it. (CUDA C++ Programming Guide, shared memory;
// merging of phases that touch the same words is not modelled.)
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_BANKCONFLICTS_H
#define TILEWRIGHT_CODEGEN_LAYOUT_BANKCONFLICTS_H

#include "codegen/layout/LinearMap.h"

namespace tilewright::layout {

inline constexpr unsigned banks = 32, bankBytes = 4;

/// Lanes that one phase serves when each accesses `bytes` (a power of two up
/// to 16).
[[nodiscard]] unsigned lanesPerPhase(unsigned bytes);

/// Wavefronts of an access in which lane l touches `bytes` bytes at the byte
/// address lanes(l) ^ c, all of them multiples of `bytes`. By algebra:
/// the words of a phase are an affine space, and its projection to banks is
/// 2^(difference of the ranks) to one.
[[nodiscard]] unsigned wavefronts(const LinearMap &lanes, unsigned bytes);

/// The same for the byte addresses of 32 lanes; a negative address is an
/// inactive lane.
[[nodiscard]] unsigned countWavefronts(std::span<const int64_t> addresses,
                                       unsigned bytes);

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_BANKCONFLICTS_H
