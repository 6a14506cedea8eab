//===- LoopForm.cpp - The loops of a graph --------------------------------===//
#include "graph/analysis/LoopForm.h"

#include "graph/ir/Graph.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

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

/// Adds what a condition says of the arguments of the first region; whether it
/// is understood.
static bool addCondition(scf::WhileOp op, Value condition, LoopForm &form) {
  Operation *test = condition.getDefiningOp();
  if (auto both = dyn_cast_or_null<arith::AndIOp>(test))
    return addCondition(op, both.getLhs(), form) &&
           addCondition(op, both.getRhs(), form);
  auto numberOf = [&](Value value) -> std::optional<unsigned> {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == op.getBeforeBody()
               ? std::optional(argument.getArgNumber())
               : std::nullopt;
  };
  if (auto read = dyn_cast_or_null<ConditionOp>(test)) {
    const std::optional<unsigned> number = numberOf(read.getTensor());
    if (!number || form.condition)
      return false;
    form.condition = form.carried[*number].argument;
    return true;
  }
  auto compare = dyn_cast_or_null<arith::CmpIOp>(test);
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt ||
      form.upper)
    return false;
  const std::optional<unsigned> number = numberOf(compare.getLhs());
  if (!number || !matchPattern(form.carried[*number].init->get(), m_Zero()))
    return false;
  const LoopForm::Carried &index = form.carried[*number];
  auto next = index.next.getDefiningOp<arith::AddIOp>();
  if (!next || next.getLhs() != index.argument ||
      !matchPattern(next.getRhs(), m_One()))
    return false;
  form.upper = compare.getRhs();
  return true;
}

static std::optional<LoopForm> formOf(scf::WhileOp op) {
  LoopForm form;
  form.body = op.getAfterBody();
  scf::ConditionOp condition = op.getConditionOp();
  if (condition.getArgs() != op.getBeforeArguments())
    return std::nullopt;
  for (auto [init, argument, next, result] :
       llvm::zip(op.getInitsMutable(), op.getAfterArguments(),
                 op.getYieldOp().getResults(), op.getResults()))
    form.carried.push_back({&init, argument, next, result});
  if (!addCondition(op, condition.getCondition(), form))
    return std::nullopt;
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
