//===- StoredResults.cpp - Kernels that store what they read --------------===//
#include "graph/analysis/StoredResults.h"

#include "graph/analysis/Access.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::graph {

bool mayStore(Operation *op, const Group &group, std::string &reason) {
  if (!isa<linalg::GenericOp, tensor::PadOp, tensor::ExtractSliceOp>(op)) {
    reason = "no kernel computes its tiles";
    return false;
  }
  const auto reject = [&] {
    reason = "the tiles that the kernel reads are not parts of it";
    return false;
  };
  std::optional<Alignment> alignment = group.align(op);
  if (!alignment)
    return reject();
  llvm::SmallBitVector seen(group.sizes().size());
  ArrayRef<int64_t> sizes =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  for (auto [size, loop] : llvm::zip(sizes, *alignment)) {
    if (loop < 0 ? size != 1 : seen.test(unsigned(loop)))
      return reject();
    if (loop >= 0)
      seen.set(unsigned(loop));
  }
  return true;
}

/// Whether one program computes each tile of `op`, once.
static bool isStoredOnce(Operation *op, const Group &group) {
  llvm::SmallBitVector repeated =
      group.repeatedLoops(group.alignment.lookup(op));
  llvm::SmallBitVector outside = repeated;
  outside.reset(group.wholeLoops);
  if (outside.any())
    return false;
  // It is stored in the walk along the row, or before.
  llvm::SmallBitVector rows = group.wholeLoops;
  rows &= repeated;
  return !group.hasLongRows() || rows.none() || rows == group.wholeLoops;
}

/// The ops that the kernels of a group store in place of kernels of their own:
/// what readers store, and what is computed into its part of a concatenation.
static SmallVector<Operation *> storedByReader(const Group &group) {
  SmallVector<Operation *> stored;
  for (Value value : group.alsoStored)
    stored.push_back(value.getDefiningOp());
  if (group.isConcat)
    for (Value input : group.last->getOperands())
      if (group.ops.contains(input.getDefiningOp()))
        stored.push_back(input.getDefiningOp());
  return stored;
}

/// Whether a kernel with a root makes tiles from which `op` could be computed
/// there: what the root accumulates need not be stored then.
static bool continuesRoot(Operation *op, const Group &group,
                          const DenseMap<Operation *, const Group *> &groupOf) {
  llvm::SmallBitVector own;
  if (!group.isConcat)
    own = group.repeatedLoops(group.alignment.lookup(op));
  SmallVector<Operation *> pending{op};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!pending.empty()) {
    Operation *reader = pending.pop_back_val();
    // Behind a reduction there are other tiles.
    if (!seen.insert(reader).second || isReduction(reader))
      continue;
    for (Value operand : reader->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && group.ops.contains(source)) {
        pending.push_back(source);
        continue;
      }
      auto known = groupOf.find(source);
      if (known == groupOf.end() || !known->second->root)
        continue;
      if (group.isConcat)
        return true;
      std::optional<Alignment> alignment = group.align(source);
      if (alignment && group.repeatedLoops(*alignment) == own)
        return true;
    }
  }
  return false;
}

/// Adds those that are stored later than by a kernel of their own, while the
/// kernel at the peak runs: what they are computed from lies there until then.
static void refuseAtPeak(ArrayRef<Group> groups, const PeakMemory &peak,
                         int64_t limit, StoreRefusals &refusals) {
  Operation *running = groups[peak.group].last;
  const std::string reason =
      "the kernels would need " + std::to_string(peak.bytes) +
      " bytes of memory instead of " + std::to_string(limit);
  SmallVector<Operation *> during, all;
  for (const Group &group : groups)
    for (Operation *op : storedByReader(group)) {
      all.push_back(op);
      if (op->isBeforeInBlock(running) && !group.last->isBeforeInBlock(running))
        during.push_back(op);
    }
  for (Operation *op : during.empty() ? all : during)
    refusals[op] = reason;
}

bool refuseStores(ArrayRef<Group> groups,
                  llvm::function_ref<PeakMemory()> limit,
                  StoreRefusals &refusals) {
  DenseMap<Operation *, const Group *> groupOf;
  bool storesSome = false;
  for (const Group &group : groups) {
    storesSome |= !storedByReader(group).empty();
    for (Operation *op : group.ops)
      groupOf[op] = &group;
  }
  const size_t before = refusals.size();
  for (const Group &group : groups)
    for (Operation *op : storedByReader(group))
      if (!group.isConcat && !isStoredOnce(op, group))
        refusals[op] = "several programs would compute and store it";
      else if (continuesRoot(op, group, groupOf))
        refusals[op] = "the kernel of its operand stores it for less";
  if (!storesSome || refusals.size() > before)
    return storesSome;
  const PeakMemory peak = peakMemory(groups);
  const int64_t allowed = limit().bytes;
  if (peak.bytes <= allowed)
    return false;
  refuseAtPeak(groups, peak, allowed, refusals);
  // All may be refused already, and the peak is elsewhere.
  return refusals.size() > before;
}

} // namespace tilewright::graph
