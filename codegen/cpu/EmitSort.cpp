//===- EmitSort.cpp - Sorting along one dimension -------------------------===//
//
// A row is sorted as the places of its elements, by merging sorted runs of
// twice the length in each pass: stable, and n log n for any order of keys.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/TileEmitter.h"

using namespace mlir;

namespace tilewright::cpu {

/// Whether x stands strictly before y. A NaN is above all other floats.
Value TileEmitter::comesBefore(Value x, Value y, Type element,
                               SortOrder order) {
  if (order.isDescending)
    std::swap(x, y);
  if (!isa<FloatType>(element))
    return arith::CmpIOp::create(b, loc,
                                 order.isUnsigned ? arith::CmpIPredicate::ult
                                                  : arith::CmpIPredicate::slt,
                                 x, y);
  if (numeric::isSmallFloat(element)) {
    x = numeric::FloatBits(b, loc).toFloat(x, element, b.getF32Type());
    y = numeric::FloatBits(b, loc).toFloat(y, element, b.getF32Type());
  }
  auto compare = [&](arith::CmpFPredicate how, Value left, Value right) {
    return arith::CmpFOp::create(b, loc, how, left, right).getResult();
  };
  Value isLess = compare(arith::CmpFPredicate::OLT, x, y);
  Value isNumber = compare(arith::CmpFPredicate::ORD, x, x);
  Value isBelowNan = arith::AndIOp::create(
      b, loc, isNumber, compare(arith::CmpFPredicate::UNO, y, y));
  return arith::OrIOp::create(b, loc, isLess, isBelowNan);
}

/// Merges neighbouring sorted runs of `run` places of a row of `places` into
/// the row `to`.
void TileEmitter::mergeRuns(const Buffer &keys, ValueRange row, unsigned axis,
                            SortOrder order, const Buffer &places, Value from,
                            Value to, Value run) {
  int64_t length = places.shape[1];
  auto keyOf = [&](Value place) {
    Lanes at{{}, Values(row)};
    at.index[axis] =
        arith::IndexCastOp::create(b, loc, b.getIndexType(), place);
    return readBuffer(keys, at);
  };
  auto below = [&](Value x, Value y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x, y)
        .getResult();
  };
  auto select = [&](Value when, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, when, yes, no).getResult();
  };
  auto pairs =
      scf::ForOp::create(b, loc, index(0), index(length), add(run, run));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(pairs.getBody());
  Value first = pairs.getInductionVar();
  auto end = [&](Value start) -> Value {
    return arith::MinUIOp::create(b, loc, add(start, run), index(length));
  };
  Value middle = end(first), last = end(middle);
  auto merge = scf::ForOp::create(b, loc, first, last, index(1),
                                  ValueRange{first, middle});
  b.setInsertionPointToStart(merge.getBody());
  Value left = merge.getRegionIterArg(0), right = merge.getRegionIterArg(1);
  // A run that has ended offers its last place again, which is not taken.
  auto offered = [&](Value at, Value stop) {
    Value bounded = arith::MinUIOp::create(
        b, loc, at, arith::SubIOp::create(b, loc, stop, index(1)).getResult());
    return readBuffer(places, Lanes{{}, {from, bounded}});
  };
  Value leftPlace = offered(left, middle), rightPlace = offered(right, last);
  Value isSmaller =
      comesBefore(keyOf(rightPlace), keyOf(leftPlace), keys.element, order);
  Value isLeftOver =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, left, middle);
  Value takesRight = arith::AndIOp::create(
      b, loc, below(right, last),
      arith::OrIOp::create(b, loc, isLeftOver, isSmaller));
  writeBuffer(places, Lanes{{}, {to, merge.getInductionVar()}},
              select(takesRight, rightPlace, leftPlace));
  scf::YieldOp::create(
      b, loc,
      ValueRange{select(takesRight, left, add(left, index(1))),
                 select(takesRight, add(right, index(1)), right)});
}

