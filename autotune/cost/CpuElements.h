//===- CpuElements.h - Cycles of all but contractions on a CPU --*- C++ -*-===//
#ifndef TILEWRIGHT_AUTOTUNE_COST_CPUELEMENTS_H
#define TILEWRIGHT_AUTOTUNE_COST_CPUELEMENTS_H

#include "autotune/cost/CpuDot.h"

namespace tilewright::autotune {

/// What one execution costs a core.
[[nodiscard]] CoreCycles elementCycles(const ElementWork &element,
                                       const cpu::CpuTarget &target,
                                       const CpuCore &core);
/// `line`: bytes of a cache line.
[[nodiscard]] CoreCycles accessCycles(const Access &access,
                                      const cpu::CpuTarget &target,
                                      const CpuCore &core, double line);
[[nodiscard]] CoreCycles pointerCycles(const PointerAccess &access,
                                       const CpuCore &core);

/// Iterations of loops that an op of this shape is emitted as, the innermost
/// (over vectors) included.
[[nodiscard]] double loopIterations(llvm::ArrayRef<int64_t> shape,
                                    unsigned bits,
                                    const cpu::CpuTarget &target);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_COST_CPUELEMENTS_H
