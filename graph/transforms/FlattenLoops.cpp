//===- FlattenLoops.cpp - Loops, iteration by iteration -------------------===//
#include "graph/ir/Graph.h"
#include "graph/transforms/Flattener.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::graph {

std::optional<APInt> constantOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant;
  return std::nullopt;
}

static std::optional<int64_t> constantOf(OpFoldResult value,
                                         IRMapping &mapping) {
  if (auto attribute = dyn_cast<Attribute>(value))
    return cast<IntegerAttr>(attribute).getInt();
  if (auto found = constantOf(mapping.lookupOrDefault(cast<Value>(value))))
    return found->getSExtValue();
  return std::nullopt;
}

/// The loop that is being unrolled ends before its end: an enclosing one, or
/// itself, stays, or else this is an error.
LogicalResult Flattener::leave(Operation *op, const Twine &why) {
  leftAt = op;
  leftBecause = why.str();
  return failure();
}

/// Unrolls a loop. If this was left before its end, removes what came out and
/// keeps the loop, if possible.
LogicalResult
Flattener::unrollOrKeep(Operation *op,
                        llvm::function_ref<LogicalResult()> unrolls,
                        llvm::function_ref<LogicalResult()> keeps) {
  Block *block = builder.getInsertionBlock();
  Operation *last = block->empty() ? nullptr : &block->back();
  const int64_t before = count;
  LogicalResult result = unrolls();
  if (succeeded(result) || !leftAt || !mayKeep(op))
    return result;
  while (!block->empty() && &block->back() != last)
    block->back().erase();
  count = before;
  leftAt = nullptr;
  builder.setInsertionPointToEnd(block);
  return keeps();
}

/// Whether a loop is too long to be unrolled after so many iterations: code of
/// so many kernels costs more than a loop does.
static bool isTooLong(Operation *loop, uint64_t iterations) {
  constexpr uint64_t mostIterations = 64;
  constexpr int64_t fewOps = 8;
  if (iterations <= mostIterations)
    return false;
  int64_t ops = 0;
  for (Region &region : loop->getRegions())
    for (Operation &op : region.front().without_terminator())
      ops += isa<arith::ConstantOp>(op) ? 0 : 1;
  return ops > fewOps;
}

LogicalResult Flattener::unroll(scf::ForOp op, ArrayRef<APInt> bounds,
                                IRMapping &mapping) {
  Values carried;
  for (Value init : op.getInitArgs())
    carried.push_back(mapping.lookupOrDefault(init));
  const APInt &high = bounds[1], &step = bounds[2];
  const bool isUnsigned = op.getUnsignedCmp();
  uint64_t iterations = 0;
  for (APInt at = bounds[0]; isUnsigned ? at.ult(high) : at.slt(high);) {
    if (mayKeep(op) && isTooLong(op, ++iterations))
      return leave(op, "expected a shorter loop");
    Type type = op.getInductionVar().getType();
    Values arguments{arith::ConstantOp::create(
        builder, op.getLoc(), builder.getIntegerAttr(type, at))};
    llvm::append_range(arguments, carried);
    FailureOr<Values> next = emitBlock(*op.getBody(), mapping, arguments);
    if (failed(next))
      return failure();
    carried = *std::move(next);
    bool overflows;
    at = isUnsigned ? at.uadd_ov(step, overflows) : at.sadd_ov(step, overflows);
    if (overflows)
      break;
    // A loop without a body grows too.
    if (++count > limit)
      return leave(op, "expected a loop that unrolls to at most " +
                           Twine(limit) + " ops");
  }
  mapping.map(op.getResults(), carried);
  return success();
}

LogicalResult Flattener::emitFor(scf::ForOp op, IRMapping &mapping) {
  SmallVector<APInt> bounds;
  for (Value operand : {op.getLowerBound(), op.getUpperBound(), op.getStep()}) {
    std::optional<APInt> known = constantOf(mapping.lookupOrDefault(operand));
    if (!known) {
      if (mayKeep(op))
        return keep(op, mapping);
      return op.emitError("expected the bounds and the step of a loop to be "
                          "constants, or to follow from static sizes; found ")
             << (bounds.empty()       ? "a lower bound"
                 : bounds.size() == 1 ? "an upper bound"
                                      : "a step")
             << " that is known only at run time";
    }
    bounds.push_back(*known);
  }
  const APInt &step = bounds.back();
  if (op.getUnsignedCmp() ? step.isZero() : !step.isStrictlyPositive())
    return op.emitError("expected a loop with a positive step");
  return unrollOrKeep(
      op, [&] { return unroll(op, bounds, mapping); },
      [&] { return keep(op, mapping); });
}

