//===- MergeLoops.cpp - Neighbouring loops of a reduction as one ----------===//
#include "graph/transforms/MergeLoops.h"

#include "graph/analysis/Access.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilewright::graph {

/// The size of dimensions that become one.
static int64_t sizeOf(RankedTensorType type, ArrayRef<int64_t> dims) {
  int64_t size = 1;
  for (int64_t dim : dims) {
    if (type.isDynamicDim(dim))
      return ShapedType::kDynamic;
    size *= type.getDimSize(dim);
  }
  return size;
}

Value Reshapes::get(OpBuilder &b, Value tensor,
                    ArrayRef<SmallVector<int64_t>> groups) {
  for (Known &each : known)
    if (each.tensor == tensor && ArrayRef(each.groups) == groups &&
        each.reshaped.getParentBlock() == b.getInsertionBlock())
      return each.reshaped;
  Location loc = tensor.getLoc();
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  for (const SmallVector<int64_t> &dims : groups) {
    shape.push_back(sizeOf(type, dims));
    Value size;
    for (int64_t dim : dims) {
      Value next = getValueOrCreateConstantIndexOp(
          b, loc, tensor::getMixedSize(b, loc, tensor, dim));
      size = size ? arith::MulIOp::create(b, loc, size, next) : next;
    }
    if (!ShapedType::isDynamic(shape.back()))
      size = arith::ConstantIndexOp::create(b, loc, shape.back());
    sizes.push_back(size);
  }
  Value all = tensor::FromElementsOp::create(
      b, loc, RankedTensorType::get(int64_t(sizes.size()), b.getIndexType()),
      sizes);
  Value reshaped =
      tensor::ReshapeOp::create(b, loc, type.clone(shape), tensor, all);
  known.push_back({tensor, llvm::to_vector(groups), reshaped});
  return reshaped;
}

void Reshapes::eraseUnused(RewriterBase &rewriter) {
  SetVector<Operation *> work;
  for (const Known &each : known)
    work.insert(each.reshaped.getDefiningOp());
  known.clear();
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    // Also what computes its shape.
    for (Value operand : op->getOperands())
      if (Operation *computes = operand.getDefiningOp())
        work.insert(computes);
    rewriter.eraseOp(op);
  }
}

/// Whether the tensor is in memory, whoever reads it: no view, and nothing that
/// the kernel of one reader would compute.
static bool isInMemory(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (!op || isa<tensor::ReshapeOp>(op) || hasOwnKernels(op) ||
      isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op))
    return true;
  if (!isa<linalg::GenericOp>(op) || isPureCopy(op))
    return false;
  return !isElementwise(op) ||
         llvm::count_if(tensor.getUses(), readsContent) > 1;
}

/// Whether all operands that have one of the loops have both, side by side.
static bool areNeighbours(linalg::GenericOp op, unsigned first,
                          unsigned second) {
  auto position = [&](AffineMap map, unsigned loop) {
    return map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
  };
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isFunctionOfDim(first) && !map.isFunctionOfDim(second))
      return true;
    auto before = position(map, first), after = position(map, second);
    const auto uses = llvm::count_if(map.getResults(), [&](AffineExpr each) {
      return each.isFunctionOfDim(first) || each.isFunctionOfDim(second);
    });
    return before && after && *after == *before + 1 && uses == 2 &&
           isInMemory(operand.get());
  });
}

/// The loops in groups: those of a group become one.
static SmallVector<SmallVector<unsigned>> groupsOf(linalg::GenericOp op) {
  const auto kinds = op.getIteratorTypesArray();
  const SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto usesIndex = [&](unsigned loop) {
    return llvm::any_of(
        op.getBody()->getOps<linalg::IndexOp>(),
        [&](linalg::IndexOp index) { return index.getDim() == loop; });
  };
  auto mayMerge = [&](unsigned loop) {
    return kinds[loop] == utils::IteratorType::reduction && !usesIndex(loop);
  };
  auto isOpen = [&](unsigned loop) {
    return ShapedType::isDynamic(ranges[loop]);
  };
  SmallVector<SmallVector<unsigned>> groups;
  // From the innermost, with which those of unknown length do not merge.
  bool isAlongMemory = false;
  for (unsigned loop = op.getNumLoops(); loop-- > 0;) {
    const bool startsAlongMemory = isInnermost(op, loop);
    if (!groups.empty()) {
      SmallVector<unsigned> &inner = groups.back();
      if (mayMerge(loop) && mayMerge(inner.front()) && !startsAlongMemory &&
          areNeighbours(op, loop, inner.front()) &&
          !(isAlongMemory && (isOpen(loop) || llvm::any_of(inner, isOpen)))) {
        inner.insert(inner.begin(), loop);
        continue;
      }
    }
    isAlongMemory = startsAlongMemory;
    groups.push_back({loop});
  }
  return {groups.rbegin(), groups.rend()};
}

/// The input and its map with each of the groups as one loop. `groupOf`: by
/// loop.
static std::pair<Value, AffineMap>
mergeInput(OpBuilder &b, OpOperand &input, AffineMap map,
           ArrayRef<SmallVector<unsigned>> groups, ArrayRef<unsigned> groupOf,
           Reshapes &reshapes) {
  MLIRContext *context = b.getContext();
  SmallVector<AffineExpr> numbers, subscripts;
  for (unsigned group : groupOf)
    numbers.push_back(getAffineDimExpr(group, context));
  SmallVector<SmallVector<int64_t>> dims;
  for (int64_t dim = 0; dim < map.getNumResults(); ++dim) {
    auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim));
    const bool isMore = loop && groups[groupOf[loop.getPosition()]].front() !=
                                    loop.getPosition();
    if (isMore) {
      dims.back().push_back(dim);
      continue;
    }
    dims.push_back({dim});
    subscripts.push_back(map.getResult(dim).replaceDims(numbers));
  }
  const bool isSame = dims.size() == map.getNumResults();
  return {isSame ? input.get() : reshapes.get(b, input.get(), dims),
          AffineMap::get(unsigned(groups.size()), 0, subscripts, context)};
}

linalg::GenericOp mergeReductionLoops(OpBuilder &b, linalg::GenericOp op,
                                      Reshapes &reshapes) {
  const SmallVector<SmallVector<unsigned>> groups = groupsOf(op);
  if (groups.size() == op.getNumLoops() || op->getNumResults() != 1)
    return {};
  SmallVector<unsigned> groupOf(op.getNumLoops());
  SmallVector<utils::IteratorType> kinds;
  for (auto [number, loops] : llvm::enumerate(groups)) {
    kinds.push_back(op.getIteratorTypesArray()[loops.front()]);
    for (unsigned loop : loops)
      groupOf[loop] = unsigned(number);
  }
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    auto [value, map] =
        mergeInput(b, operand, op.getMatchingIndexingMap(&operand), groups,
                   groupOf, reshapes);
    inputs.push_back(value);
    maps.push_back(map);
  }
  const Value init = inputs.pop_back_val();
  auto merged = linalg::GenericOp::create(b, op.getLoc(), init.getType(),
                                          inputs, init, maps, kinds);
  IRMapping mapping;
  op.getRegion().cloneInto(&merged.getRegion(), mapping);
  for (auto index : merged.getBody()->getOps<linalg::IndexOp>())
    index.setDim(groupOf[index.getDim()]);
  return merged;
}

} // namespace tilewright::graph
