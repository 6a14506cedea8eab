//===- InsertBarriers.cpp - Barriers between accesses of memory -----------===//
#include "codegen/tilegpu/Rings.h"
#include "codegen/transforms/Contiguity.h"
#include "codegen/transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tileir/analysis/ArgumentAccesses.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_INSERTBARRIERS
#include "codegen/transforms/Passes.h.inc"

namespace {
/// An access of memory by all threads of the block, or a fence.
struct Access {
  Operation *op = nullptr;
  bool writes = false;
  /// In shared memory: its bytes, those of all slots of a ring. In global
  /// memory `end` is 0.
  int64_t first = 0, end = 0;
  /// In global memory: the argument that it accesses; null: unknown.
  Value argument = {};
  /// Whether other programs that see it see all before it, and whether all
  /// after it sees what other programs did.
  bool releases = false, acquires = false;
  /// In shared memory: what is accessed of the ring.
  SlotNumber slot = {};

  bool isShared() const { return end != 0; }
  bool isFence() const { return isa<tile::FenceOp>(op); }
  bool needsBarrierBefore(const Access &other) const;
  friend bool operator==(const Access &, const Access &) = default;
};

/// The accesses since the last barrier, on any way that leads here.
using Pending = SmallVector<Access>;

struct InsertBarriers : impl::InsertBarriersBase<InsertBarriers> {
  void runOnOperation() override;

private:
  void visit(Block &block, Pending &pending);
  void visit(Operation *op, Pending &pending);
  void visitBranches(Operation *op, Pending &pending);
  void visitLoop(Operation *op, Pending &pending);

  /// False while an iteration is only looked at.
  bool inserts = true;
};
} // namespace

//===--- Accesses ---------------------------------------------------------===//

/// What an op of the scheduled level accesses, by its effects on memory.
static SmallVector<Access> sharedAccesses(Operation *op) {
  SmallVector<Access> accesses;
  auto effecting = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effecting)
    return accesses;
  SmallVector<MemoryEffects::EffectInstance> effects;
  effecting.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    if (effect.getResource() != tilegpu::SharedMemory::get() ||
        !effect.getValue())
      continue;
    AllocOp root = rootOf(effect.getValue());
    Access access;
    access.op = op;
    access.writes = isa<MemoryEffects::Write>(effect.getEffect());
    access.first = *root.getOffset();
    access.end = access.first + root.getType().getBytes();
    access.slot = slotNumberOf(effect.getValue());
    accesses.push_back(access);
  }
  return accesses;
}

/// An access of global memory, or a fence. Within its own program an access has
/// only program order. Pointers keep the allocation of the view that they are
/// computed from.
static Access globalAccess(Operation *op, bool writes, Value view = {}) {
  using Order = tile::MemoryOrder;
  Access access{op, writes};
  if (view && tile::argumentOf(op->getParentOfType<tile::KernelOp>(), view))
    access.argument = view;
  auto ordered = dyn_cast<tile::MemoryOrderOpInterface>(op);
  if (!ordered || ordered.getOptionalScope() == tile::MemoryScope::program)
    return access;
  Order order = ordered.getOrder();
  bool both = order == Order::acq_rel || order == Order::seq_cst;
  access.releases = both || order == Order::release;
  access.acquires = both || order == Order::acquire;
  return access;
}

static SmallVector<Access> accessesOf(Operation *op) {
  using Accesses = SmallVector<Access>;
  return llvm::TypeSwitch<Operation *, Accesses>(op)
      .Case([&](tile::ViewAccessOpInterface access) {
        return Accesses{globalAccess(op, access.getWrittenTile() != nullptr,
                                     access.getView())};
      })
      .Case([&](tile::PointerAccessOpInterface access) {
        return Accesses{globalAccess(op, access.getWrittenValue() != nullptr,
                                     viewOf(access.getPtr()))};
      })
      .Case([&](CopyOp copy) {
        Accesses both = sharedAccesses(copy);
        both.append(accessesOf(copy.getRead()));
        return both;
      })
      .Case([&](tile::FenceOp) { return Accesses{globalAccess(op, false)}; })
      .Case([&](tile::InlinePtxOp ptx) {
        return ptx.getIsPure() ? Accesses() : Accesses{globalAccess(op, true)};
      })
      .Default(sharedAccesses);
}

/// Whether a value is the same in all iterations of the kernel's loops.
static bool isFixed(Value value) {
  return isa<tile::KernelOp>(value.getParentBlock()->getParentOp()) ||
         matchPattern(value, m_Constant());
}

/// Whether one thread does both ops' accesses to each element of the argument
/// `view`: elements have distinct addresses, the tiles have one shape and one
/// layout, no thread has a copy, and they are one tile or are disjoint.
static bool sameThreads(Value view, Operation *a, Operation *b) {
  // With explicit strides, several indices may share an address.
  if (cast<tile::ViewType>(view.getType()).hasExplicitStrides())
    return false;
  auto first = dyn_cast<tile::ViewAccessOpInterface>(a);
  auto second = dyn_cast<tile::ViewAccessOpInterface>(b);
  if (!first || !second)
    return false;
  RankedTensorType type = first.getTile().getType();
  if (type != second.getTile().getType() ||
      tilegpu::layoutOf(type).copies() != 1 ||
      first.getByElement() != second.getByElement() ||
      first.getSteps() != second.getSteps())
    return false;
  // By index, tiles do not overlap; by element they do.
  return !first.getByElement() ||
         (llvm::equal(first.getOffsets(), second.getOffsets()) &&
          llvm::all_of(first.getOffsets(), isFixed));
}

