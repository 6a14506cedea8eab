//===- EmitControl.cpp - Control flow -------------------------------------===//
#include "codegen/cpu/Blocks.h"
#include "codegen/cpu/Buffers.h"
#include "codegen/cpu/CpuOp.h"
#include "codegen/cpu/Loops.h"
#include "codegen/cpu/Views.h"
#include "codegen/numeric/ElementTypes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::cpu {

/// Writes yielded tiles into the buffers of a loop's or branch's results.
/// `carried` are the loop's own arguments, which live in the same buffers.
static LogicalResult storeYielded(ValueRange yielded, ArrayRef<Buffer> targets,
                                  ValueRange carried, Emission &e) {
  auto isHeld = [&](unsigned i) {
    const Buffer *known = e.buffers.find(yielded[i]);
    return known && known->pointer == targets[i].pointer;
  };
  // A target that another value still reads, or that its own value reads at
  // another index, changes after all values are computed.
  auto mayChangeNow = [&](unsigned i) {
    if (carried.empty())
      return true;
    for (auto [j, other] : llvm::enumerate(yielded))
      if (j != i && dependsOn(other, carried[i], e))
        return false;
    return readsInPlace(yielded[i], carried[i], e);
  };
  SmallVector<std::pair<Buffer, unsigned>> delayed;
  for (unsigned i = 0; i < yielded.size(); ++i) {
    if (isHeld(i))
      continue;
    bool isNow = mayChangeNow(i);
    Buffer target =
        isNow ? targets[i] : allocate(targets[i].shape, targets[i].element, e);
    if (failed(materializeInto(yielded[i], target, e)))
      return failure();
    if (!isNow)
      delayed.push_back({target, i});
  }
  for (auto &[copy, i] : delayed)
    if (failed(copyBuffer(copy, targets[i], e)))
      return failure();
  return success();
}

namespace {
/// Tiles that control flow carries, and scalars for all other values.
struct Carried {
  SmallVector<Buffer> tiles;
  Values scalars;
};
} // namespace

/// New buffers with the tiles among `values`, and the scalars of the others.
static FailureOr<Carried> carry(ValueRange values, Emission &e) {
  Carried carried;
  for (Value value : values) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type) {
      appendScalars(value, carried.scalars, e);
      continue;
    }
    carried.tiles.push_back(
        allocate(type.getShape(), type.getElementType(), e));
    if (failed(materializeInto(value, carried.tiles.back(), e)))
      return failure();
  }
  return carried;
}

/// Binds each of `names` to the next tile or to the next scalars.
static void bind(ValueRange names, ArrayRef<Buffer> tiles,
                 ValueRange scalarValues, Emission &e) {
  unsigned tileNumber = 0;
  for (Value name : names) {
    if (isa<RankedTensorType>(name.getType()))
      e.buffers.held[name] = tiles[tileNumber++];
    else
      scalarValues =
          scalarValues.drop_front(bindScalars(name, scalarValues, e));
  }
}

/// Emits a region's block and stores the tiles it yields; returns the scalars.
/// `arguments` are the tiles that enter it in the same buffers.
static FailureOr<Values> emitRegion(Block &block, ValueRange yielded,
                                    ArrayRef<Buffer> targets,
                                    ValueRange arguments, Emission &e) {
  Values scalarValues;
  LogicalResult done = inNewScope(e, [&]() -> LogicalResult {
    if (failed(emitBlock(block, e)))
      return failure();
    Values tiles, carried;
    for (Value value : yielded) {
      if (isa<RankedTensorType>(value.getType()))
        tiles.push_back(value);
      else
        appendScalars(value, scalarValues, e);
    }
    for (Value argument : arguments)
      if (isa<RankedTensorType>(argument.getType()))
        carried.push_back(argument);
    return storeYielded(tiles, targets, carried, e);
  });
  if (failed(done))
    return failure();
  return scalarValues;
}

static LogicalResult emitFor(scf::ForOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  FailureOr<Carried> carried = carry(op.getInitArgs(), e);
  if (failed(carried))
    return failure();
  auto loop =
      scf::ForOp::create(b, op.getLoc(), e.scalars.lookup(op.getLowerBound()),
                         e.scalars.lookup(op.getUpperBound()),
                         e.scalars.lookup(op.getStep()), carried->scalars);
  e.scalars.map(op.getInductionVar(), loop.getInductionVar());
  bind(op.getRegionIterArgs(), carried->tiles, loop.getRegionIterArgs(), e);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    FailureOr<Values> yielded =
        emitRegion(*op.getBody(), op.getYieldedValues(), carried->tiles,
                   op.getRegionIterArgs(), e);
    if (failed(yielded))
      return failure();
    if (!yielded->empty())
      scf::YieldOp::create(b, *yielded);
  }
  bind(op.getResults(), carried->tiles, loop.getResults(), e);
  return success();
}

