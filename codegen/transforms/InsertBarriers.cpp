//===- InsertBarriers.cpp - Barriers between accesses of memory -----------===//
#include "codegen/transforms/Passes.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::gpu {

#define GEN_PASS_DEF_INSERTBARRIERS
#include "codegen/transforms/Passes.h.inc"

namespace {
/// An access of memory by all threads of the block.
struct Access {
  Operation *op = nullptr;
  bool writes = false;
  /// In shared memory: its bytes. In global memory `end` is 0.
  int64_t first = 0, end = 0;
  /// In global memory: the argument whose memory it is; null: unknown.
  Value argument;

  bool isShared() const { return end != 0; }
  bool mayMeet(const Access &other) const;
  friend bool operator==(const Access &, const Access &) = default;
};

/// The accesses since the last barrier, on any way that leads here.
using Pending = SmallVector<Access>;

struct InsertBarriers : impl::InsertBarriersBase<InsertBarriers> {
  void runOnOperation() override;

private:
  void visit(Block &block, Pending &pending);
  void visit(Operation *op, Pending &pending);
  void visitRegions(Operation *op, Pending &pending);
};
} // namespace

//===--- Accesses ---------------------------------------------------------===//

static Access sharedAccess(Operation *op, Value memory, bool writes) {
  auto alloc = memory.getDefiningOp<tilegpu::AllocOp>();
  int64_t first = *alloc.getOffset();
  return {op, writes, first, first + alloc.getType().getBytes(), {}};
}

static Access viewAccess(Operation *op, Value view, bool writes) {
  return {op, writes, 0, 0, isa<BlockArgument>(view) ? view : Value()};
}

static Access pointerAccess(Operation *op, bool writes) {
  return {op, writes, 0, 0, {}};
}

static std::optional<Access> accessOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Access>>(op)
      .Case([&](tilegpu::StoreSharedOp store) {
        return sharedAccess(op, store.getMemory(), true);
      })
      .Case([&](tilegpu::LoadSharedOp load) {
        return sharedAccess(op, load.getMemory(), false);
      })
      .Case([&](tilegpu::GatherSharedOp gather) {
        return sharedAccess(op, gather.getMemory(), false);
      })
      .Case([&](tilegpu::ReadSharedOp read) {
        return sharedAccess(op, read.getMemory(), false);
      })
      .Case([&](tilegpu::CountSharedOp count) {
        return sharedAccess(op, count.getMemory(), true);
      })
      .Case([&](tile::LoadOp load) {
        return viewAccess(op, load.getView(), false);
      })
      .Case([&](tile::StoreOp store) {
        return viewAccess(op, store.getView(), true);
      })
      .Case([&](tile::LoadPtrOp) { return pointerAccess(op, false); })
      .Case<tile::StorePtrOp, tile::AtomicRmwOp, tile::AtomicCasOp,
            tile::AtomicReduceOp>([&](auto) { return pointerAccess(op, true); })
      .Default([](Operation *) { return std::nullopt; });
}

/// The tile of a load or store of a view, and where it is.
static std::pair<RankedTensorType, SmallVector<Value>> placeOf(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return {cast<RankedTensorType>(load.getType()), load.getOffsets()};
  auto store = dyn_cast<tile::StoreOp>(op);
  if (!store)
    return {};
  return {cast<RankedTensorType>(store.getValue().getType()),
          store.getOffsets()};
}

/// Whether each element that both ops access is accessed by one thread: a tile
/// is read and written at one place in one layout, and no thread has a copy.
static bool sameThreads(Operation *a, Operation *b) {
  auto [aType, aOffsets] = placeOf(a);
  auto [bType, bOffsets] = placeOf(b);
  return aType && aType == bType && aOffsets == bOffsets &&
         a->getAttr("byElement") == b->getAttr("byElement") &&
         a->getAttr("steps") == b->getAttr("steps") &&
         tilegpu::layoutOf(aType).copies() == 1;
}

/// Whether the two store to parts of one tile that have no element in common.
static bool apart(Operation *a, Operation *b) {
  auto first = dyn_cast<tilegpu::StoreSharedOp>(a);
  auto second = dyn_cast<tilegpu::StoreSharedOp>(b);
  if (!first || !second || first.getMemory() != second.getMemory() ||
      !first.hasWindow() || !second.hasWindow())
    return false;
  auto end = [](tilegpu::StoreSharedOp store, int64_t dim) {
    auto type = cast<RankedTensorType>(store.getValue().getType());
    return store.getFirst(dim) +
           (type.getDimSize(dim) - 1) * store.getStep(dim) + 1;
  };
  int64_t rank = int64_t(first.getMemory().getType().getShape().size());
  return llvm::any_of(llvm::seq<int64_t>(rank), [&](int64_t dim) {
    return end(first, dim) <= second.getFirst(dim) ||
           end(second, dim) <= first.getFirst(dim);
  });
}

/// Whether the two need a barrier between them.
bool Access::mayMeet(const Access &other) const {
  if (!(writes || other.writes) || isShared() != other.isShared())
    return false;
  if (isShared())
    return first < other.end && other.first < end && !apart(op, other.op);
  // Between different arguments the tile level promises no order.
  if (argument && other.argument && argument != other.argument)
    return false;
  return !argument || !other.argument || !sameThreads(op, other.op);
}

//===--- The walk ---------------------------------------------------------===//

static void unite(Pending &pending, const Pending &other) {
  for (const Access &access : other)
    if (!llvm::is_contained(pending, access))
      pending.push_back(access);
}

void InsertBarriers::visit(Operation *op, Pending &pending) {
  if (isa<tilegpu::BarrierOp>(op))
    return pending.clear();
  if (std::optional<Access> access = accessOf(op)) {
    if (llvm::any_of(pending,
                     [&](const Access &a) { return a.mayMeet(*access); })) {
      OpBuilder builder(op);
      tilegpu::BarrierOp::create(builder, op->getLoc());
      ++numBarriers;
      pending.clear();
    }
    unite(pending, {*access});
  }
  if (op->getNumRegions() && !isa<tilegpu::ReduceOp, tilegpu::ScanOp>(op))
    visitRegions(op, pending);
}

void InsertBarriers::visit(Block &block, Pending &pending) {
  for (Operation &op : llvm::make_early_inc_range(block))
    visit(&op, pending);
}

/// A loop's regions follow on themselves; of branches, one is taken. Either
/// may be skipped.
void InsertBarriers::visitRegions(Operation *op, Pending &pending) {
  bool loop = isa<LoopLikeOpInterface>(op);
  Pending after = pending, start = pending;
  while (true) {
    Pending through = start;
    for (Region &region : op->getRegions()) {
      if (!loop)
        through = start;
      if (!region.empty())
        visit(region.front(), through);
      unite(after, through);
    }
    size_t before = start.size();
    if (loop)
      unite(start, through);
    if (start.size() == before)
      break;
  }
  pending = after;
}

void InsertBarriers::runOnOperation() {
  Pending pending;
  visit(*getOperation().getBody(), pending);
}

} // namespace tilewright::gpu
