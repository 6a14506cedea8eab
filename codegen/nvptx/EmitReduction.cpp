//===- EmitReduction.cpp - Reductions within warps ------------------------===//
#include "codegen/numeric/ElementTypes.h"
#include "codegen/nvptx/Combiner.h"
#include "codegen/nvptx/Emission.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/Shuffles.h"
#include "codegen/nvptx/Threads.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/Fiber.h"
#include "codegen/tilegpu/TileGpu.h"
#include "codegen/tilegpu/WarpReduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::nvptx {

/// Columns of registers, one of each target, that follow each other in
/// ascending order: the k-th has the k-th register that counts for each.
static std::vector<int32_t>
registersByColumn(const tilegpu::WarpReduction &reduction) {
  SmallVector<std::vector<int32_t>> lists(size_t(reduction.layout.items()));
  for (auto [reg, target] : llvm::enumerate(reduction.target))
    if (target >= 0)
      lists[target].push_back(int32_t(reg));
  std::vector<int32_t> registers;
  for (size_t k = 0; k < lists[0].size(); ++k)
    for (const std::vector<int32_t> &list : lists)
      registers.push_back(list[k]);
  return registers;
}

/// What a thread holds of the operands, by register.
static Parts elementsOf(Emission &e, Combiner &combiner, tilegpu::ReduceOp op) {
  ImplicitLocOpBuilder &b = e.b;
  auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
  Parts all;
  for (Value input : op.getInputs())
    all.values.push_back(e.get(input));
  all.valid = inTile(e, tilegpu::layoutOf(type), type.getShape());
  if (TypedAttr neutral = combiner.neutral(); neutral && all.valid) {
    // Padding takes part, as nothing.
    Value &value = all.values[0];
    const auto vector = cast<VectorType>(value.getType());
    Value nothing = arith::ConstantOp::create(
        b, DenseElementsAttr::get(vector,
                                  Attribute(numeric::inRegister(neutral))));
    value = arith::SelectOp::create(b, all.valid, value, nothing);
    all.valid = {};
  }
  return all;
}

/// Combines these columns of registers: neighbours, neighbours of those, ..,
/// all pairs of a step at once.
static Parts reduceRegisters(Emission &e, Combiner &combiner,
                             const Parts &elements, ArrayRef<int32_t> registers,
                             int64_t targets) {
  ImplicitLocOpBuilder &b = e.b;
  auto pickAll = [&](const Parts &from, ArrayRef<int32_t> indices) {
    Parts picked;
    for (Value value : from.values)
      picked.values.push_back(pick(b, value, indices));
    if (from.valid)
      picked.valid = pick(b, from.valid, indices);
    return picked;
  };
  Parts all = pickAll(elements, registers);
  auto everyOther = [&](int64_t first, int64_t count) {
    std::vector<int32_t> indices;
    for (int64_t k = 0; k < count; ++k)
      for (int64_t target = 0; target < targets; ++target)
        indices.push_back(int32_t((first + 2 * k) * targets + target));
    return pickAll(all, indices);
  };
  for (int64_t columns = int64_t(registers.size()) / targets; columns > 1;
       columns = (columns + 1) / 2) {
    int64_t pairs = columns / 2;
    Parts sums = combiner.apply(everyOther(0, pairs), everyOther(1, pairs));
    if (columns % 2) {
      Parts last = everyOther(columns - 1, 1);
      for (auto [value, more] : llvm::zip(sums.values, last.values))
        value = joined(b, value, more);
      if (last.valid)
        sums.valid = joined(b, sums.valid, last.valid);
    }
    all = sums;
  }
  return all;
}

/// Combines what lanes hold.
static Parts reduceLanes(Emission &e, Combiner &combiner,
                         ArrayRef<unsigned> laneMasks, Parts sum) {
  ImplicitLocOpBuilder &b = e.b;
  for (unsigned mask : laneMasks) {
    Parts other;
    for (Value value : sum.values)
      other.values.push_back(shuffleXor(b, value, mask));
    if (sum.valid)
      other.valid = shuffleXor(b, sum.valid, mask);
    if (combiner.commutes()) {
      sum = combiner.apply(sum, other);
      continue;
    }
    // The lower lane's part is the left operand in both, so that both compute
    // the same.
    Value upper = arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne,
        arith::AndIOp::create(b, e.thread, integer(b, mask)), integer(b, 0));
    auto swap = [&](Value mine, Value theirs) {
      return arith::SelectOp::create(b, upper, theirs, mine).getResult();
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
  return sum;
}

/// How many registers of a target are neighbours along the fiber, so that they
/// may be combined before lanes are: all, or where the order counts those of
/// one round.
static int64_t columnsOfRound(const layout::Layout &layout, unsigned axis,
                              Combiner &combiner, int64_t columns) {
  if (combiner.commutes())
    return columns;
  StatusOr<tilegpu::Fiber> fiber =
      tilegpu::fiberAlong(layout, axis, tilegpu::Rounds::any);
  return fiber.ok() && fiber->perThread() == columns ? fiber->run : columns;
}

static LogicalResult emitReduction(tilegpu::ReduceOp op, Emission &e) {
  auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
  const layout::Layout &layout = tilegpu::layoutOf(type);
  const unsigned axis = unsigned(op.getAxis());
  StatusOr<tilegpu::WarpReduction> reduction =
      tilegpu::warpReduction(layout, axis, type.getDimSize(axis));
  if (!reduction.ok())
    return reject(op, reduction.status().message());
  Combiner combiner(e, op.getCombiner());
  const Parts elements = elementsOf(e, combiner, op);
  const std::vector<int32_t> registers = registersByColumn(*reduction);
  const int64_t targets = reduction->layout.items();
  const int64_t columns = int64_t(registers.size()) / targets;
  const int64_t count = columnsOfRound(layout, axis, combiner, columns);
  Parts sum;
  for (int64_t first = 0; first < columns; first += count) {
    Parts round =
        reduceRegisters(e, combiner, elements,
                        ArrayRef(registers).slice(size_t(first * targets),
                                                  size_t(count * targets)),
                        targets);
    round = reduceLanes(e, combiner, reduction->laneMasks, round);
    sum = first == 0 ? round : combiner.apply(sum, round);
  }
  for (auto [result, value] : llvm::zip(op.getResults(), sum.values))
    e.set(result, value);
  return combiner.status();
}

void addReductionOps(GpuOps &ops) { add(ops, emitReduction); }

} // namespace tilewright::nvptx
