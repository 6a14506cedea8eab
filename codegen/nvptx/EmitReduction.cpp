//===- EmitReduction.cpp - Reductions within warps ------------------------===//
#include "codegen/gpu/WarpReduction.h"
#include "codegen/nvptx/Combiner.h"
#include "codegen/nvptx/ThreadEmitter.h"

using namespace mlir;

namespace tilewright::nvptx {

Combiner ThreadEmitter::combinerOf(Region &region) {
  auto emitScalars =
      [this, &region](ValueRange scalars) -> FailureOr<SmallVector<Value>> {
    Block &block = region.front();
    for (auto [argument, scalar] : llvm::zip(block.getArguments(), scalars))
      set(argument, scalar);
    for (Operation &op : block.without_terminator())
      if (failed(emitOp(&op)))
        return failure();
    SmallVector<Value> yielded;
    for (Value value : block.getTerminator()->getOperands())
      yielded.push_back(get(value));
    return yielded;
  };
  return Combiner(
      b, loc, region, hardware(), [this](Value value) { return get(value); },
      emitScalars);
}

/// Registers of each target, in ascending order: element k of list t is the
/// k-th register that counts for target t.
static SmallVector<std::vector<int32_t>>
registersOfTargets(const tilegpu::WarpReduction &reduction) {
  SmallVector<std::vector<int32_t>> lists(size_t(reduction.layout.items()));
  for (auto [reg, target] : llvm::enumerate(reduction.target))
    if (target >= 0)
      lists[target].push_back(int32_t(reg));
  return lists;
}

LogicalResult ThreadEmitter::emitReduction(tilegpu::ReduceOp op) {
  auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
  const layout::Layout &layout = tilegpu::layoutOf(type);
  layout::Result<tilegpu::WarpReduction> reduction = tilegpu::warpReduction(
      layout, op.getAxis(), type.getDimSize(op.getAxis()));
  if (!reduction.ok())
    return refuse(op, reduction.reason());
  Combiner combiner = combinerOf(op.getCombiner());
  Value valid = inTile(layout, type.getShape());
  SmallVector<std::vector<int32_t>> lists = registersOfTargets(*reduction);
  auto column = [&](size_t k) {
    std::vector<int32_t> registers;
    for (const std::vector<int32_t> &list : lists)
      registers.push_back(list[k]);
    Parts parts;
    for (Value input : op.getInputs())
      parts.values.push_back(pick(get(input), registers));
    if (valid)
      parts.valid = pick(valid, registers);
    return parts;
  };
  // Pairs, pairs of pairs, ..: short chains.
  SmallVector<Parts> columns;
  for (size_t k = 0; k < lists[0].size(); ++k)
    columns.push_back(column(k));
  while (columns.size() > 1) {
    SmallVector<Parts> halves;
    for (size_t k = 0; k + 1 < columns.size(); k += 2)
      halves.push_back(combiner.apply(columns[k], columns[k + 1]));
    if (columns.size() % 2)
      halves.push_back(columns.back());
    columns = halves;
  }
  Parts sum = columns[0];
  for (unsigned mask : reduction->laneMasks) {
    Parts other;
    for (Value value : sum.values)
      other.values.push_back(shuffleXor(value, mask));
    if (sum.valid)
      other.valid = shuffleXor(sum.valid, mask);
    if (combiner.commutes()) {
      sum = combiner.apply(sum, other);
      continue;
    }
    // The lower lane's part stands left in both, so that both get the same.
    Value upper = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ne,
        arith::AndIOp::create(b, loc, thread, integer(mask)), integer(0));
    auto swap = [&](Value mine, Value theirs) {
      return arith::SelectOp::create(b, loc, upper, theirs, mine).getResult();
    };
    Parts left, right;
    for (auto [mine, theirs] : llvm::zip(sum.values, other.values)) {
      left.values.push_back(swap(mine, theirs));
      right.values.push_back(swap(theirs, mine));
    }
    if (sum.valid) {
      left.valid = swap(sum.valid, other.valid);
      right.valid = swap(other.valid, sum.valid);
    }
    sum = combiner.apply(left, right);
  }
  for (auto [result, value] : llvm::zip(op.getResults(), sum.values))
    set(result, value);
  return combiner.status();
}

} // namespace tilewright::nvptx
