//===- EmitControl.cpp - Loops and branches -------------------------------===//
//
// All threads of a block take the same way: conditions are scalars, and each
// thread has the same value of a scalar.
//
//===----------------------------------------------------------------------===//
#include "codegen/nvptx/Emission.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/Views.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::nvptx {

/// The block of an empty region, for what `arguments` carry; code is added to
/// it from now on.
static Block *makeBlock(Emission &e, Region &region, ValueRange arguments) {
  ImplicitLocOpBuilder &b = e.b;
  SmallVector<Type> types = partTypesOf(e, arguments.getTypes());
  Block *block = b.createBlock(&region, {}, types,
                               SmallVector<Location>(types.size(), b.getLoc()));
  bind(e, arguments, block->getArguments());
  return block;
}

static LogicalResult emitFor(scf::ForOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  SmallVector<Value> inits = partsOf(e, op.getInitArgs());
  auto loop =
      scf::ForOp::create(b, e.get(op.getLowerBound()),
                         e.get(op.getUpperBound()), e.get(op.getStep()), inits);
  {
    OpBuilder::InsertionGuard guard(b);
    // Without carried values the loop has its terminator already.
    if (inits.empty())
      loop.getBody()->getTerminator()->erase();
    b.setInsertionPointToEnd(loop.getBody());
    e.set(op.getInductionVar(), loop.getInductionVar());
    bind(e, op.getRegionIterArgs(), loop.getRegionIterArgs());
    if (failed(emitBlock(*op.getBody(), e)))
      return failure();
  }
  bind(e, op.getResults(), loop.getResults());
  return success();
}

static LogicalResult emitWhile(scf::WhileOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto loop = scf::WhileOp::create(b, partTypesOf(e, op.getResultTypes()),
                                   partsOf(e, op.getInits()));
  {
    OpBuilder::InsertionGuard guard(b);
    makeBlock(e, loop.getBefore(), op.getBeforeArguments());
    if (failed(emitBlock(*op.getBeforeBody(), e)))
      return failure();
    makeBlock(e, loop.getAfter(), op.getAfterArguments());
    if (failed(emitBlock(*op.getAfterBody(), e)))
      return failure();
  }
  bind(e, op.getResults(), loop.getResults());
  return success();
}

static LogicalResult emitIf(scf::IfOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto branches = scf::IfOp::create(b, partTypesOf(e, op.getResultTypes()),
                                    e.get(op.getCondition()),
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
  auto fill = [&](Region &from, Block *to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(b);
    to->clear();
    b.setInsertionPointToEnd(to);
    if (!from.empty())
      return emitBlock(from.front(), e);
    scf::YieldOp::create(b);
    return success();
  };
  if (failed(fill(op.getThenRegion(), branches.thenBlock())) ||
      failed(fill(op.getElseRegion(), branches.elseBlock())))
    return failure();
  bind(e, op.getResults(), branches.getResults());
  return success();
}

static LogicalResult emitSwitch(scf::IndexSwitchOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto branches = scf::IndexSwitchOp::create(
      b, partTypesOf(e, op.getResultTypes()), e.get(op.getArg()), op.getCases(),
      unsigned(op.getCases().size()));
  for (auto [from, to] : llvm::zip(op->getRegions(), branches->getRegions())) {
    OpBuilder::InsertionGuard guard(b);
    makeBlock(e, to, {});
    if (failed(emitBlock(from.front(), e)))
      return failure();
  }
  bind(e, op.getResults(), branches.getResults());
  return success();
}

static void emitYield(scf::YieldOp op, Emission &e) {
  scf::YieldOp::create(e.b, partsOf(e, op.getOperands()));
}

static void emitCondition(scf::ConditionOp op, Emission &e) {
  scf::ConditionOp::create(e.b, e.get(op.getCondition()),
                           partsOf(e, op.getArgs()));
}

void addControlOps(GpuOps &ops) {
  add(ops, emitFor);
  add(ops, emitIf);
  add(ops, emitWhile);
  add(ops, emitSwitch);
  add(ops, emitYield);
  add(ops, emitCondition);
}

} // namespace tilewright::nvptx
