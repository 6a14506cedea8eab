//===- EmitControl.cpp - Loops over elements, decisions, control flow -----===//
#include "codegen/cpu/TileEmitter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::cpu {

//===----------------------------------------------------------------------===//
// Loops over the elements of a tile
//===----------------------------------------------------------------------===//

/// Runs `body` over one dimension in vectors of `width`, then in ever shorter
/// ones for what remains.
LogicalResult TileEmitter::forEachChunk(int64_t size, int64_t width, Lanes &at,
                                        unsigned dim, Body body) {
  auto run = [&](Value start, int64_t count) {
    at.index[dim] = start;
    at.width = count;
    at.lane = count == 1 ? -1 : static_cast<int>(dim);
    SmallVector<Memo> outer;
    std::swap(memo, outer);
    LogicalResult result = body(at);
    std::swap(memo, outer);
    return result;
  };
  int64_t whole = size / width * width;
  if (whole == width) {
    if (failed(run(index(0), width)))
      return failure();
  } else if (whole > 0) {
    auto loop =
        scf::ForOp::create(b, loc, index(0), index(whole), index(width));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    if (failed(run(loop.getInductionVar(), width)))
      return failure();
  }
  for (int64_t start = whole; start < size;) {
    int64_t count = llvm::bit_floor(static_cast<uint64_t>(size - start));
    count = std::min(count, width);
    if (failed(run(index(start), count)))
      return failure();
    start += count;
  }
  return success();
}

/// Runs `body` for all elements of a tile, the innermost dimension of more
/// than one element in vectors.
LogicalResult TileEmitter::forEachVector(ArrayRef<int64_t> shape, Type element,
                                         Body body) {
  Lanes at;
  unsigned inner = 0;
  for (auto [d, size] : llvm::enumerate(shape)) {
    at.index.push_back(index(0));
    if (size > 1)
      inner = d;
  }
  OpBuilder::InsertionGuard guard(b);
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (size == 1 || d == inner)
      continue;
    auto loop = scf::ForOp::create(b, loc, index(0), index(size), index(1));
    b.setInsertionPointToStart(loop.getBody());
    at.index[d] = loop.getInductionVar();
  }
  if (shape.empty()) {
    SmallVector<Memo> outer;
    std::swap(memo, outer);
    LogicalResult result = body(at);
    std::swap(memo, outer);
    return result;
  }
  return forEachChunk(shape[inner], lanesFor(element), at, inner, body);
}

//===----------------------------------------------------------------------===//
// Which tiles get a buffer
//===----------------------------------------------------------------------===//

/// Reshapes that only add or drop dims of size 1 are index arithmetic.
static bool isUnitReshape(tile::ReshapeOp op) {
  auto nonUnit = [](Value tile) {
    SmallVector<int64_t> sizes;
    for (int64_t size : cast<RankedTensorType>(tile.getType()).getShape())
      if (size != 1)
        sizes.push_back(size);
    return sizes;
  };
  return nonUnit(op.getSource()) == nonUnit(op.getResult());
}

bool TileEmitter::isLazy(Operation *op) const {
  if (isa<arith::ConstantOp, tile::SplatOp, tile::IotaOp, tile::BroadcastOp,
          tile::ReshapeOp, tile::TransposeOp, tile::LoadOp, tile::LoadPtrOp,
          tile::OffsetOp>(op))
    return true;
  StringRef dialect = op->getName().getDialectNamespace();
  return (dialect == "arith" || dialect == "math") &&
         op->getNumRegions() == 0 && op->getNumResults() == 1;
}

/// Rough cycles to compute one element again.
int64_t TileEmitter::cost(Value tile) {
  if (buffers.contains(tile))
    return 1;
  Operation *op = tile.getDefiningOp();
  if (!op || isa<arith::ConstantOp, tile::SplatOp, tile::IotaOp>(op))
    return 0;
  if (auto known = costs.find(tile); known != costs.end())
    return known->second;
  int64_t total = op->getName().getDialectNamespace() == "math" ? 20
                  : isa<arith::DivFOp>(op)                      ? 4
                                                                : 1;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      total += cost(operand);
  return costs[tile] = std::min<int64_t>(total, 1000);
}