/// The types of the scalars that hold all of `types` but the tiles.
static SmallVector<Type> scalarTypesOf(TypeRange types) {
  SmallVector<Type> scalarTypes;
  for (Type type : types) {
    if (auto view = dyn_cast<tile::ViewType>(type)) {
      scalarTypes.push_back(LLVM::LLVMPointerType::get(type.getContext()));
      scalarTypes.append(2 * view.getRank(), IndexType::get(type.getContext()));
    } else if (!isa<RankedTensorType>(type)) {
      scalarTypes.push_back(numeric::registerType(type));
    }
  }
  return scalarTypes;
}

/// The tiles that enter the loop and those that the condition forwards live in
/// separate buffers.
static LogicalResult emitWhile(scf::WhileOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  FailureOr<Carried> entering = carry(op.getInits(), e);
  if (failed(entering))
    return failure();
  SmallVector<Buffer> forwarded = allocateResults(op, e);
  SmallVector<Type> scalarTypes = scalarTypesOf(op.getResultTypes());
  auto loop = scf::WhileOp::create(b, scalarTypes, entering->scalars);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> enteringTypes(ValueRange(entering->scalars).getTypes());
  Block *before =
      b.createBlock(&loop.getBefore(), {}, enteringTypes,
                    SmallVector<Location>(enteringTypes.size(), op.getLoc()));
  bind(op.getBeforeArguments(), entering->tiles, before->getArguments(), e);
  FailureOr<Values> passed = emitRegion(
      *op.getBeforeBody(), op.getConditionOp().getArgs(), forwarded, {}, e);
  if (failed(passed))
    return failure();
  scf::ConditionOp::create(
      b, e.scalars.lookup(op.getConditionOp().getCondition()), *passed);
  Block *after =
      b.createBlock(&loop.getAfter(), {}, scalarTypes,
                    SmallVector<Location>(scalarTypes.size(), op.getLoc()));
  bind(op.getAfterArguments(), forwarded, after->getArguments(), e);
  FailureOr<Values> again =
      emitRegion(*op.getAfterBody(), op.getYieldOp().getOperands(),
                 entering->tiles, {}, e);
  if (failed(again))
    return failure();
  scf::YieldOp::create(b, *again);
  bind(op.getResults(), forwarded, loop.getResults(), e);
  return success();
}

static LogicalResult emitIf(scf::IfOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  SmallVector<Buffer> targets = allocateResults(op, e);
  SmallVector<Type> types = scalarTypesOf(op.getResultTypes());
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(b, op.getLoc(), types,
                                  e.scalars.lookup(op.getCondition()), hasElse);
  auto fill = [&](Region &from, Region &to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(b);
    if (types.empty())
      b.setInsertionPoint(to.front().getTerminator());
    else
      b.setInsertionPointToEnd(&to.front());
    FailureOr<Values> yielded =
        emitRegion(from.front(), from.front().getTerminator()->getOperands(),
                   targets, {}, e);
    if (failed(yielded))
      return failure();
    if (!types.empty())
      scf::YieldOp::create(b, *yielded);
    return success();
  };
  if (failed(fill(op.getThenRegion(), branch.getThenRegion())) ||
      (hasElse && failed(fill(op.getElseRegion(), branch.getElseRegion()))))
    return failure();
  bind(op.getResults(), targets, branch.getResults(), e);
  return success();
}

static LogicalResult emitIndexSwitch(scf::IndexSwitchOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  SmallVector<Buffer> targets = allocateResults(op, e);
  auto branch = scf::IndexSwitchOp::create(
      b, op.getLoc(), scalarTypesOf(op.getResultTypes()),
      e.scalars.lookup(op.getArg()), op.getCases(), op.getCases().size());
  for (auto [from, to] : llvm::zip(op->getRegions(), branch->getRegions())) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&to);
    FailureOr<Values> yielded =
        emitRegion(from.front(), from.front().getTerminator()->getOperands(),
                   targets, {}, e);
    if (failed(yielded))
      return failure();
    scf::YieldOp::create(b, *yielded);
  }
  bind(op.getResults(), targets, branch.getResults(), e);
  return success();
}

void addControlOps(CpuOps &ops) {
  ops.add<scf::ForOp>({.emit = onOp(emitFor)});
  ops.add<scf::WhileOp>({.emit = onOp(emitWhile)});
  ops.add<scf::IfOp>({.emit = onOp(emitIf)});
  ops.add<scf::IndexSwitchOp>({.emit = onOp(emitIndexSwitch)});
}

} // namespace tilewright::cpu
