//===- Rings.h - Slots and groups of copies, as far as known ----*- C++ -*-===//
//
// Which slots of a ring differ, and how many groups of copies may be under way,
// follow from the numbers and tokens that loops carry.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_TILEGPU_RINGS_H
#define TILEWRIGHT_CODEGEN_TILEGPU_RINGS_H

#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tilegpu {

/// A slot of a ring at one point of a program: `base + distance` modulo
/// `slots`.
struct SlotNumber {
  /// Null: 0.
  mlir::Value base;
  int64_t distance = 0;
  /// 0: any slot, or all.
  int64_t slots = 0;

  /// Whether it is surely another slot of the same ring.
  [[nodiscard]] bool differsFrom(const SlotNumber &other) const {
    return slots && slots == other.slots && base == other.base &&
           distance != other.distance;
  }
  friend bool operator==(const SlotNumber &, const SlotNumber &) = default;
};

/// The ops that use `memory` or a slot of it, but those that name slots.
llvm::SmallVector<mlir::Operation *> usersOf(AllocOp memory);

/// The slot that `memory` names.
SlotNumber slotNumberOf(mlir::Value memory);

/// What names the same slot in the first iteration of `loop`, if `slot` is what
/// names it before the loop; after an iteration, in the next one; and after the
/// last one, behind the loop.
SlotNumber enterLoop(const SlotNumber &slot, mlir::scf::ForOp loop);
SlotNumber nextIteration(const SlotNumber &slot, mlir::scf::ForOp loop);
SlotNumber leaveLoop(const SlotNumber &slot, mlir::scf::ForOp loop);

/// The least number of groups that are committed between the group that `wait`
/// waits for and the wait. An error at `wait` if its token is not traced to
/// commits.
mlir::FailureOr<int64_t> laterGroups(WaitOp wait);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TILEGPU_RINGS_H
