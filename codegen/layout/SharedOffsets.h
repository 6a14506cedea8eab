//===- SharedOffsets.h - Registers' offsets in memory -----------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_SHAREDOFFSETS_H
#define TILEWRIGHT_CODEGEN_LAYOUT_SHAREDOFFSETS_H

#include "codegen/layout/Refine.h"

namespace tilewright::layout {

/// Where in memory each register of each thread has its position, over a frame:
/// at offsets(virtual register, thread) + addOffsets[repeat].
struct SharedOffsets {
  Refined holders;
  LinearMap offsets;
  std::vector<int64_t> addOffsets;
  /// Of each register: whether no thread has a position for it.
  std::vector<bool> outside;

  /// Appends the registers of virtual ones, -1 where there is none. Appends
  /// nothing and returns false where there is none at all.
  bool appendRegisters(size_t repeat, std::span<const Bits> virtualRegisters,
                       std::vector<int32_t> &to) const;
};

/// Rejected as sharedAccess says.
StatusOr<SharedOffsets> sharedOffsets(const Layout &registers,
                                      const Layout &memory,
                                      unsigned elementBits);

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_SHAREDOFFSETS_H
