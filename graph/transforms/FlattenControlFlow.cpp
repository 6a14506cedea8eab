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
    return leave(&op, "expected control flow that unrolls to at most " +
                          Twine(limit) + " ops, this op would come after them");
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](scf::ForOp loop) { return emitFor(loop, mapping); })
      .Case([&](scf::WhileOp loop) { return emitWhile(loop, mapping); })
      .Case([&](scf::ForallOp loop) { return emitForall(loop, mapping); })
      .Case([&](scf::IfOp branch) { return emitIf(branch, mapping); })
      .Case([&](scf::IndexSwitchOp branch) {
        return emitSwitch(branch, mapping);
      })
      .Case([&](arith::SelectOp choice) { return emitSelect(choice, mapping); })
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
  bodies += op.getNumRegions() == 0 ? 0 : 1;
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
  bodies -= op.getNumRegions() == 0 ? 0 : 1;
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
  auto yes = [&] { return emitChosen(op, &op.getThenRegion(), mapping); };
  auto no = [&] { return emitChosen(op, &op.getElseRegion(), mapping); };
  std::optional<APInt> known = constantOf(condition);
  FailureOr<Values> values = !known ? emitBranch(op, condition, yes, no)
                             : known->getBoolValue() ? yes()
                                                     : no();
  if (succeeded(values))
    mapping.map(op.getResults(), *values);
  return values;
}

/// The case `number`, if the argument has its value, else one of those behind
/// it; behind the last case the default.
FailureOr<Flattener::Values> Flattener::emitCases(scf::IndexSwitchOp op,
                                                  Value argument,
                                                  unsigned number,
                                                  IRMapping &mapping) {
  if (number == op.getNumCases())
    return emitChosen(op, &op.getDefaultRegion(), mapping);
  Value value = arith::ConstantIndexOp::create(builder, op.getLoc(),
                                               op.getCases()[number]);
  Value isCase = arith::CmpIOp::create(
      builder, op.getLoc(), arith::CmpIPredicate::eq, argument, value);
  return emitBranch(
      op, isCase,
      [&] { return emitChosen(op, &op.getCaseRegions()[number], mapping); },
      [&] { return emitCases(op, argument, number + 1, mapping); });
}

LogicalResult Flattener::emitSwitch(scf::IndexSwitchOp op, IRMapping &mapping) {
  Value argument = mapping.lookupOrDefault(op.getArg());
  FailureOr<Values> values = failure();
  if (std::optional<APInt> known = constantOf(argument)) {
    const auto *found = llvm::find(op.getCases(), known->getSExtValue());
    const size_t number = found - op.getCases().begin();
    values =
        emitChosen(op,
                   number == op.getNumCases() ? &op.getDefaultRegion()
                                              : &op.getCaseRegions()[number],
                   mapping);
  } else {
    values = emitCases(op, argument, 0, mapping);
  }
  if (succeeded(values))
    mapping.map(op.getResults(), *values);
  return values;
}

LogicalResult Flattener::run(func::FuncOp func) {
  Block &old = func.getBody().front();
  Block *fresh = new Block();
  // In front: its arguments are the function's from now on.
  func.getBody().push_front(fresh);
  IRMapping mapping;
  for (BlockArgument argument : old.getArguments())
    mapping.map(argument,
                fresh->addArgument(argument.getType(), argument.getLoc()));
  builder.setInsertionPointToEnd(fresh);
  if (failed(emitOps(old, mapping))) {
    if (leftAt)
      leftAt->emitError(leftBecause);
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
                scf::IndexSwitchOp, scf::ExecuteRegionOp>(op) ||
            isChoiceOfHost(op);
        return isControlFlow ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (!found.wasInterrupted() || !llvm::hasSingleElement(func.getBody()))
        continue;
      simplifyRegions(func);
      if (failed(Flattener(&getContext(), limit).run(func)))
        return signalPassFailure();
    }
  }
};
} // namespace

} // namespace tilewright::graph
