//===- InsertBarriers.cpp - Barriers between accesses of shared memory ----===//
#include "codegen/transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tilewright::gpu {

#define GEN_PASS_DEF_INSERTBARRIERS
#include "codegen/transforms/Passes.h.inc"

namespace {
/// Bytes of shared memory that were accessed.
struct Access {
  int64_t first, end;
  bool writes;

  bool conflicts(const Access &other) const {
    return first < other.end && other.first < end && (writes || other.writes);
  }
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

static void unite(Pending &pending, const Pending &other) {
  for (const Access &access : other)
    if (!llvm::is_contained(pending, access))
      pending.push_back(access);
}

static Access accessOf(Value memory, bool writes) {
  auto alloc = memory.getDefiningOp<tilegpu::AllocOp>();
  int64_t first = *alloc.getOffset();
  return {first, first + alloc.getType().getBytes(), writes};
}

void InsertBarriers::visit(Operation *op, Pending &pending) {
  if (isa<tilegpu::BarrierOp>(op))
    return pending.clear();
  std::optional<Access> access;
  if (auto store = dyn_cast<tilegpu::StoreSharedOp>(op))
    access = accessOf(store.getMemory(), true);
  if (auto load = dyn_cast<tilegpu::LoadSharedOp>(op))
    access = accessOf(load.getMemory(), false);
  if (access) {
    if (llvm::any_of(pending,
                     [&](const Access &a) { return a.conflicts(*access); })) {
      OpBuilder builder(op);
      tilegpu::BarrierOp::create(builder, op->getLoc());
      ++numBarriers;
      pending.clear();
    }
    pending.push_back(*access);
  }
  if (op->getNumRegions() && !isa<tilegpu::ReduceOp>(op))
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