/// The places of a row's elements in order, as a row of `places`, which has
/// two: each pass reads one and writes the other.
Buffer TileEmitter::sortRow(const Buffer &keys, ValueRange row, unsigned axis,
                            SortOrder order, const Buffer &places) {
  int64_t length = keys.shape[axis];
  auto fill = scf::ForOp::create(b, loc, index(0), index(length), index(1));
  int64_t passes = llvm::Log2_64_Ceil(length);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(fill.getBody());
    Value place = fill.getInductionVar();
    writeBuffer(places, Lanes{{}, {index(0), place}},
                arith::IndexCastOp::create(b, loc, b.getI32Type(), place));
  }
  if (passes > 0) {
    auto loop = scf::ForOp::create(b, loc, index(0), index(passes), index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value pass = loop.getInductionVar();
    Value from = arith::AndIOp::create(b, loc, pass, index(1));
    Value to = arith::XOrIOp::create(b, loc, from, index(1));
    Value run = arith::ShLIOp::create(b, loc, index(1), pass);
    mergeRuns(keys, row, axis, order, places, from, to, run);
  }
  Buffer sorted = aliasOf(places, {passes % 2, 0}, {}, {1, length});
  sorted.shape.erase(sorted.shape.begin());
  sorted.strides.erase(sorted.strides.begin());
  return sorted;
}

LogicalResult TileEmitter::emitSort(tile::SortOp op) {
  unsigned axis = op.getAxis();
  SmallVector<Buffer> inputs, outputs = allocateResults(op);
  for (Value input : op.getInputs()) {
    FailureOr<Buffer> buffer = bufferOf(input);
    if (failed(buffer))
      return failure();
    inputs.push_back(*buffer);
  }
  int64_t length = inputs[0].shape[axis];
  Buffer twice = allocate({2, length}, b.getI32Type());
  SmallVector<int64_t> rows(inputs[0].shape);
  rows[axis] = 1;
  LogicalResult done = forEachElement(rows, [&](const Lanes &row) {
    Buffer places = sortRow(inputs[0], row.index, axis,
                            {op.getDescending(), op.getIsUnsigned()}, twice);
    auto loop = scf::ForOp::create(b, loc, index(0), index(length), index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Lanes target = row, source = row;
    target.index[axis] = loop.getInductionVar();
    source.index[axis] = arith::IndexCastOp::create(
        b, loc, b.getIndexType(),
        readBuffer(places, Lanes{{}, {loop.getInductionVar()}}));
    for (auto [input, output] : llvm::zip(inputs, outputs))
      writeBuffer(output, target, readBuffer(input, source));
    return success();
  });
  bind(op.getResults(), outputs, {});
  return done;
}

LogicalResult TileEmitter::emitTopK(tile::TopKOp op) {
  unsigned axis = op.getAxis();
  FailureOr<Buffer> keys = bufferOf(op.getSource());
  if (failed(keys))
    return failure();
  SmallVector<Buffer> outputs = allocateResults(op);
  int64_t length = keys->shape[axis], count = outputs[0].shape[axis];
  Buffer twice = allocate({2, length}, b.getI32Type());
  SmallVector<int64_t> rows(keys->shape);
  rows[axis] = 1;
  LogicalResult done = forEachElement(rows, [&](const Lanes &row) {
    Buffer places = sortRow(*keys, row.index, axis,
                            {!op.getSmallest(), op.getIsUnsigned()}, twice);
    auto loop = scf::ForOp::create(b, loc, index(0), index(count), index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Lanes target = row, source = row;
    target.index[axis] = loop.getInductionVar();
    Value place = arith::IndexCastOp::create(
        b, loc, b.getIndexType(),
        readBuffer(places, Lanes{{}, {loop.getInductionVar()}}));
    source.index[axis] = place;
    writeBuffer(outputs[0], target, readBuffer(*keys, source));
    Value number = toI64(place);
    Type wanted = outputs[1].element;
    if (wanted.isIndex())
      number = place;
    else if (wanted.getIntOrFloatBitWidth() < 64)
      number = arith::TruncIOp::create(b, loc, wanted, number);
    writeBuffer(outputs[1], target, number);
    return success();
  });
  bind(op.getResults(), outputs, {});
  return done;
}

} // namespace tilewright::cpu
