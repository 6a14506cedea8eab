//===- EmitControl.cpp - Loops over elements, control flow ----------------===//
#include "codegen/cpu/TileEmitter.h"

using namespace mlir;

namespace tilewright::cpu {

//===----------------------------------------------------------------------===//
// Loops over the elements of a tile
//===----------------------------------------------------------------------===//

/// Runs `body` where values that were computed before, perhaps in another loop,
/// are not in sight.
LogicalResult TileEmitter::inNewScope(function_ref<LogicalResult()> body) {
  SmallVector<Memo> outer;
  std::swap(memo, outer);
  LogicalResult result = body();
  std::swap(memo, outer);
  return result;
}

/// Runs `body` over one dimension in vectors of `width`, then in those of what
/// remains. Whole vectors from `end` on, if that is given, are
/// left out.
LogicalResult TileEmitter::forEachChunk(int64_t size, int64_t width, Lanes &at,
                                        unsigned dim, Body body, Value end) {
  auto run = [&](Value start, VectorPart part) {
    at.index[dim] = start;
    static_cast<VectorPart &>(at) = part;
    at.lane = part.width == 1 ? -1 : static_cast<int>(dim);
    return inNewScope([&] { return body(at); });
  };
  int64_t whole = size / width * width;
  if (whole == width) {
    if (failed(run(index(0), {width})))
      return failure();
  } else if (whole > 0) {
    Value last = index(whole);
    if (end)
      last = arith::MinSIOp::create(b, loc, last, end);
    auto loop = scf::ForOp::create(b, loc, index(0), last, index(width));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    if (failed(run(loop.getInductionVar(), {width})))
      return failure();
  }
  int64_t start = whole;
  for (const VectorPart &part : partsOfRest(size - whole, target)) {
    if (failed(run(index(start), part)))
      return failure();
    start += part.elements();
  }
  return success();
}

/// Runs `body` for all elements of a tile, the innermost dimension of more
/// than one element in vectors.
LogicalResult TileEmitter::forEachVector(ArrayRef<int64_t> shape, Type element,
                                         Body body, ArrayRef<Value> ends) {
  Lanes at;
  unsigned inner = 0;
  for (auto [d, size] : llvm::enumerate(shape)) {
    at.index.push_back(index(0));
    if (size > 1)
      inner = d;
  }
  auto endOf = [&](unsigned d) { return ends.empty() ? Value() : ends[d]; };
  OpBuilder::InsertionGuard guard(b);
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (size == 1 || d == inner)
      continue;
    Value end = endOf(d) ? endOf(d) : index(size);
    auto loop = scf::ForOp::create(b, loc, index(0), end, index(1));
    b.setInsertionPointToStart(loop.getBody());
    at.index[d] = loop.getInductionVar();
  }
  if (shape.empty())
    return forEachElement(shape, body);
  return forEachChunk(shape[inner], lanesFor(element), at, inner, body,
                      endOf(inner));
}

/// Runs `body` for each element of a tile by itself.
LogicalResult TileEmitter::forEachElement(ArrayRef<int64_t> shape, Body body) {
  Lanes at;
  OpBuilder::InsertionGuard guard(b);
  for (int64_t size : shape) {
    if (size == 1) {
      at.index.push_back(index(0));
      continue;
    }
    auto loop = scf::ForOp::create(b, loc, index(0), index(size), index(1));
    b.setInsertionPointToStart(loop.getBody());
    at.index.push_back(loop.getInductionVar());
  }
  return inNewScope([&] { return body(at); });
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Writes yielded tiles into the buffers of a loop's or branch's results.
/// `carried` are the loop's own arguments, which live in the same buffers.
LogicalResult TileEmitter::storeYielded(ValueRange yielded,
                                        ArrayRef<Buffer> targets,
                                        ValueRange carried) {
  auto isHeld = [&](unsigned i) {
    auto known = buffers.find(yielded[i]);
    return known != buffers.end() &&
           known->second.pointer == targets[i].pointer;
  };
  // A target that another value, or another place of its own, still has to
  // read changes after all values are computed.
  auto mayChangeNow = [&](unsigned i) {
    if (carried.empty())
      return true;
    for (auto [j, other] : llvm::enumerate(yielded))
      if (j != i && dependsOn(other, carried[i]))
        return false;
    return readsInPlace(yielded[i], carried[i]);
  };
  SmallVector<std::pair<Buffer, unsigned>> delayed;
  for (unsigned i = 0; i < yielded.size(); ++i) {
    if (isHeld(i))
      continue;
    bool isNow = mayChangeNow(i);
    Buffer target =
        isNow ? targets[i] : allocate(targets[i].shape, targets[i].element);
    if (failed(materializeInto(yielded[i], target)))
      return failure();
    if (!isNow)
      delayed.push_back({target, i});
  }
  for (auto &[copy, i] : delayed)
    if (failed(copyBuffer(copy, targets[i])))
      return failure();
  return success();
}

/// New buffers with the tiles among `values`, and the scalars of the others.
FailureOr<TileEmitter::Carried> TileEmitter::carry(ValueRange values) {
  Carried carried;
  for (Value value : values) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type) {
      appendScalars(value, carried.scalars);
      continue;
    }
    carried.tiles.push_back(allocate(type.getShape(), type.getElementType()));
    if (failed(materializeInto(value, carried.tiles.back())))
      return failure();
  }
  return carried;
}

/// Lets `names` stand for tiles, and for what scalars hold, each in its order.
void TileEmitter::bind(ValueRange names, ArrayRef<Buffer> tiles,
                       ValueRange scalarValues) {
  unsigned tileNumber = 0;
  for (Value name : names) {
    if (isa<RankedTensorType>(name.getType()))
      buffers[name] = tiles[tileNumber++];
    else
      scalarValues = scalarValues.drop_front(bindScalars(name, scalarValues));
  }
}