/// Whether both access the argument `view` by element, and somewhere along a
/// dimension one's constant range ends before the other's.
static bool apartInView(Value view, Operation *a, Operation *b) {
  if (cast<tile::ViewType>(view.getType()).hasExplicitStrides())
    return false;
  auto first = dyn_cast<tile::ViewAccessOpInterface>(a);
  auto second = dyn_cast<tile::ViewAccessOpInterface>(b);
  if (!first || !second || !first.getByElement() || !second.getByElement())
    return false;
  auto range = [](tile::ViewAccessOpInterface access,
                  unsigned dim) -> std::optional<std::pair<int64_t, int64_t>> {
    std::optional<int64_t> start =
        getConstantIntValue(access.getOffsets()[dim]);
    if (!start)
      return std::nullopt;
    const int64_t step = access.getSteps().empty() ? 1 : access.getSteps()[dim];
    const int64_t size = access.getTile().getType().getDimSize(dim);
    std::optional<int64_t> last = llvm::checkedMulAdd(size - 1, step, *start);
    if (!last)
      return std::nullopt;
    return std::pair(*start, *last);
  };
  return llvm::any_of(
      llvm::seq<unsigned>(first.getOffsets().size()), [&](unsigned dim) {
        auto x = range(first, dim), y = range(second, dim);
        return x && y && (x->second < y->first || y->second < x->first);
      });
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

/// Whether this access and one after it need a barrier between them.
bool Access::needsBarrierBefore(const Access &other) const {
  if (isShared() != other.isShared())
    return false;
  if (acquires || other.releases)
    return !(isFence() && other.isFence());
  if (!(writes || other.writes) || isFence() || other.isFence())
    return false;
  // What a wait ends began at the copy, which is ordered with all before it.
  if (isShared())
    return first < other.end && other.first < end && !isa<WaitOp>(other.op) &&
           !apart(op, other.op) &&
           !(first == other.first && slot.differsFrom(other.slot));
  // The tile level guarantees no order between different arguments.
  if (argument && other.argument && argument != other.argument)
    return false;
  return !argument || !other.argument ||
         !(sameThreads(argument, op, other.op) ||
           apartInView(argument, op, other.op));
}

//===--- The walk ---------------------------------------------------------===//

static void unite(Pending &pending, const Pending &other) {
  for (const Access &access : other)
    if (!llvm::is_contained(pending, access))
      pending.push_back(access);
}

/// Accesses whose slots have other names on the other side of a loop's border.
static Pending renamed(Pending pending, Operation *loop,
                       SlotNumber (*rename)(const SlotNumber &, scf::ForOp)) {
  auto counted = dyn_cast<scf::ForOp>(loop);
  for (Access &access : pending)
    access.slot = counted ? rename(access.slot, counted) : SlotNumber();
  return pending;
}

/// Whether `access` only announces others: a copy writes until its wait, and a
/// slot is acquired and released for them.
static bool isAnnounced(const Access &access) {
  return isa<CopyOp, AcquireOp, ReleaseOp>(access.op);
}

void InsertBarriers::visit(Operation *op, Pending &pending) {
  if (isa<tilegpu::BarrierOp>(op))
    return pending.clear();
  Pending accesses = accessesOf(op);
  if (llvm::any_of(pending, [&](const Access &before) {
        return llvm::any_of(accesses, [&](const Access &access) {
          return before.needsBarrierBefore(access);
        });
      })) {
    if (inserts) {
      OpBuilder builder(op);
      tilegpu::BarrierOp::create(builder, op->getLoc());
      ++numBarriers;
    }
    pending.clear();
  }
  llvm::erase_if(accesses, isAnnounced);
  unite(pending, accesses);
  if (isa<LoopLikeOpInterface>(op))
    visitLoop(op, pending);
  else if (op->getNumRegions() && !isa<tile::CombiningOpInterface, CopyOp>(op))
    visitBranches(op, pending);
}

void InsertBarriers::visit(Block &block, Pending &pending) {
  for (Operation &op : llvm::make_early_inc_range(block))
    visit(&op, pending);
}

/// Of branches one is taken; they may be skipped.
void InsertBarriers::visitBranches(Operation *op, Pending &pending) {
  const Pending start = pending;
  for (Region &region : op->getRegions()) {
    Pending through = start;
    if (!region.empty())
      visit(region.front(), through);
    unite(pending, through);
  }
}

/// A loop's regions follow on themselves. Barriers are set when all is known
/// that an iteration follows on: an earlier one may then serve a later access.
void InsertBarriers::visitLoop(Operation *op, Pending &pending) {
  Pending start = renamed(pending, op, enterLoop);
  auto iteration = [&](llvm::function_ref<void(const Pending &)> atEnd) {
    Pending through = start;
    for (Region &region : op->getRegions()) {
      if (!region.empty())
        visit(region.front(), through);
      atEnd(through);
    }
    return through;
  };
  {
    llvm::SaveAndRestore<bool> finding(inserts, false);
    size_t before = 0;
    do {
      before = start.size();
      unite(start,
            renamed(iteration([](const Pending &) {}), op, nextIteration));
    } while (start.size() != before);
  }
  iteration([&](const Pending &through) {
    unite(pending, renamed(through, op, leaveLoop));
  });
}

void InsertBarriers::runOnOperation() {
  Pending pending;
  visit(*getOperation().getBody(), pending);
}

} // namespace tilewright::tilegpu
