//===- Footprint.h - What an op does to memory -*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_BARRIERS_FOOTPRINT_H
#define TILEWRIGHT_VERIFY_BARRIERS_FOOTPRINT_H

#include "codegen/tilegpu/TileGpu.h"
#include <optional>

namespace tilewright::verify {

/// The number of a slot: as many slots beyond `base` as `distance` says, modulo
/// the number of slots. Null: beyond slot 0.
struct SlotNumber {
  mlir::Value base;
  int64_t distance = 0;
};

/// `number` of a ring of so many slots. A loop may carry several numbers that
/// stay as far apart as they are before it: all are told by the first.
SlotNumber slotNumberOf(mlir::Value number, int64_t slots);

/// What one op does to one memory.
struct Footprint {
  bool reads = false, writes = false;
  /// Of shared memory.
  std::optional<std::pair<int64_t, int64_t>> bytes;
  /// Of memory that is accessed in part: the allocation or the view, and the
  /// first and last element along each dimension.
  mlir::Value allocation;
  llvm::SmallVector<std::pair<int64_t, int64_t>> part;
  /// Of a slot: its number, and how many the allocation has. 0: no slot.
  SlotNumber slot;
  int64_t slots = 0;
  /// Of global memory: the kernel's view, where it is known to be one.
  mlir::Value argument;
  /// Of what an asynchronous copy writes and reads: the copy.
  mlir::Value token;
  /// It touches nothing, but orders global memory.
  bool isFence = false;
  bool releases = false, acquires = false;

  bool isRegular() const { return !slots && !token; }
};

/// What `op` does, to each memory; nothing for an op that accesses no memory of
/// interest.
llvm::SmallVector<Footprint> footprintsOf(mlir::Operation *op);
/// What it does to one allocation of shared memory, or to a slot of one; to all
/// shared memory if that is not known.
Footprint sharedFootprint(mlir::Operation *op, mlir::Value memory);

/// Whether both access parts of one allocation or view that have no element in
/// common.
bool areApart(const Footprint &a, const Footprint &b);
/// Whether each element of a view that both access is accessed by one thread.
/// `renewed`: an index may have changed in between.
bool byOneThread(mlir::Operation *first, mlir::Operation *second, bool renewed);

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_BARRIERS_FOOTPRINT_H
