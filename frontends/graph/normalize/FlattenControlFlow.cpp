//===- FlattenControlFlow.cpp - Loops unrolled, conditions as selects -----===//
#include "frontends/graph/normalize/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_FLATTENCONTROLFLOW
#include "frontends/graph/normalize/Passes.h.inc"

namespace {
/// Writes a block once more, without its control flow.
class Flattener {
public:
  Flattener(MLIRContext *context, int64_t limit)
      : builder(context), limit(limit) {}

  void run(func::FuncOp func, bool &hasFailed);

private:
  using Values = SmallVector<Value>;

  LogicalResult emitOps(Block &block, IRMapping &mapping);
  LogicalResult emitOp(Operation &op, IRMapping &mapping);
  FailureOr<Values> emitBlock(Block &block, IRMapping &mapping,
                              ArrayRef<Value> arguments);
  LogicalResult emitCopy(Operation &op, IRMapping &mapping);
  LogicalResult emitFor(scf::ForOp op, IRMapping &mapping);
  LogicalResult emitWhile(scf::WhileOp op, IRMapping &mapping);
  LogicalResult emitForall(scf::ForallOp op, IRMapping &mapping);
  LogicalResult emitPoint(scf::ForallOp op, IRMapping &mapping,
                          ArrayRef<int64_t> point, Values &shared);
  LogicalResult emitIf(scf::IfOp op, IRMapping &mapping);
  LogicalResult emitSwitch(scf::IndexSwitchOp op, IRMapping &mapping);
  FailureOr<Values> emitChosen(Operation *op, Region *region,
                               IRMapping &mapping);
  Values select(Location loc, Value condition, ArrayRef<Value> yes,
                ArrayRef<Value> no);

  OpBuilder builder;
  int64_t limit, count = 0;
  /// How many conditions, known only at run time, stand around the op.
  unsigned conditions = 0;
};
} // namespace

static std::optional<APInt> constantOf(Value value) {
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

/// The ops of `block` but its terminator, whose operands are returned.
FailureOr<Flattener::Values> Flattener::emitBlock(Block &block,
                                                  IRMapping &mapping,
                                                  ArrayRef<Value> arguments) {
  mapping.map(block.getArguments(), arguments);
  if (failed(emitOps(block, mapping)))
    return failure();
  Values values;
  for (Value operand : block.getTerminator()->getOperands())
    values.push_back(mapping.lookupOrDefault(operand));
  return values;
}

LogicalResult Flattener::emitOps(Block &block, IRMapping &mapping) {
  for (Operation &op : block.without_terminator())
    if (failed(emitOp(op, mapping)))
      return failure();
  return success();
}

LogicalResult Flattener::emitOp(Operation &op, IRMapping &mapping) {
  if (++count > limit)
    return op.emitError("expected control flow that unrolls to at most ")
           << limit << " ops, this op would come after them";
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](scf::ForOp loop) { return emitFor(loop, mapping); })
      .Case([&](scf::WhileOp loop) { return emitWhile(loop, mapping); })
      .Case([&](scf::ForallOp loop) { return emitForall(loop, mapping); })
      .Case([&](scf::IfOp branch) { return emitIf(branch, mapping); })
      .Case([&](scf::IndexSwitchOp branch) {
        return emitSwitch(branch, mapping);
      })
      .Case([&](scf::ExecuteRegionOp region) -> LogicalResult {
        FailureOr<Values> values =
            emitChosen(region, &region.getRegion(), mapping);
        if (succeeded(values))
          mapping.map(region.getResults(), *values);
        return values;
      })
      .Default([&](Operation *) { return emitCopy(op, mapping); });
}

