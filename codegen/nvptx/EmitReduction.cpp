//===- EmitReduction.cpp - Reductions within warps ------------------------===//
#include "codegen/gpu/WarpReduction.h"
#include "codegen/nvptx/Combiner.h"
#include "codegen/nvptx/ThreadEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::nvptx {

bool Combiner::commutes() {
  auto ops = block.without_terminator();
  return llvm::hasSingleElement(ops) &&
         (*ops.begin()).hasTrait<OpTrait::IsCommutative>() &&
         block.getNumArguments() == 2;
}

/// The region's ops on vectors in place of scalars.
SmallVector<Value> Combiner::apply(ValueRange left, ValueRange right) {
  int64_t count = cast<VectorType>(left[0].getType()).getNumElements();
  DenseMap<Value, Value> inner;
  for (auto [argument, value] :
       llvm::zip(block.getArguments(),
                 llvm::concat<const Value>(SmallVector<Value>(left),
                                           SmallVector<Value>(right))))
    inner[argument] = value;
  auto asVector = [&](Value value) -> Value {
    auto known = inner.find(value);
    if (known != inner.end())
      return known->second;
    Value scalar = outside(value);
    return vector::BroadcastOp::create(
        b, loc, VectorType::get({count}, scalar.getType()), scalar);
  };
  for (Operation &op : block.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto element = Attribute(numeric::inRegister(constant.getValue()));
      auto type = VectorType::get({count}, cast<TypedAttr>(element).getType());
      inner[constant.getResult()] = arith::ConstantOp::create(
          b, loc, DenseElementsAttr::get(type, element));
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(asVector(operand));
    numeric::Elementwise elementwise(b, op.getLoc(), hardware);
    for (auto [result, value] :
         llvm::zip(op.getResults(), elementwise.emit(&op, operands)))
      inner[result] = value;
  }
  SmallVector<Value> results;
  for (Value yielded : block.getTerminator()->getOperands())
    results.push_back(asVector(yielded));
  return results;
}

Parts Combiner::apply(const Parts &left, const Parts &right) {
  Parts result{apply(left.values, right.values), {}};
  for (auto [i, value] : llvm::enumerate(result.values)) {
    if (right.valid)
      value =
          arith::SelectOp::create(b, loc, right.valid, value, left.values[i]);
    if (left.valid)
      value =
          arith::SelectOp::create(b, loc, left.valid, value, right.values[i]);
  }
  if (left.valid && right.valid)
    result.valid = arith::OrIOp::create(b, loc, left.valid, right.valid);
  return result;
}

LogicalResult ThreadEmitter::checkCombiner(Region &combiner) {
  for (Operation &op : combiner.front().without_terminator())
    if (!isa<arith::ConstantOp>(op) && !numeric::isElementwise(&op))
      return refuse(&op, "not supported in a combiner on a GPU yet");
  return success();
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
  if (failed(checkCombiner(op.getCombiner())))
    return failure();
  auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
  const layout::Layout &layout = tilegpu::layoutOf(type);
  layout::Result<tilegpu::WarpReduction> reduction = tilegpu::warpReduction(
      layout, op.getAxis(), type.getDimSize(op.getAxis()));
  if (!reduction.ok())
    return refuse(op, reduction.reason());
  Combiner combiner(b, loc, op.getCombiner(), hardware(),
                    [this](Value value) { return get(value); });
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
  return success();
}

} // namespace tilewright::nvptx
