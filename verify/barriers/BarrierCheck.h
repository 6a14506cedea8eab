//===- BarrierCheck.h - Are accesses ordered by barriers? -------*- C++ -*-===//
//
// A static check of a kernel at the scheduled level, after its barriers are
// set. It shares nothing with the pass that sets them: from each access it
// walks all ways that lead on without a barrier, and looks whom it meets. From
// an asynchronous copy it walks past barriers, up to the wait for its group; a
// copy that nobody waits for until the kernel ends is no finding, as it touches
// nothing then that another access needs. Slots of a ring are told apart by the
// numbers that loops carry around (`tilegpu.advance`) and by constants; what is
// not known of a number makes it any slot.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_VERIFY_BARRIERS_BARRIERCHECK_H
#define TILEWRIGHT_VERIFY_BARRIERS_BARRIERCHECK_H

#include "tilewright/mlir/Tile.h"
#include "tilewright/support/Export.h"
#include <optional>
#include <string>
#include <vector>

namespace tilewright::verify {

/// Two accesses with no barrier, or no wait for a copy, on some way from the
/// first to the second, though threads of a block may not make them in any
/// order.
struct UnorderedAccesses {
  /// One op in two iterations of a loop, if they are the same.
  mlir::Operation *first = nullptr, *second = nullptr;
  enum class Reason {
    /// They access the same bytes, one of them writes.
    sharedMemory,
    /// In global memory, where a program's accesses have program order.
    globalMemory,
    /// The second releases what the first did, or the first acquires.
    memoryOrder,
    /// The first is a copy that no wait has ended, or its read; the second
    /// accesses what it writes, or writes what it reads.
    openCopy,
    /// The second waits for the first, a copy, but for other memory.
    otherMemory
  };
  Reason reason = Reason::sharedMemory;
  /// Of shared memory: the bytes that both access, the end not among them.
  int64_t beginByte = 0, endByte = 0;
};

/// All such pairs of `kernel`, in program order of the first. Its shared memory
/// has offsets (`allocate-shared` has run). An op that this check does not know
/// counts by its memory effects: one on global memory without a view as an
/// access of all of it.
TILEWRIGHT_PRIVATE_API std::vector<UnorderedAccesses>
findUnordered(tile::KernelOp kernel);

/// The memory, both ops, their bytes and locations, for people; several lines.
TILEWRIGHT_PRIVATE_API std::string describe(const UnorderedAccesses &finding);

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_BARRIERS_BARRIERCHECK_H
