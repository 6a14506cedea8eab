//===- SortEmitter.cpp - Sorts of rows, and passes over digits ------------===//
#include "graph/lowering/SortEmitter.h"

#include "graph/lowering/KernelFrame.h"
#include "graph/lowering/MemoryEmitter.h"
#include "graph/lowering/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::graph {

//===--- Rows that a program holds ----------------------------------------===//

SmallVector<int64_t> sortTile(SortOp op, const TileLimits &limits) {
  auto type = cast<RankedTensorType>(op.getInputs().front().getType());
  SmallVector<int64_t> tile(type.getRank(), 1);
  const int64_t axis = int64_t(op.getAxis());
  tile[axis] = type.getDimSize(axis);
  int64_t budget =
      limits.elementwiseElements / std::max<int64_t>(1, tile[axis]);
  for (int64_t dim = type.getRank() - 1; dim >= 0 && budget > 1; --dim) {
    if (dim == axis)
      continue;
    const int64_t size = type.getDimSize(dim);
    tile[dim] = ShapedType::isDynamic(size)
                    ? budget
                    : std::min(std::max<int64_t>(size, 1), budget);
    budget = tile[dim] == size ? budget / tile[dim] : 1;
  }
  return tile;
}

LogicalResult emitSort(KernelFrame &frame, SortOp op, const Box &box) {
  OpBuilder &b = frame.builder;
  SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(emitLoad(frame, input, box, {}));
  auto sorted = tile::SortOp::create(b, frame.loc, inputs, op.getAxis(),
                                     op.getDescending());
  sorted.setIsUnsigned(op.getIsUnsigned());
  for (auto [tile, result] : llvm::zip(sorted.getResults(), op.getResults()))
    if (llvm::is_contained(frame.group.results(), result))
      emitStore(frame, tile, result, box);
  return success();
}

//===--- Blocks of keys ---------------------------------------------------===//

namespace {
/// One block of a row of keys, and where its counts are.
class KeyBlock {
public:
  KeyBlock(KernelFrame &frame, Value keys, const Box &box, int64_t digit)
      : frame(frame), b(frame.builder), loc(frame.loc), keys(keys), box(box),
        digit(digit) {}

  /// The keys that a step of the loops over a block reads.
  static constexpr int64_t step = 1024;

  LogicalResult bounds();
  /// `step` elements of a tensor like the keys, from `at` on, as one dimension.
  Value load(Value tensor, Value at);
  /// The digits of keys, as i32; `digitValues` from the row's end on.
  Value digits(Value tile, Value at);
  Value digitOf(Value key);
  /// Where the block's numbers are in a tensor by digit, or by block.
  SmallVector<Value> corner(bool isByDigit);
  SmallVector<int64_t> cornerTile(bool isByDigit);
  /// The pointer to the first element of the row, or of what `inner` counts.
  Value rowPointer(Value tensor, Value inner = {});
  Value number(Type type, int64_t value);
  Value inRange(int64_t count, Type element);

  KernelFrame &frame;
  OpBuilder &b;
  Location loc;
  Value keys;
  const Box &box;
  int64_t digit;
  /// The first key, the one behind the last, and the row's end.
  Value first, last, end;

private:
  unsigned rows() { return box.rank() - 1; }
};
} // namespace

Value KeyBlock::number(Type type, int64_t value) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return splat(frame, b.getIntegerAttr(tile.getElementType(), value),
                 tile.getShape());
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

LogicalResult KeyBlock::bounds() {
  FailureOr<SymbolicShape> shape = frame.shapes.shapeOf(keys);
  FailureOr<Value> length = failed(shape) ? FailureOr<Value>(failure())
                                          : frame.sizeValue(shape->back());
  if (failed(length))
    return failure();
  end = *length;
  first = box.offset.back().value;
  Value behind =
      arith::AddIOp::create(b, loc, first, frame.index(box.size.back()));
  last = arith::MinSIOp::create(b, loc, behind, end);
  return success();
}

Value KeyBlock::load(Value tensor, Value at) {
  Box part = box;
  part.offset.back() = {at, std::nullopt, std::nullopt};
  part.size.back() = step;
  return reshape(frame, emitLoad(frame, tensor, part, {}), {step});
}

Value KeyBlock::digitOf(Value key) {
  Type type = key.getType();
  if (digit > 0)
    key = arith::ShRUIOp::create(b, loc, key, number(type, digit * 8));
  Type element = getElementTypeOrSelf(type), wanted = b.getI32Type();
  if (auto tile = dyn_cast<RankedTensorType>(type))
    wanted = tile.clone(wanted);
  if (element.getIntOrFloatBitWidth() > 32)
    key = arith::TruncIOp::create(b, loc, wanted, key);
  else if (element.getIntOrFloatBitWidth() < 32)
    key = arith::ExtUIOp::create(b, loc, wanted, key);
  return arith::AndIOp::create(b, loc, key, number(wanted, digitValues - 1));
}

