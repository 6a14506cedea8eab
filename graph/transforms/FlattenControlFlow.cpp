//===- FlattenControlFlow.cpp - Loops unrolled, conditions as selects -----===//
#include "graph/transforms/Flattener.h"
#include "graph/transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_FLATTENCONTROLFLOW
#include "graph/transforms/Passes.h.inc"

/// The ops of `block` except its terminator; returns the latter's operands.
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

/// A copy of an op that is no control flow, folded if its result is a scalar.
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

LogicalResult Flattener::run(func::FuncOp func) {
  Block &old = func.getBody().front();
  Block *fresh = new Block();
  func.getBody().push_back(fresh);
  IRMapping mapping;
  for (BlockArgument argument : old.getArguments())
    mapping.map(argument,
                fresh->addArgument(argument.getType(), argument.getLoc()));
  builder.setInsertionPointToEnd(fresh);
  if (failed(emitOps(old, mapping))) {
    fresh->dropAllDefinedValueUses();
    fresh->erase();
    return failure();
  }
  builder.clone(*old.getTerminator(), mapping);
  old.dropAllDefinedValueUses();
  old.erase();
  return success();
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
      if (failed(Flattener(&getContext(), limit).run(func)))
        return signalPassFailure();
    }
  }
};
} // namespace

} // namespace tilewright::graph
