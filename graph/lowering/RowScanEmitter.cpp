//===- RowScanEmitter.cpp - Rows that any combiner scans ------------------===//
//
// A combiner has no neutral element, so that nothing stands for what is beyond
// a row: pieces begin at that end of the row where the scan does, and only the
// last one may reach beyond the other end. The first piece has none before it.
//
//===----------------------------------------------------------------------===//
#include "graph/lowering/RowScanEmitter.h"

#include "graph/lowering/BodyEmitter.h"
#include "graph/lowering/KernelFrame.h"
#include "graph/lowering/MemoryEmitter.h"
#include "graph/lowering/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::graph {

SmallVector<int64_t> rowScanTile(ScanOp op, const TileLimits &limits) {
  auto type = cast<RankedTensorType>(op.getInputs().front().getType());
  // Neighbours of a row that is scanned across them.
  constexpr int64_t columns = 32;
  SmallVector<int64_t> tile(type.getRank(), 1);
  const int64_t axis = int64_t(op.getAxis()), last = type.getRank() - 1;
  int64_t budget = limits.elementwiseElements;
  auto take = [&](int64_t dim, int64_t most) {
    const int64_t size = type.getDimSize(dim);
    tile[dim] = ShapedType::isDynamic(size)
                    ? std::min(most, budget)
                    : std::min({std::max<int64_t>(size, 1), most, budget});
    budget = std::max<int64_t>(1, budget / tile[dim]);
  };
  const bool isShort = axis == last && !type.isDynamicDim(axis) &&
                       type.getDimSize(axis) <= budget;
  // One thread walks along a long row, or along its neighbours together.
  if (!limits.isShared && !isShort) {
    if (axis != last)
      take(last, budget);
    return tile;
  }
  if (axis != last)
    take(last, columns);
  take(axis, budget);
  if (isShort && last > 0)
    take(last - 1, budget);
  return tile;
}

/// The body on whole tiles: what comes first, and then.
static FailureOr<SmallVector<Value>> combineTiles(KernelFrame &frame, ScanOp op,
                                                  const Box &box,
                                                  ValueRange before,
                                                  ValueRange after) {
  Block *body = &op.getBody().front();
  IRMapping mapping;
  SmallVector<Value> both(before);
  llvm::append_range(both, after);
  mapping.map(body->getArguments(), both);
  SmallVector<Value> combined;
  for (Value yielded : body->getTerminator()->getOperands()) {
    FailureOr<Value> tile = emitBody(frame, yielded, body, mapping, box);
    if (failed(tile))
      return failure();
    combined.push_back(*tile);
  }
  return combined;
}

namespace {
/// Scans the pieces of a program's rows in turn.
class Pieces {
public:
  Pieces(KernelFrame &frame, ScanOp op, const Box &box)
      : frame(frame), b(frame.builder), loc(frame.loc), op(op), box(box),
        axis(unsigned(op.getAxis())) {}

  /// Prefixes within the piece whose first element in memory is at `start`.
  SmallVector<Value> scan(Value start);
  void store(ValueRange tiles);
  /// The last prefix of a piece.
  SmallVector<Value> lastOf(ValueRange tiles);
  FailureOr<SmallVector<Value>> continued(ValueRange before, ValueRange tiles);

private:
  KernelFrame &frame;
  OpBuilder &b;
  Location loc;
  ScanOp op;
  Box box;
  unsigned axis;
};
} // namespace

SmallVector<Value> Pieces::scan(Value start) {
  box.offset[axis] = {start, std::nullopt, std::nullopt};
  SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(emitLoad(frame, input, box, {}));
  Block &body = op.getBody().front();
  auto scanned = tile::ScanOp::create(
      b, loc, inputs, axis, op.getReverse(),
      [&](OpBuilder &inner, Location, ValueRange sides) {
        IRMapping mapping;
        mapping.map(body.getArguments(), sides);
        SmallVector<Value> combined;
        for (Operation &each : body.without_terminator()) {
          for (Value operand : each.getOperands())
            if (operand.getParentBlock() != &body && !mapping.contains(operand))
              mapping.map(operand,
                          inner.clone(*operand.getDefiningOp())->getResult(0));
          inner.clone(each, mapping);
        }
        for (Value yielded : body.getTerminator()->getOperands())
          combined.push_back(mapping.lookupOrDefault(yielded));
        return combined;
      });
  return llvm::to_vector_of<Value>(scanned.getResults());
}

void Pieces::store(ValueRange tiles) {
  for (auto [tile, result] : llvm::zip(tiles, op.getResults()))
    if (llvm::is_contained(frame.group.results(), result))
      emitStore(frame, tile, result, box);
}

SmallVector<Value> Pieces::lastOf(ValueRange tiles) {
  SmallVector<Value> last;
  for (Value tile : tiles) {
    auto type = cast<RankedTensorType>(tile.getType());
    SmallVector<int64_t> shape(type.getShape());
    SmallVector<int64_t> offsets(shape.size(), 0), steps(shape.size(), 1);
    if (!op.getReverse())
      offsets[axis] = shape[axis] - 1;
    shape[axis] = 1;
    last.push_back(
        tile::SliceOp::create(b, loc, type.clone(shape), tile, offsets, steps));
  }
  return last;
}

FailureOr<SmallVector<Value>> Pieces::continued(ValueRange before,
                                                ValueRange tiles) {
  SmallVector<Value> spread;
  for (Value tile : before)
    spread.push_back(broadcast(frame, tile, box.size));
  return combineTiles(frame, op, box, spread, tiles);
}

LogicalResult emitRowScan(KernelFrame &frame, ScanOp op, Box box, Value end) {
  OpBuilder &b = frame.builder;
  Location loc = frame.loc;
  const int64_t size = box.size[op.getAxis()];
  Pieces pieces(frame, op, box);
  // Pieces of a reversed scan begin at the end.
  auto startOf = [&](Value at) -> Value {
    if (!op.getReverse())
      return at;
    Value behind = arith::SubIOp::create(b, loc, end, at);
    return arith::SubIOp::create(b, loc, behind, frame.index(size));
  };
  auto type = cast<RankedTensorType>(op.getInputs().front().getType());
  SmallVector<Value> scanned = pieces.scan(startOf(frame.index(0)));
  pieces.store(scanned);
  if (type.getDimSize(op.getAxis()) == size)
    return success();
  LogicalResult emitted = success();
  scf::ForOp::create(b, loc, frame.index(size), end, frame.index(size),
                     pieces.lastOf(scanned),
                     [&](OpBuilder &, Location, Value at, ValueRange before) {
                       OpBuilder::InsertionGuard guard(b);
                       frame.scopes.emplace_back();
                       FailureOr<SmallVector<Value>> next =
                           pieces.continued(before, pieces.scan(startOf(at)));
                       if (failed(next)) {
                         emitted = failure();
                         next = SmallVector<Value>(before);
                       } else {
                         pieces.store(*next);
                         next = pieces.lastOf(*next);
                       }
                       scf::YieldOp::create(b, loc, *next);
                       frame.scopes.pop_back();
                     });
  return emitted;
}

} // namespace tilewright::graph