Value KeyBlock::inRange(int64_t count, Type element) {
  Value iota = tile::IotaOp::create(
      b, loc, RankedTensorType::get({count}, b.getI32Type()));
  if (element.isInteger(32))
    return iota;
  return arith::ExtUIOp::create(b, loc, RankedTensorType::get({count}, element),
                                iota);
}

Value KeyBlock::digits(Value tile, Value at) {
  Value left = arith::SubIOp::create(b, loc, end, at);
  Value bounded = arith::MinSIOp::create(b, loc, left, frame.index(step));
  Value count = arith::IndexCastOp::create(b, loc, b.getI32Type(), bounded);
  Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                         inRange(step, b.getI32Type()),
                                         broadcastScalar(frame, count, {step}));
  Value found = digitOf(tile);
  return arith::SelectOp::create(b, loc, isInside, found,
                                 number(found.getType(), digitValues));
}

SmallVector<Value> KeyBlock::corner(bool isByDigit) {
  SmallVector<Value> at;
  for (unsigned dim = 0; dim < rows(); ++dim)
    at.push_back(box.offset[dim].value);
  Value block =
      arith::DivUIOp::create(b, loc, first, frame.index(box.size.back()));
  at.push_back(isByDigit ? frame.index(0) : block);
  at.push_back(isByDigit ? block : frame.index(0));
  return at;
}

SmallVector<int64_t> KeyBlock::cornerTile(bool isByDigit) {
  SmallVector<int64_t> tile(rows() + 2, 1);
  tile[isByDigit ? rows() : rows() + 1] = digitValues;
  return tile;
}

Value KeyBlock::rowPointer(Value tensor, Value inner) {
  Value view = frame.viewOf(tensor), row = frame.index(0);
  auto extent = [&](unsigned dim) -> Value {
    return tile::DimOp::create(b, loc, view, dim);
  };
  for (unsigned dim = 0; dim < rows(); ++dim)
    row = arith::AddIOp::create(b, loc,
                                arith::MulIOp::create(b, loc, row, extent(dim)),
                                box.offset[dim].value);
  row = arith::MulIOp::create(b, loc, row, extent(rows()));
  if (inner) {
    row = arith::AddIOp::create(b, loc, row, inner);
    row = arith::MulIOp::create(b, loc, row, extent(rows() + 1));
  }
  Value base = tile::BaseOp::create(b, loc, view);
  return tile::OffsetOp::create(b, loc, base.getType(), base, row);
}

LogicalResult emitDigitCounts(KernelFrame &frame, DigitCountsOp op,
                              const Box &box) {
  OpBuilder &b = frame.builder;
  Location loc = frame.loc;
  KeyBlock block(frame, op.getKeys(), box, int64_t(op.getDigit()));
  if (failed(block.bounds()))
    return failure();
  auto type = RankedTensorType::get({digitValues}, b.getI32Type());
  auto loop = scf::ForOp::create(
      b, loc, block.first, block.last, frame.index(KeyBlock::step),
      block.number(type, 0),
      [&](OpBuilder &, Location, Value at, ValueRange before) {
        OpBuilder::InsertionGuard guard(b);
        Value digits = block.digits(block.load(op.getKeys(), at), at);
        Value counts = tile::HistogramOp::create(b, loc, type, digits, Value());
        Value sum = arith::AddIOp::create(b, loc, before[0], counts);
        scf::YieldOp::create(b, loc, sum);
      });
  Value counts = arith::ExtUIOp::create(b, loc, type.clone(b.getI64Type()),
                                        loop.getResult(0));
  tile::StoreOp::create(
      b, loc, reshape(frame, counts, block.cornerTile(/*isByDigit=*/true)),
      frame.viewOf(op.getCounts()), block.corner(/*isByDigit=*/true),
      ArrayRef<int64_t>());
  return success();
}

//===--- Moving keys ------------------------------------------------------===//

/// Moves the keys of a block one after the other; their next offsets are in the
/// block's row of `ends`.
static void moveOneByOne(KeyBlock &block, DigitScatterOp op) {
  OpBuilder &b = block.b;
  Location loc = block.loc;
  Value number = arith::DivUIOp::create(
      b, loc, block.first, block.frame.index(block.box.size.back()));
  Value next = block.rowPointer(op.getEnds(), number);
  Value keysFrom = block.rowPointer(op.getKeys());
  Value valuesFrom = block.rowPointer(op.getValues());
  Value keysTo = block.rowPointer(op.getSortedKeys());
  Value valuesTo = block.rowPointer(op.getSortedValues());
  auto at = [&](Value pointer, Value index) -> Value {
    return tile::OffsetOp::create(b, loc, pointer.getType(), pointer, index);
  };
  auto load = [&](Value pointer, Value index) -> Value {
    return tile::LoadPtrOp::create(b, loc, at(pointer, index));
  };
  auto store = [&](Value value, Value pointer, Value index) {
    tile::StorePtrOp::create(b, loc, value, at(pointer, index));
  };
  auto move = [&](OpBuilder &, Location, Value index, ValueRange) {
    OpBuilder::InsertionGuard guard(b);
    Value key = load(keysFrom, index), value = load(valuesFrom, index);
    Value digit = arith::IndexCastUIOp::create(b, loc, b.getIndexType(),
                                               block.digitOf(key));
    Value target = load(next, digit);
    Value behind =
        arith::AddIOp::create(b, loc, target, block.number(b.getI64Type(), 1));
    store(behind, next, digit);
    store(key, keysTo, target);
    store(value, valuesTo, target);
    scf::YieldOp::create(b, loc);
  };
  scf::ForOp::create(b, loc, block.first, block.last, block.frame.index(1),
                     ValueRange(), move);
}