bool TileEmitter::readsMemory(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op || buffers.contains(tile))
    return false;
  if (isa<tile::LoadOp, tile::LoadPtrOp>(op))
    return true;
  if (auto known = memoryReads.find(tile); known != memoryReads.end())
    return known->second;
  bool reads =
      isLazy(op) && llvm::any_of(op->getOperands(), [&](Value from) {
        return isa<RankedTensorType>(from.getType()) && readsMemory(from);
      });
  return memoryReads[tile] = reads;
}

/// The ops that will ask for elements of `tile`.
void TileEmitter::collectSinks(Value tile,
                               llvm::SmallPtrSetImpl<Operation *> &sinks) {
  SmallVector<Value> work = {tile};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!work.empty()) {
    Value next = work.pop_back_val();
    for (Operation *user : next.getUsers()) {
      if (!seen.insert(user).second)
        continue;
      bool isInner = user->getBlock() != tile.getParentBlock();
      if (!isInner && isLazy(user) && !needsBuffer(user->getResult(0)))
        work.push_back(user->getResult(0));
      else
        sinks.insert(user);
    }
  }
}

bool TileEmitter::needsBuffer(Value tile) {
  if (auto known = bufferDecision.find(tile); known != bufferDecision.end())
    return known->second;
  Operation *op = tile.getDefiningOp();
  auto decide = [&]() {
    if (isa<arith::ConstantOp, tile::SplatOp, tile::IotaOp>(op))
      return false;
    if (auto reshape = dyn_cast<tile::ReshapeOp>(op);
        reshape && !isUnitReshape(reshape))
      return true;
    llvm::SmallPtrSet<Operation *, 4> sinks;
    collectSinks(tile, sinks);
    Block *block = tile.getParentBlock();
    bool usedInside = llvm::any_of(
        sinks, [&](Operation *sink) { return sink->getBlock() != block; });
    if (usedInside || (sinks.size() > 1 && cost(tile) >= 4))
      return true;
    if (!readsMemory(tile) || sinks.empty())
      return false;
    // Memory must not change between the load and its last reader.
    Operation *last = op;
    for (Operation *sink : sinks)
      if (last->isBeforeInBlock(sink))
        last = sink;
    for (Operation *between = op->getNextNode(); between && between != last;
         between = between->getNextNode())
      if (!isMemoryEffectFree(between) &&
          !isa<tile::LoadOp, tile::LoadPtrOp>(between))
        return true;
    return false;
  };
  bool decision = decide();
  bufferDecision[tile] = decision;
  return decision;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Whether computing elements of `tile` reads the buffer of `argument`.
bool TileEmitter::dependsOn(Value tile, Value argument) {
  if (tile == argument)
    return true;
  Operation *op = tile.getDefiningOp();
  if (!op || buffers.contains(tile))
    return false;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return isa<RankedTensorType>(operand.getType()) &&
           dependsOn(operand, argument);
  });
}

/// Whether each element of `tile` reads that of `argument` at its own place
/// and no other.
bool TileEmitter::readsInPlace(Value tile, Value argument) {
  if (tile == argument || !dependsOn(tile, argument))
    return true;
  Operation *op = tile.getDefiningOp();
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect != "arith" && dialect != "math")
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return !isa<RankedTensorType>(operand.getType()) ||
           readsInPlace(operand, argument);
  });
}

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
  for (auto &[copy, i] : delayed) {
    LogicalResult copied =
        forEachVector(copy.shape, copy.element, [&](const Lanes &at) {
          writeBuffer(targets[i], at, readBuffer(copy, at));
          return success();
        });
    if (failed(copied))
      return failure();
  }
  return success();
}