/// Emits a region's block and stores the tiles it yields; returns the scalars.
/// `arguments` are the tiles that enter it in the same buffers.
FailureOr<TileEmitter::Values> TileEmitter::emitRegion(Block &block,
                                                       ValueRange yielded,
                                                       ArrayRef<Buffer> targets,
                                                       ValueRange arguments) {
  SmallVector<Memo> outer;
  std::swap(memo, outer);
  if (failed(emitBlock(block)))
    return failure();
  Values tiles, scalarValues, carried;
  for (Value value : yielded) {
    if (isa<RankedTensorType>(value.getType()))
      tiles.push_back(value);
    else
      appendScalars(value, scalarValues);
  }
  for (Value argument : arguments)
    if (isa<RankedTensorType>(argument.getType()))
      carried.push_back(argument);
  if (failed(storeYielded(tiles, targets, carried)))
    return failure();
  std::swap(memo, outer);
  return scalarValues;
}

LogicalResult TileEmitter::emitFor(scf::ForOp op) {
  FailureOr<Carried> carried = carry(op.getInitArgs());
  if (failed(carried))
    return failure();
  auto loop =
      scf::ForOp::create(b, op.getLoc(), scalars.lookup(op.getLowerBound()),
                         scalars.lookup(op.getUpperBound()),
                         scalars.lookup(op.getStep()), carried->scalars);
  scalars.map(op.getInductionVar(), loop.getInductionVar());
  bind(op.getRegionIterArgs(), carried->tiles, loop.getRegionIterArgs());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    FailureOr<Values> yielded =
        emitRegion(*op.getBody(), op.getYieldedValues(), carried->tiles,
                   op.getRegionIterArgs());
    if (failed(yielded))
      return failure();
    if (!yielded->empty())
      scf::YieldOp::create(b, loc, *yielded);
  }
  bind(op.getResults(), carried->tiles, loop.getResults());
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

/// The tiles that enter the loop and those that the condition forwards live
/// in buffers of their own.
LogicalResult TileEmitter::emitWhile(scf::WhileOp op) {
  FailureOr<Carried> entering = carry(op.getInits());
  if (failed(entering))
    return failure();
  SmallVector<Buffer> forwarded = allocateResults(op);
  SmallVector<Type> scalarTypes = scalarTypesOf(op.getResultTypes());
  auto loop = scf::WhileOp::create(b, loc, scalarTypes, entering->scalars);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> enteringTypes(ValueRange(entering->scalars).getTypes());
  Block *before =
      b.createBlock(&loop.getBefore(), {}, enteringTypes,
                    SmallVector<Location>(enteringTypes.size(), op.getLoc()));
  bind(op.getBeforeArguments(), entering->tiles, before->getArguments());
  FailureOr<Values> passed = emitRegion(
      *op.getBeforeBody(), op.getConditionOp().getArgs(), forwarded, {});
  if (failed(passed))
    return failure();
  scf::ConditionOp::create(
      b, loc, scalars.lookup(op.getConditionOp().getCondition()), *passed);
  Block *after =
      b.createBlock(&loop.getAfter(), {}, scalarTypes,
                    SmallVector<Location>(scalarTypes.size(), op.getLoc()));
  bind(op.getAfterArguments(), forwarded, after->getArguments());
  FailureOr<Values> again = emitRegion(
      *op.getAfterBody(), op.getYieldOp().getOperands(), entering->tiles, {});
  if (failed(again))
    return failure();
  scf::YieldOp::create(b, loc, *again);
  bind(op.getResults(), forwarded, loop.getResults());
  return success();
}

LogicalResult TileEmitter::emitIf(scf::IfOp op) {
  SmallVector<Buffer> targets = allocateResults(op);
  SmallVector<Type> types = scalarTypesOf(op.getResultTypes());
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(b, op.getLoc(), types,
                                  scalars.lookup(op.getCondition()), hasElse);
  auto fill = [&](Region &from, Region &to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(b);
    if (types.empty())
      b.setInsertionPoint(to.front().getTerminator());
    else
      b.setInsertionPointToEnd(&to.front());
    FailureOr<Values> yielded = emitRegion(
        from.front(), from.front().getTerminator()->getOperands(), targets, {});
    if (failed(yielded))
      return failure();
    if (!types.empty())
      scf::YieldOp::create(b, loc, *yielded);
    return success();
  };
  if (failed(fill(op.getThenRegion(), branch.getThenRegion())) ||
      (hasElse && failed(fill(op.getElseRegion(), branch.getElseRegion()))))
    return failure();
  bind(op.getResults(), targets, branch.getResults());
  return success();
}

LogicalResult TileEmitter::emitIndexSwitch(scf::IndexSwitchOp op) {
  SmallVector<Buffer> targets = allocateResults(op);
  auto branch = scf::IndexSwitchOp::create(
      b, op.getLoc(), scalarTypesOf(op.getResultTypes()),
      scalars.lookup(op.getArg()), op.getCases(), op.getCases().size());
  for (auto [from, to] : llvm::zip(op->getRegions(), branch->getRegions())) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&to);
    FailureOr<Values> yielded = emitRegion(
        from.front(), from.front().getTerminator()->getOperands(), targets, {});
    if (failed(yielded))
      return failure();
    scf::YieldOp::create(b, loc, *yielded);
  }
  bind(op.getResults(), targets, branch.getResults());
  return success();
}

} // namespace tilewright::cpu