LogicalResult Flattener::unroll(scf::WhileOp op, IRMapping &mapping) {
  Values carried;
  for (Value init : op.getInits())
    carried.push_back(mapping.lookupOrDefault(init));
  uint64_t iterations = 0;
  while (true) {
    FailureOr<Values> passed = emitBlock(*op.getBeforeBody(), mapping, carried);
    if (failed(passed))
      return failure();
    std::optional<APInt> isOn = constantOf(passed->front());
    if (!isOn)
      return leave(op, "expected the condition of a loop to become a constant "
                       "in each iteration, found one that depends on data or "
                       "on a size known only at run time");
    Values values(llvm::drop_begin(*passed));
    if (isOn->isZero()) {
      mapping.map(op.getResults(), values);
      return success();
    }
    if (mayKeep(op) && isTooLong(op, ++iterations))
      return leave(op, "expected a shorter loop");
    FailureOr<Values> next = emitBlock(*op.getAfterBody(), mapping, values);
    if (failed(next))
      return failure();
    carried = *std::move(next);
    if (++count > limit)
      return leave(op, "expected a loop that ends after at most " +
                           Twine(limit) + " ops");
  }
}

LogicalResult Flattener::emitWhile(scf::WhileOp op, IRMapping &mapping) {
  // One that never ends is an error, not a loop.
  auto end = cast<scf::ConditionOp>(op.getBeforeBody()->getTerminator());
  const bool isEndless =
      matchPattern(mapping.lookupOrDefault(end.getCondition()), m_One());
  if (isEndless)
    return op.emitError("expected a loop that ends after at most ")
           << limit << " ops, found a condition that is always true";
  // Memory grows only where a loop carries it.
  const bool grows =
      llvm::any_of(op.getYieldOp().getResults(), [](Value value) {
        return isa_and_nonnull<ResizeRowsOp>(value.getDefiningOp());
      });
  if (grows && mayKeep(op))
    return keep(op, mapping);
  return unrollOrKeep(
      op, [&] { return unroll(op, mapping); },
      [&] { return keep(op, mapping); });
}

/// One point of a forall: its body, and the insertions at its end.
LogicalResult Flattener::emitPoint(scf::ForallOp op, IRMapping &mapping,
                                   ArrayRef<int64_t> point, Values &shared) {
  for (auto [variable, at] : llvm::zip(op.getInductionVars(), point))
    mapping.map(variable,
                arith::ConstantIndexOp::create(builder, op.getLoc(), at));
  auto sharedArguments = op.getRegionIterArgs();
  for (auto [argument, value] : llvm::zip(sharedArguments, shared))
    mapping.map(argument, value);
  if (failed(emitOps(*op.getBody(), mapping)))
    return failure();
  for (Operation &end : op.getTerminator().getYieldingOps()) {
    auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(end);
    if (!insert)
      return end.emitError("expected a tensor.parallel_insert_slice here");
    auto mapped = [&](ArrayRef<OpFoldResult> values) {
      SmallVector<OpFoldResult> result(values);
      for (OpFoldResult &value : result)
        if (auto dynamic = dyn_cast<Value>(value))
          value = mapping.lookupOrDefault(dynamic);
      return result;
    };
    auto *at = llvm::find(sharedArguments, insert.getDest());
    Value &whole = shared[at - sharedArguments.begin()];
    whole = tensor::InsertSliceOp::create(
        builder, insert.getLoc(), mapping.lookupOrDefault(insert.getSource()),
        whole, mapped(insert.getMixedOffsets()), mapped(insert.getMixedSizes()),
        mapped(insert.getMixedStrides()));
  }
  return success();
}

LogicalResult Flattener::emitForall(scf::ForallOp op, IRMapping &mapping) {
  SmallVector<int64_t> low, high, step;
  auto read = [&](ArrayRef<OpFoldResult> values, SmallVector<int64_t> &out) {
    for (OpFoldResult value : values)
      if (std::optional<int64_t> constant = constantOf(value, mapping))
        out.push_back(*constant);
      else
        return false;
    return true;
  };
  if (!read(op.getMixedLowerBound(), low) ||
      !read(op.getMixedUpperBound(), high) || !read(op.getMixedStep(), step))
    return op.emitError("expected the bounds and the steps of a loop to be "
                        "constants, or to follow from static sizes");
  if (llvm::any_of(step, [](int64_t s) { return s < 1; }))
    return op.emitError("expected a loop with a positive step");
  Values shared;
  for (Value out : op.getOutputs())
    shared.push_back(mapping.lookupOrDefault(out));
  bool isEmpty = false;
  for (auto [first, end] : llvm::zip(low, high))
    isEmpty |= first >= end;
  SmallVector<int64_t> point = low;
  while (!isEmpty) {
    if (++count > limit)
      return leave(op, "expected a loop that unrolls to at most " +
                           Twine(limit) + " ops");
    if (failed(emitPoint(op, mapping, point, shared)))
      return failure();
    int64_t d = point.size() - 1;
    for (; d >= 0; --d) {
      if ((point[d] += step[d]) < high[d])
        break;
      point[d] = low[d];
    }
    isEmpty = d < 0;
  }
  mapping.map(op.getResults(), shared);
  return success();
}

} // namespace tilewright::graph