/// A copy of an op that is no control flow, folded if it gives a scalar.
LogicalResult Flattener::emitCopy(Operation &op, IRMapping &mapping) {
  if (conditions > 0 && op.getNumRegions() == 0 && !isMemoryEffectFree(&op))
    return op.emitError("expected no effects under a condition that is known "
                        "only at run time");
  if (op.hasTrait<OpTrait::IsIsolatedFromAbove>()) {
    builder.clone(op, mapping);
    return success();
  }
  Operation *copy = op.cloneWithoutRegions(mapping);
  builder.insert(copy);
  for (auto [from, to] : llvm::zip(op.getRegions(), copy->getRegions()))
    for (Block &block : from) {
      OpBuilder::InsertionGuard guard(builder);
      SmallVector<Location> locations;
      for (BlockArgument argument : block.getArguments())
        locations.push_back(argument.getLoc());
      Block *fresh = builder.createBlock(&to, to.end(),
                                         block.getArgumentTypes(), locations);
      mapping.map(block.getArguments(), fresh->getArguments());
      if (failed(emitOps(block, mapping)))
        return failure();
      builder.clone(*block.getTerminator(), mapping);
    }
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  SmallVector<Value> folded;
  if (op.getNumRegions() == 0 && llvm::all_of(op.getResultTypes(), isScalar) &&
      succeeded(builder.tryFold(copy, folded)) && !folded.empty()) {
    mapping.map(op.getResults(), folded);
    copy->erase();
  }
  return success();
}

LogicalResult Flattener::emitFor(scf::ForOp op, IRMapping &mapping) {
  Values carried;
  for (Value init : op.getInitArgs())
    carried.push_back(mapping.lookupOrDefault(init));
  std::optional<APInt> bounds[3];
  Value operands[3] = {op.getLowerBound(), op.getUpperBound(), op.getStep()};
  for (int i : {0, 1, 2}) {
    bounds[i] = constantOf(mapping.lookupOrDefault(operands[i]));
    if (!bounds[i])
      return op.emitError("expected the bounds and the step of a loop to be "
                          "constants, or to follow from static sizes; found ")
             << (i == 0   ? "a lower bound"
                 : i == 1 ? "an upper bound"
                          : "a step")
             << " that is known only at run time";
  }
  auto [low, high, step] = std::tie(*bounds[0], *bounds[1], *bounds[2]);
  bool isUnsigned = op.getUnsignedCmp();
  if (isUnsigned ? step.isZero() : !step.isStrictlyPositive())
    return op.emitError("expected a loop with a positive step");
  for (APInt at = low; isUnsigned ? at.ult(high) : at.slt(high);) {
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
      return op.emitError("expected a loop that unrolls to at most ")
             << limit << " ops";
  }
  mapping.map(op.getResults(), carried);
  return success();
}

LogicalResult Flattener::emitWhile(scf::WhileOp op, IRMapping &mapping) {
  Values carried;
  for (Value init : op.getInits())
    carried.push_back(mapping.lookupOrDefault(init));
  while (true) {
    FailureOr<Values> passed = emitBlock(*op.getBeforeBody(), mapping, carried);
    if (failed(passed))
      return failure();
    std::optional<APInt> isOn = constantOf(passed->front());
    if (!isOn)
      return op.emitError("expected the condition of a loop to become a "
                          "constant in each iteration, found one that depends "
                          "on data or on a size known only at run time");
    Values values(llvm::drop_begin(*passed));
    if (isOn->isZero()) {
      mapping.map(op.getResults(), values);
      return success();
    }
    FailureOr<Values> next = emitBlock(*op.getAfterBody(), mapping, values);
    if (failed(next))
      return failure();
    carried = *std::move(next);
    if (++count > limit)
      return op.emitError("expected a loop that ends after at most ")
             << limit << " ops";
  }
}

/// One point of a forall: its body, and what it inserts at its end.
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
      return op.emitError("expected a loop that unrolls to at most ")
             << limit << " ops";
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

/// What the only block of `region` yields; of no region, nothing.
FailureOr<Flattener::Values>
Flattener::emitChosen(Operation *op, Region *region, IRMapping &mapping) {
  if (!region || region->empty())
    return Values();
  if (!llvm::hasSingleElement(*region))
    return op->emitError("expected a region of one block");
  return emitBlock(region->front(), mapping, {});
}

