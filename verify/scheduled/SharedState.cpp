//===- SharedState.cpp - Shared memory of a program, executed -------------===//
#include "verify/scheduled/SharedState.h"

using namespace mlir;
using namespace tilewright::reference;

namespace tilewright::verify {

//===--- Where a tile is --------------------------------------------------===//

SharedTile SharedTile::of(mlir::Value memory, ProgramInstance &program) {
  tilegpu::MemoryIdentityOpInterface identity = tilegpu::identityOf(memory);
  auto root = identity.getRoot().getDefiningOp<tilegpu::AllocOp>();
  SharedTile tile{root, std::nullopt,
                  cast<tilegpu::SharedType>(memory.getType()),
                  SharedState::of(program).placeOf(root)};
  if (mlir::Value number = identity.getSlotNumber()) {
    tile.slot = program.tile(number).elements[0].toInt();
    tile.begin += *tile.slot * root.getType().getSlotStride();
  }
  return tile;
}

int64_t SharedTile::elementBytes() const {
  return tilegpu::elementBits(type.getElementType()) / 8;
}

int64_t SharedTile::offsetOf(Index at) const {
  const layout::Layout &layout = type.getLayout().getLayout();
  int64_t offset =
      layout.invert(tilegpu::toDims(at))[layout::HardwareDim::offset];
  return begin + offset * elementBytes();
}

bool SharedTile::contains(const SharedTile &other) const {
  return root == other.root && (!slot || slot == other.slot);
}

//===--- Elements, and the order of their accesses ------------------------===//

SharedState &SharedState::of(ProgramInstance &program) {
  std::shared_ptr<void> &state = program.extension();
  if (!state)
    state = std::make_shared<SharedState>();
  return *static_cast<SharedState *>(state.get());
}

static InFlightDiagnostic accessError(Operation *op, StringRef missing,
                                      bool writes, int64_t byte) {
  return errorAt(op) << "no " << missing << " orders this "
                     << (writes ? "write" : "read") << " of byte " << byte
                     << " of shared memory";
}

int64_t SharedState::placeOf(tilegpu::AllocOp allocation) {
  if (std::optional<uint64_t> offset = allocation.getOffset())
    return int64_t(*offset);
  constexpr int64_t apart = int64_t(1) << 40;
  return places.try_emplace(allocation, apart * int64_t(places.size() + 1))
      .first->second;
}

LogicalResult SharedState::checkAccess(Operation *op, int64_t offset,
                                       int64_t bytes, bool writes) {
  for (const auto &[number, copy] : open) {
    int64_t first = std::max(offset, copy.tile.begin);
    if (!copy.isLive || first >= std::min(offset + bytes, copy.tile.end()))
      continue;
    InFlightDiagnostic diagnostic =
        accessError(op, "tilegpu.wait", writes, first);
    diagnostic.attachNote(copy.op->getLoc()) << "copied to here";
    return diagnostic;
  }
  if (!isOrdered)
    isOrdered =
        op->getParentOfType<tile::KernelOp>()->hasAttr(tilegpu::barriersToCome);
  if (*isOrdered)
    return success();
  auto last = touched.lower_bound(offset + bytes);
  for (auto at = touched.lower_bound(offset); at != last; ++at)
    for (const MemoryAccess &other : at->second)
      if ((other.op != op || other.run != run) && (writes || other.writes)) {
        InFlightDiagnostic diagnostic =
            accessError(op, "barrier", writes, at->first);
        diagnostic.attachNote(other.op->getLoc())
            << (other.writes ? "written" : "read") << " here";
        return diagnostic;
      }
  return success();
}

LogicalResult SharedState::memoryAccess(Operation *op, int64_t offset,
                                        int64_t bytes, bool writes) {
  if (failed(checkAccess(op, offset, bytes, writes)))
    return failure();
  for (int64_t byte = offset; byte < offset + bytes; ++byte) {
    SmallVector<MemoryAccess, 2> &before = touched[byte];
    // One read and one write represent all.
    if (llvm::none_of(before, [&](const MemoryAccess &other) {
          return other.writes == writes;
        }))
      before.push_back({op, run, writes});
  }
  return success();
}

void SharedState::put(int64_t offset, int64_t bytes, const Element &element) {
  // Partly overwritten values are lost.
  auto first = elements.lower_bound(offset - 8);
  while (first != elements.end() && first->first < offset + bytes)
    first = first->first + first->second.first > offset ? elements.erase(first)
                                                        : std::next(first);
  elements.insert_or_assign(offset, std::pair(bytes, element));
}

LogicalResult SharedState::store(Operation *op, int64_t offset, int64_t bytes,
                                 const Element &element) {
  if (failed(memoryAccess(op, offset, bytes, true)))
    return failure();
  put(offset, bytes, element);
  return success();
}

FailureOr<Element> SharedState::load(Operation *op, int64_t offset,
                                     int64_t bytes, Type type) {
  if (failed(memoryAccess(op, offset, bytes, false)))
    return failure();
  auto found = elements.find(offset);
  if (found == elements.end() || found->second.second.getType() != type)
    return errorAt(op) << "reads shared memory at " << offset
                       << " that holds no " << type;
  return found->second.second;
}

//===--- Slots ------------------------------------------------------------===//

SharedState::Slot *SharedState::slotOf(const SharedTile &tile) {
  SlotKey key(tile.root, tile.slot.value_or(0));
  if (tilegpu::AllocOp root = tile.root; root.getType().getSlots() > 1)
    return &slots[key];
  // What is no ring takes turns from its first acquire on.
  auto found = slots.find(key);
  return found == slots.end() ? nullptr : &found->second;
}

LogicalResult SharedState::acquire(Operation *op, const SharedTile &tile) {
  Slot &slot = slots[SlotKey(tile.root, tile.slot.value_or(0))];
  if (slot.filled) {
    InFlightDiagnostic diagnostic =
        errorAt(op) << "slot " << tile.slot.value_or(0)
                    << " is filled, and no tilegpu.release gave it back";
    diagnostic.attachNote(slot.filled->getLoc()) << "filled here";
    return diagnostic;
  }
  slot.isAcquired = true;
  // Nothing is touched: what fills the slot need not be ordered after this.
  return checkAccess(op, tile.begin, tile.type.getBytes(), true);
}

LogicalResult SharedState::release(Operation *op, const SharedTile &tile) {
  if (failed(memoryAccess(op, tile.begin, tile.type.getBytes(), false)))
    return failure();
  slots[SlotKey(tile.root, tile.slot.value_or(0))] = {.released = op};
  return success();
}

LogicalResult SharedState::checkRead(Operation *op, const SharedTile &tile) {
  Slot *slot = slotOf(tile);
  if (!slot || !slot->released)
    return success();
  InFlightDiagnostic diagnostic = errorAt(op)
                                  << "reads slot " << tile.slot.value_or(0)
                                  << ", which nothing has filled since its "
                                     "release";
  diagnostic.attachNote(slot->released->getLoc()) << "released here";
  return diagnostic;
}

void SharedState::fill(Operation *op, const SharedTile &tile) {
  if (Slot *slot = slotOf(tile)) {
    slot->filled = op;
    slot->released = nullptr;
  }
}

//===--- Copies -----------------------------------------------------------===//

void SharedState::putAll(const SharedTile &tile, const TileValue &value) {
  forEachIndex(value.shape(), [&](Index at) {
    put(tile.offsetOf(at), tile.elementBytes(), value.at(at));
  });
}

FailureOr<int64_t> SharedState::start(AsyncCopy copy) {
  const SharedTile &tile = copy.tile;
  if (Slot *slot = slotOf(tile); slot && !slot->isAcquired) {
    InFlightDiagnostic diagnostic = errorAt(copy.op)
                                    << "no tilegpu.acquire took slot "
                                    << tile.slot.value_or(0);
    if (slot->released)
      diagnostic.attachNote(slot->released->getLoc()) << "released here";
    return diagnostic;
  }
  if (copy.isLive) {
    if (failed(checkAccess(copy.op, tile.begin, tile.type.getBytes(), true)))
      return failure();
    fill(copy.op, tile);
    if (copy.value)
      putAll(tile, *copy.value);
  }
  uncommitted.push_back(++lastNumber);
  open.emplace(lastNumber, std::move(copy));
  return lastNumber;
}

FailureOr<int64_t> SharedState::commit(tilegpu::CommitOp op,
                                       ArrayRef<int64_t> copies) {
  for (auto [i, number] : llvm::enumerate(copies))
    if (!llvm::is_contained(uncommitted, number))
      return errorAt(op) << "operand " << i
                         << " is no copy that was started since the last "
                            "tilegpu.commit";
  for (int64_t number : uncommitted)
    if (!llvm::is_contained(copies, number)) {
      InFlightDiagnostic diagnostic =
          errorAt(op) << "a copy that was started since the last "
                         "tilegpu.commit is no operand";
      diagnostic.attachNote(copy(number).op->getLoc()) << "copied here";
      return diagnostic;
    }
  groups.emplace(++lastNumber, std::exchange(uncommitted, {}));
  return lastNumber;
}

FailureOr<std::vector<int64_t>>
SharedState::waitedFor(tilegpu::WaitOp op, int64_t group,
                       ArrayRef<SharedTile> memories) {
  auto found = groups.find(group);
  if (found == groups.end())
    return errorAt(op) << "waits for a copy that no tilegpu.commit has closed";
  std::vector<int64_t> copies;
  for (int64_t number : found->second) {
    auto waiting = open.find(number);
    if (waiting == open.end())
      continue;
    copies.push_back(number);
    const AsyncCopy &copy = waiting->second;
    if (llvm::any_of(memories, [&](const SharedTile &memory) {
          return memory.contains(copy.tile);
        }))
      continue;
    InFlightDiagnostic diagnostic =
        errorAt(op) << "waits for a copy to memory that it does not name";
    diagnostic.attachNote(copy.op->getLoc())
        << "copied to slot " << copy.tile.slot.value_or(0) << " here";
    return diagnostic;
  }
  return copies;
}

void SharedState::end(Operation *op, int64_t number, const TileValue *value) {
  const AsyncCopy &copy = open.at(number);
  if (copy.isLive) {
    if (value)
      putAll(copy.tile, *value);
    for (int64_t byte = copy.tile.begin; byte < copy.tile.end(); ++byte)
      touched[byte] = {{op, run, true}};
  }
  open.erase(number);
}

} // namespace tilewright::verify