LogicalResult TileEmitter::emitFor(scf::ForOp op) {
  Values initialScalars;
  SmallVector<Buffer> carried;
  SmallVector<Value> carriedArguments;
  for (auto [init, argument] :
       llvm::zip(op.getInitArgs(), op.getRegionIterArgs())) {
    auto type = dyn_cast<RankedTensorType>(init.getType());
    if (!type) {
      initialScalars.push_back(scalars.lookup(init));
      continue;
    }
    Buffer buffer = allocate(type.getShape(), type.getElementType());
    if (failed(materializeInto(init, buffer)))
      return failure();
    buffers[argument] = buffer;
    carried.push_back(buffer);
    carriedArguments.push_back(argument);
  }
  auto loop =
      scf::ForOp::create(b, op.getLoc(), scalars.lookup(op.getLowerBound()),
                         scalars.lookup(op.getUpperBound()),
                         scalars.lookup(op.getStep()), initialScalars);
  scalars.map(op.getInductionVar(), loop.getInductionVar());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  unsigned scalar = 0;
  for (Value argument : op.getRegionIterArgs())
    if (!isa<RankedTensorType>(argument.getType()))
      scalars.map(argument, loop.getRegionIterArg(scalar++));
  SmallVector<Memo> outer;
  std::swap(memo, outer);
  if (failed(emitBlock(*op.getBody())))
    return failure();
  SmallVector<Value> yieldedTiles;
  Values yieldedScalars;
  for (Value value : op.getYieldedValues()) {
    if (isa<RankedTensorType>(value.getType()))
      yieldedTiles.push_back(value);
    else
      yieldedScalars.push_back(scalars.lookup(value));
  }
  if (failed(storeYielded(yieldedTiles, carried, carriedArguments)))
    return failure();
  std::swap(memo, outer);
  if (!yieldedScalars.empty())
    scf::YieldOp::create(b, loc, yieldedScalars);
  unsigned tileNumber = 0;
  scalar = 0;
  for (Value result : op.getResults()) {
    if (isa<RankedTensorType>(result.getType()))
      buffers[result] = carried[tileNumber++];
    else
      scalars.map(result, loop.getResult(scalar++));
  }
  return success();
}

LogicalResult TileEmitter::emitIf(scf::IfOp op) {
  SmallVector<Buffer> targets;
  SmallVector<Type> scalarTypes;
  for (Value result : op.getResults()) {
    if (auto type = dyn_cast<RankedTensorType>(result.getType()))
      targets.push_back(allocate(type.getShape(), type.getElementType()));
    else
      scalarTypes.push_back(result.getType());
  }
  bool hasElse = !op.getElseRegion().empty();
  auto branch = scf::IfOp::create(b, op.getLoc(), scalarTypes,
                                  scalars.lookup(op.getCondition()), hasElse);
  auto fill = [&](Region &from, Region &to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(b);
    if (scalarTypes.empty())
      b.setInsertionPoint(to.front().getTerminator());
    else
      b.setInsertionPointToEnd(&to.front());
    SmallVector<Memo> outer;
    std::swap(memo, outer);
    if (failed(emitBlock(from.front())))
      return failure();
    SmallVector<Value> tiles;
    Values plain;
    for (Value value : from.front().getTerminator()->getOperands()) {
      if (isa<RankedTensorType>(value.getType()))
        tiles.push_back(value);
      else
        plain.push_back(scalars.lookup(value));
    }
    if (failed(storeYielded(tiles, targets, {})))
      return failure();
    std::swap(memo, outer);
    if (!scalarTypes.empty())
      scf::YieldOp::create(b, loc, plain);
    return success();
  };
  if (failed(fill(op.getThenRegion(), branch.getThenRegion())) ||
      (hasElse && failed(fill(op.getElseRegion(), branch.getElseRegion()))))
    return failure();
  unsigned tileNumber = 0, scalar = 0;
  for (Value result : op.getResults()) {
    if (isa<RankedTensorType>(result.getType()))
      buffers[result] = targets[tileNumber++];
    else
      scalars.map(result, branch.getResult(scalar++));
  }
  return success();
}

} // namespace tilewright::cpu
