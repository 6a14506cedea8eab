//===- LoopForm.cpp - The loops of a graph --------------------------------===//
#include "graph/analysis/LoopForm.h"

#include "graph/analysis/Blocks.h"
#include "graph/ir/Graph.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::graph {

static LoopForm formOf(scf::ForOp op) {
  LoopForm form;
  form.body = op.getBody();
  form.lower = op.getLowerBound();
  form.upper = op.getUpperBound();
  form.step = op.getStep();
  form.index = op.getInductionVar();
  for (auto [init, argument, next, result] :
       llvm::zip(op.getInitArgsMutable(), op.getRegionIterArgs(),
                 op.getYieldedValues(), op.getResults()))
    form.carried.push_back({&init, argument, next, result});
  return form;
}

/// What carries the tensor that a condition of the first region reads.
static const LoopForm::Carried *tensorOf(scf::WhileOp op, Value condition,
                                         const LoopForm &form) {
  auto read = condition.getDefiningOp<ConditionOp>();
  auto argument =
      read ? dyn_cast<BlockArgument>(read.getTensor()) : BlockArgument();
  return argument && argument.getOwner() == op.getBeforeBody()
             ? &form.carried[argument.getArgNumber()]
             : nullptr;
}

static std::optional<LoopForm> formOf(scf::WhileOp op) {
  LoopForm form;
  form.body = op.getAfterBody();
  if (op.getConditionOp().getArgs() != op.getBeforeArguments())
    return std::nullopt;
  for (auto [init, argument, next, result] :
       llvm::zip(op.getInitsMutable(), op.getAfterArguments(),
                 op.getYieldOp().getResults(), op.getResults()))
    form.carried.push_back({&init, argument, next, result});
  LoopCondition condition = conditionOf(op);
  form.upper = condition.limit;
  if (condition.data) {
    const LoopForm::Carried *tested = tensorOf(op, condition.data, form);
    if (!tested)
      return std::nullopt;
    form.condition = tested->argument;
  }
  return form;
}

std::optional<LoopForm> matchLoop(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return formOf(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return formOf(loop);
  return std::nullopt;
}

} // namespace tilewright::graph
