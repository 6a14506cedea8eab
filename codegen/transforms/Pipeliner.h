//===- Pipeliner.h - A loop whose loads start early -------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_PIPELINER_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_PIPELINER_H

#include "codegen/transforms/RingLoads.h"

namespace tilewright::tilegpu {

/// The loads of one loop that are started early.
struct EarlyLoads {
  /// By cp.async, as many iterations early as there are slots, less one.
  llvm::SmallVector<RingLoad> copied;
  /// One iteration early.
  llvm::SmallVector<RingLoad> throughRegisters;

  [[nodiscard]] bool empty() const {
    return copied.empty() && throughRegisters.empty();
  }
};

/// The most slots of a ring.
inline constexpr int64_t kMostSlots = 8;

/// Replaces `loop`, whose counter is an index, by one that starts the loads
/// early. Each iteration waits for its copies, starts those of a later one into
/// the slots that the iteration before has read, and computes. Behind the loop
/// no copy is under way. Rings have `stages` slots, at least 2.
mlir::scf::ForOp pipelineLoop(mlir::scf::ForOp loop, EarlyLoads loads,
                              int64_t stages);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_PIPELINER_H
