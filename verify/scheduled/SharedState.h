//===- SharedState.h - Shared memory of a program, executed -----*- C++ -*-===//
//
// The shared memory of one program as the reference interpreter sees it: its
// elements, and who may access them. Faults are errors at the op: two accesses
// that no barrier orders, an access of memory that a copy is writing, a slot
// of a ring that is filled or read out of turn.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_VERIFY_SCHEDULED_SHAREDSTATE_H
#define TILEWRIGHT_VERIFY_SCHEDULED_SHAREDSTATE_H

#include "codegen/tilegpu/TileGpu.h"
#include "tileir/reference/ProgramInstance.h"
#include <map>

namespace tilewright::verify {

/// An allocation, or one slot of it.
struct SharedTile {
  tilegpu::AllocOp root;
  /// The whole allocation: none.
  std::optional<int64_t> slot;
  tilegpu::SharedType type;
  /// Its first byte in the shared memory of the block.
  int64_t begin = 0;

  /// The tile that `memory` names now.
  static SharedTile of(mlir::Value memory, reference::ProgramInstance &program);

  int64_t end() const { return begin + type.getBytes(); }
  int64_t elementBytes() const;
  /// The byte offset of the element at `at`.
  int64_t offsetOf(reference::Index at) const;
  bool contains(const SharedTile &other) const;
};

/// An asynchronous copy from its start to the wait for its group.
struct AsyncCopy {
  tilegpu::CopyOp op;
  SharedTile tile;
  /// Its predicate is true: it writes.
  bool isLive = true;
  /// What it has read, if it lands early.
  std::optional<reference::TileValue> value = std::nullopt;
  /// For its read, if it lands late: what the values had at its start.
  std::vector<std::pair<mlir::Value, reference::Value>> operands = {};
};

/// Lives as long as its program.
class SharedState {
public:
  static SharedState &of(reference::ProgramInstance &program);

  /// The first byte of an allocation; of its own where none is assigned yet.
  int64_t placeOf(tilegpu::AllocOp allocation);
  mlir::LogicalResult store(mlir::Operation *op, int64_t offset, int64_t bytes,
                            const reference::Element &element);
  mlir::FailureOr<reference::Element> load(mlir::Operation *op, int64_t offset,
                                           int64_t bytes, mlir::Type type);
  void barrier() { touched.clear(); }
  /// A run of an op begins: accesses of different runs are not ordered.
  void begin() { ++run; }

  //===--- Slots ----------------------------------------------------------===//

  mlir::LogicalResult acquire(mlir::Operation *op, const SharedTile &tile);
  mlir::LogicalResult release(mlir::Operation *op, const SharedTile &tile);
  /// An error if the slot was released and not filled since.
  mlir::LogicalResult checkRead(mlir::Operation *op, const SharedTile &tile);
  /// `op` fills the slot.
  void fill(mlir::Operation *op, const SharedTile &tile);

  //===--- Copies ---------------------------------------------------------===//

  /// The number of the new copy.
  mlir::FailureOr<int64_t> start(AsyncCopy copy);
  /// The number of the new group.
  mlir::FailureOr<int64_t> commit(tilegpu::CommitOp op,
                                  llvm::ArrayRef<int64_t> copies);
  /// The copies of the group numbered `group` that no wait has ended.
  mlir::FailureOr<std::vector<int64_t>>
  waitedFor(tilegpu::WaitOp op, int64_t group,
            llvm::ArrayRef<SharedTile> memories);
  const AsyncCopy &copy(int64_t number) const { return open.at(number); }
  /// Ends a copy: `op` has written `value`, where it is live.
  void end(mlir::Operation *op, int64_t number,
           const reference::TileValue *value);

private:
  struct MemoryAccess {
    mlir::Operation *op;
    int64_t run;
    bool writes;
  };
  /// A slot that an acquire, a release or a copy has named.
  struct Slot {
    bool isAcquired = false;
    /// The op that filled it last, if no release followed.
    mlir::Operation *filled = nullptr;
    /// The last release, if nothing filled it since.
    mlir::Operation *released = nullptr;
  };
  using SlotKey = std::pair<mlir::Operation *, int64_t>;

  mlir::LogicalResult checkAccess(mlir::Operation *op, int64_t offset,
                                  int64_t bytes, bool writes);
  mlir::LogicalResult memoryAccess(mlir::Operation *op, int64_t offset,
                                   int64_t bytes, bool writes);
  void put(int64_t offset, int64_t bytes, const reference::Element &element);
  void putAll(const SharedTile &tile, const reference::TileValue &value);
  /// Null if the memory has no slots to take turns with.
  Slot *slotOf(const SharedTile &tile);

  // Of allocations without an offset.
  std::map<mlir::Operation *, int64_t> places;
  // By offset.
  std::map<int64_t, std::pair<int64_t, reference::Element>> elements;
  // By byte.
  std::map<int64_t, llvm::SmallVector<MemoryAccess, 2>> touched;
  /// Whether each op waits for those before: no pass has inserted barriers.
  std::optional<bool> isOrdered;
  int64_t run = 0;

  std::map<SlotKey, Slot> slots;
  // By number.
  std::map<int64_t, AsyncCopy> open;
  std::map<int64_t, std::vector<int64_t>> groups;
  // Since the last commit.
  std::vector<int64_t> uncommitted;
  int64_t lastNumber = 0;
};

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_SCHEDULED_SHAREDSTATE_H