/// Moves `KeyBlock::step` keys from `at` on. They are sorted by digit first, so
/// that those of a digit are together. `next` are the offsets of the digits
/// ahead of them; returns those behind them.
static Value moveTile(KeyBlock &block, DigitScatterOp op, Value at,
                      Value next) {
  OpBuilder &b = block.b;
  Location loc = block.loc;
  constexpr int64_t count = KeyBlock::step;
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto digitType = RankedTensorType::get({digitValues}, i32);
  Value keys = block.load(op.getKeys(), at);
  Value values = block.load(op.getValues(), at);
  Value digits = block.digits(keys, at);
  Type tileType = digits.getType();
  // The position makes them different: so equal digits keep their order.
  Value packed =
      arith::MulIOp::create(b, loc, digits, block.number(tileType, count));
  packed = arith::AddIOp::create(b, loc, packed, block.inRange(count, i32));
  Value sorted = tile::SortOp::create(b, loc, packed, 0).getResult(0);
  Value digit =
      arith::DivUIOp::create(b, loc, sorted, block.number(tileType, count));
  Value from =
      arith::RemUIOp::create(b, loc, sorted, block.number(tileType, count));
  Value counts = tile::HistogramOp::create(b, loc, digitType, digits, Value());
  auto sums = tile::ScanOp::create(
      b, loc, counts, 0, /*reverse=*/false,
      [](OpBuilder &inner, Location where,
         ValueRange sides) -> SmallVector<Value> {
        return {arith::AddIOp::create(inner, where, sides[0], sides[1])};
      });
  Value before = arith::SubIOp::create(b, loc, sums.getResult(0), counts);
  auto wide = [&](Value tile) -> Value {
    auto type = cast<RankedTensorType>(tile.getType());
    return arith::ExtSIOp::create(b, loc, type.clone(i64), tile);
  };
  // Element i of a digit goes to next + i - before.
  Value start = arith::SubIOp::create(b, loc, next, wide(before));
  Value bounded = arith::MinSIOp::create(
      b, loc, digit, block.number(tileType, digitValues - 1));
  Value target = tile::GatherOp::create(b, loc, start, bounded, 0);
  target = arith::AddIOp::create(b, loc, target, block.inRange(count, i64));
  Value isInside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, digit,
                            block.number(tileType, digitValues));
  auto store = [&](Value tile, Value tensor) {
    Value moved = tile::GatherOp::create(b, loc, tile, from, 0);
    Value bases =
        broadcastScalar(block.frame, block.rowPointer(tensor), {count});
    Value pointers =
        tile::OffsetOp::create(b, loc, bases.getType(), bases, target);
    tile::StorePtrOp::create(b, loc, moved, pointers, isInside);
  };
  store(keys, op.getSortedKeys());
  store(values, op.getSortedValues());
  return arith::AddIOp::create(b, loc, next, wide(counts));
}

LogicalResult emitDigitScatter(KernelFrame &frame, DigitScatterOp op,
                               const Box &box, bool isShared) {
  OpBuilder &b = frame.builder;
  Location loc = frame.loc;
  KeyBlock block(frame, op.getKeys(), box, int64_t(op.getDigit()));
  if (failed(block.bounds()))
    return failure();
  Type i64 = b.getI64Type();
  Value offsets = tile::LoadOp::create(
      b, loc, RankedTensorType::get(block.cornerTile(true), i64),
      frame.viewOf(op.getOffsets()), block.corner(true), ArrayRef<int64_t>(),
      TypedAttr());
  auto storeEnds = [&](Value tile) {
    tile::StoreOp::create(
        b, loc, reshape(frame, tile, block.cornerTile(/*isByDigit=*/false)),
        frame.viewOf(op.getEnds()), block.corner(/*isByDigit=*/false),
        ArrayRef<int64_t>());
  };
  if (!isShared) {
    storeEnds(offsets);
    moveOneByOne(block, op);
    return success();
  }
  auto loop = scf::ForOp::create(
      b, loc, block.first, block.last, frame.index(KeyBlock::step),
      reshape(frame, offsets, {digitValues}),
      [&](OpBuilder &, Location, Value at, ValueRange next) {
        OpBuilder::InsertionGuard guard(b);
        scf::YieldOp::create(b, loc, moveTile(block, op, at, next[0]));
      });
  storeEnds(loop.getResult(0));
  return success();
}

} // namespace tilewright::graph
