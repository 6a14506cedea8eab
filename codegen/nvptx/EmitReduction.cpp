//===- EmitReduction.cpp - Reductions within warps ------------------------===//
#include "codegen/gpu/WarpReduction.h"
#include "codegen/nvptx/Combiner.h"
#include "codegen/nvptx/ThreadEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilewright::nvptx {

bool Combiner::commutes() {
  auto ops = block.without_terminator();
  return llvm::hasSingleElement(ops) &&
         (*ops.begin()).hasTrait<OpTrait::IsCommutative>() &&
         block.getNumArguments() == 2;
}

/// A type that vectors may have as it is.
static bool isVectorElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() != 4;
  return type.isIndex() || type.isF16() || type.isBF16() || type.isF32() ||
         type.isF64();
}

bool Combiner::isVectorizable() {
  return llvm::all_of(block.without_terminator(), [](Operation &op) {
    return (isa<arith::ConstantOp>(op) ||
            op.hasTrait<OpTrait::Elementwise>()) &&
           op.getNumRegions() == 0 &&
           llvm::all_of(op.getOperandTypes(), isVectorElement) &&
           llvm::all_of(op.getResultTypes(), isVectorElement);
  });
}

SmallVector<Value> Combiner::apply(ValueRange left, ValueRange right) {
  SmallVector<Value> operands(left);
  llvm::append_range(operands, right);
  return isVectorizable() ? applyVectors(operands) : applyScalars(operands);
}

/// The region's ops on vectors in place of scalars.
SmallVector<Value> Combiner::applyVectors(ValueRange operands) {
  int64_t count = cast<VectorType>(operands[0].getType()).getNumElements();
  IRMapping mapping;
  mapping.map(block.getArguments(), operands);
  auto asVector = [&](Value value) -> Value {
    bool isInside = value.getParentBlock() == &block;
    Value mapped = isInside ? mapping.lookup(value) : lookup(value);
    if (isa<VectorType>(mapped.getType()))
      return mapped;
    return vector::BroadcastOp::create(
        b, loc, VectorType::get({count}, mapped.getType()), mapped);
  };
  for (Operation &op : block.without_terminator()) {
    OperationState state(op.getLoc(), op.getName());
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      mapping.map(constant.getResult(), b.clone(op)->getResult(0));
      continue;
    }
    for (Value operand : op.getOperands())
      state.addOperands(asVector(operand));
    for (Type type : op.getResultTypes())
      state.addTypes(VectorType::get({count}, type));
    state.addAttributes(op.getAttrs());
    Operation *made = b.create(state);
    mapping.map(op.getResults(), made->getResults());
  }
  SmallVector<Value> results;
  for (Value yielded : block.getTerminator()->getOperands())
    results.push_back(asVector(yielded));
  return results;
}

SmallVector<Value> Combiner::applyScalars(ValueRange operands) {
  int64_t count = cast<VectorType>(operands[0].getType()).getNumElements();
  SmallVector<SmallVector<Value>> results(operands.size() / 2);
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Value> scalars;
    for (Value operand : operands)
      scalars.push_back(vector::ExtractOp::create(b, loc, operand, i));
    FailureOr<SmallVector<Value>> yielded = emitScalars(scalars);
    if (failed(yielded)) {
      outcome = failure();
      return SmallVector<Value>(operands.take_front(results.size()));
    }
    for (auto [result, value] : llvm::zip(results, *yielded))
      result.push_back(value);
  }
  SmallVector<Value> vectors;
  for (auto [result, operand] : llvm::zip(results, operands))
    vectors.push_back(vector::FromElementsOp::create(
        b, loc, cast<VectorType>(operand.getType()), result));
  return vectors;
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
      b, loc, region, [this](Value value) { return get(value); }, emitScalars);
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