/// All at once: what is chosen between has no effects.
Flattener::Values Flattener::select(Location loc, Value condition,
                                    ArrayRef<Value> yes, ArrayRef<Value> no) {
  Values chosen;
  for (auto [a, b] : llvm::zip(yes, no))
    chosen.push_back(
        a == b ? a
               : arith::SelectOp::create(builder, loc, condition, a, b)
                     .getResult());
  return chosen;
}

LogicalResult Flattener::emitIf(scf::IfOp op, IRMapping &mapping) {
  Value condition = mapping.lookupOrDefault(op.getCondition());
  Region *regions[2] = {&op.getElseRegion(), &op.getThenRegion()};
  std::optional<APInt> known = constantOf(condition);
  conditions += known ? 0 : 1;
  FailureOr<Values> values[2] = {Values(), Values()};
  for (int arm : {0, 1})
    if (!known || known->getBoolValue() == bool(arm))
      values[arm] = emitChosen(op, regions[arm], mapping);
  conditions -= known ? 0 : 1;
  if (failed(values[0]) || failed(values[1]))
    return failure();
  mapping.map(op.getResults(),
              known ? *values[known->getBoolValue()]
                    : select(op.getLoc(), condition, *values[1], *values[0]));
  return success();
}

LogicalResult Flattener::emitSwitch(scf::IndexSwitchOp op, IRMapping &mapping) {
  Value argument = mapping.lookupOrDefault(op.getArg());
  std::optional<APInt> known = constantOf(argument);
  conditions += known ? 0 : 1;
  auto emit = [&](Region &region) { return emitChosen(op, &region, mapping); };
  std::optional<FailureOr<Values>> chosen;
  if (!known)
    chosen = emit(op.getDefaultRegion());
  for (auto [value, region] : llvm::zip(op.getCases(), op.getCaseRegions())) {
    if (known && known->getSExtValue() != value)
      continue;
    FailureOr<Values> values = emit(region);
    if (known) {
      chosen = std::move(values);
      break;
    }
    if (failed(values) || failed(*chosen))
      return failure();
    Value constant =
        arith::ConstantIndexOp::create(builder, op.getLoc(), value);
    Value isCase = arith::CmpIOp::create(
        builder, op.getLoc(), arith::CmpIPredicate::eq, argument, constant);
    chosen = select(op.getLoc(), isCase, *values, **chosen);
  }
  if (!chosen)
    chosen = emit(op.getDefaultRegion());
  conditions -= known ? 0 : 1;
  if (succeeded(*chosen))
    mapping.map(op.getResults(), **chosen);
  return *chosen;
}

void Flattener::run(func::FuncOp func, bool &hasFailed) {
  Block &old = func.getBody().front();
  Block *fresh = new Block();
  func.getBody().push_back(fresh);
  IRMapping mapping;
  for (BlockArgument argument : old.getArguments())
    mapping.map(argument,
                fresh->addArgument(argument.getType(), argument.getLoc()));
  builder.setInsertionPointToEnd(fresh);
  hasFailed = failed(emitOps(old, mapping));
  if (hasFailed) {
    fresh->dropAllDefinedValueUses();
    fresh->erase();
    return;
  }
  builder.clone(*old.getTerminator(), mapping);
  old.dropAllDefinedValueUses();
  old.erase();
}

namespace {
struct FlattenControlFlow : impl::FlattenControlFlowBase<FlattenControlFlow> {
  using FlattenControlFlowBase::FlattenControlFlowBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      WalkResult found = func.walk([](Operation *op) {
        bool isControlFlow =
            isa<scf::ForOp, scf::WhileOp, scf::ForallOp, scf::IfOp,
                scf::IndexSwitchOp, scf::ExecuteRegionOp>(op);
        return isControlFlow ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (!found.wasInterrupted() || !llvm::hasSingleElement(func.getBody()))
        continue;
      bool hasFailed = false;
      Flattener(&getContext(), limit).run(func, hasFailed);
      if (hasFailed)
        return signalPassFailure();
    }
  }
};
} // namespace

} // namespace tilewright::graph
