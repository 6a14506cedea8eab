//===- EmitSort.cpp - Sorting along one dimension -------------------------===//
//
// A row is sorted as the positions of its elements, by merging sorted runs of
// twice the length in each pass: stable, and n log n for any order of keys.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/Buffers.h"
#include "codegen/cpu/CpuOp.h"
#include "codegen/cpu/Loops.h"
#include "codegen/numeric/FloatBits.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::cpu {

namespace {
struct SortOrder {
  bool isDescending, isUnsigned;
};
} // namespace

/// Whether x sorts strictly before y. A NaN is above all other floats.
static Value comesBefore(ImplicitLocOpBuilder &b, Value x, Value y,
                         Type element, SortOrder order) {
  if (order.isDescending)
    std::swap(x, y);
  if (!isa<FloatType>(element))
    return arith::CmpIOp::create(b,
                                 order.isUnsigned ? arith::CmpIPredicate::ult
                                                  : arith::CmpIPredicate::slt,
                                 x, y);
  if (numeric::isSmallFloat(element)) {
    x = numeric::FloatBits(b, b.getLoc()).toFloat(x, element, b.getF32Type());
    y = numeric::FloatBits(b, b.getLoc()).toFloat(y, element, b.getF32Type());
  }
  auto compare = [&](arith::CmpFPredicate how, Value left, Value right) {
    return arith::CmpFOp::create(b, how, left, right).getResult();
  };
  Value isLess = compare(arith::CmpFPredicate::OLT, x, y);
  Value isNumber = compare(arith::CmpFPredicate::ORD, x, x);
  Value isBelowNan = arith::AndIOp::create(
      b, isNumber, compare(arith::CmpFPredicate::UNO, y, y));
  return arith::OrIOp::create(b, isLess, isBelowNan);
}

/// Merges neighbouring sorted runs of `run` positions of a row of `positions`
/// into the row `to`.
static void mergeRuns(ImplicitLocOpBuilder &b, const Buffer &keys,
                      ValueRange row, unsigned axis, SortOrder order,
                      const Buffer &positions, Value from, Value to,
                      Value run) {
  int64_t length = positions.shape[1];
  auto keyOf = [&](Value position) {
    Lanes at{{}, Values(row)};
    at.index[axis] = arith::IndexCastOp::create(b, b.getIndexType(), position);
    return readBuffer(b, keys, at);
  };
  auto below = [&](Value x, Value y) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x, y)
        .getResult();
  };
  auto select = [&](Value when, Value yes, Value no) {
    return arith::SelectOp::create(b, when, yes, no).getResult();
  };
  auto pairs =
      scf::ForOp::create(b, index(b, 0), index(b, length), add(b, run, run));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(pairs.getBody());
  Value first = pairs.getInductionVar();
  auto end = [&](Value start) -> Value {
    return arith::MinUIOp::create(b, add(b, start, run), index(b, length));
  };
  Value middle = end(first), last = end(middle);
  auto merge = scf::ForOp::create(b, first, last, index(b, 1),
                                  ValueRange{first, middle});
  b.setInsertionPointToStart(merge.getBody());
  Value left = merge.getRegionIterArg(0), right = merge.getRegionIterArg(1);
  // An exhausted run offers its last element again, which is not taken.
  auto offered = [&](Value at, Value stop) {
    Value bounded = arith::MinUIOp::create(
        b, at, arith::SubIOp::create(b, stop, index(b, 1)).getResult());
    return readBuffer(b, positions, Lanes{{}, {from, bounded}});
  };
  Value leftLocation = offered(left, middle),
        rightLocation = offered(right, last);
  Value isSmaller = comesBefore(b, keyOf(rightLocation), keyOf(leftLocation),
                                keys.element, order);
  Value isLeftOver =
      arith::CmpIOp::create(b, arith::CmpIPredicate::uge, left, middle);
  Value takesRight = arith::AndIOp::create(
      b, below(right, last), arith::OrIOp::create(b, isLeftOver, isSmaller));
  writeBuffer(b, positions, Lanes{{}, {to, merge.getInductionVar()}},
              select(takesRight, rightLocation, leftLocation));
  scf::YieldOp::create(
      b, ValueRange{select(takesRight, left, add(b, left, index(b, 1))),
                    select(takesRight, add(b, right, index(b, 1)), right)});
}

/// The positions of a row's elements in order, as a row of `positions`, which
/// has two: each pass reads one and writes the other.
static Buffer sortRow(const Buffer &keys, ValueRange row, unsigned axis,
                      SortOrder order, const Buffer &positions, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t length = keys.shape[axis];
  auto fill = scf::ForOp::create(b, index(b, 0), index(b, length), index(b, 1));
  int64_t passes = llvm::Log2_64_Ceil(length);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(fill.getBody());
    Value position = fill.getInductionVar();
    writeBuffer(b, positions, Lanes{{}, {index(b, 0), position}},
                arith::IndexCastOp::create(b, b.getI32Type(), position));
  }
  if (passes > 0) {
    auto loop =
        scf::ForOp::create(b, index(b, 0), index(b, passes), index(b, 1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value pass = loop.getInductionVar();
    Value from = arith::AndIOp::create(b, pass, index(b, 1));
    Value to = arith::XOrIOp::create(b, from, index(b, 1));
    Value run = arith::ShLIOp::create(b, index(b, 1), pass);
    mergeRuns(b, keys, row, axis, order, positions, from, to, run);
  }
  Buffer sorted = aliasOf(positions, {passes % 2, 0}, {}, {1, length}, e);
  sorted.shape.erase(sorted.shape.begin());
  sorted.strides.erase(sorted.strides.begin());
  return sorted;
}

static LogicalResult emitSort(tile::SortOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  unsigned axis = op.getAxis();
  SmallVector<Buffer> inputs, outputs = allocateResults(op, e);
  for (Value input : op.getInputs()) {
    FailureOr<Buffer> buffer = bufferOf(input, e);
    if (failed(buffer))
      return failure();
    inputs.push_back(*buffer);
  }
  int64_t length = inputs[0].shape[axis];
  Buffer twice = allocate({2, length}, b.getI32Type(), e);
  SmallVector<int64_t> rows(inputs[0].shape);
  rows[axis] = 1;
  LogicalResult done = forEachElement(rows, e, [&](const Lanes &row) {
    Buffer positions =
        sortRow(inputs[0], row.index, axis,
                {op.getDescending(), op.getIsUnsigned()}, twice, e);
    auto loop =
        scf::ForOp::create(b, index(b, 0), index(b, length), index(b, 1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Lanes target = row, source = row;
    target.index[axis] = loop.getInductionVar();
    source.index[axis] = arith::IndexCastOp::create(
        b, b.getIndexType(),
        readBuffer(b, positions, Lanes{{}, {loop.getInductionVar()}}));
    for (auto [input, output] : llvm::zip(inputs, outputs))
      writeBuffer(b, output, target, readBuffer(b, input, source));
    return success();
  });
  hold(op.getResults(), outputs, e);
  return done;
}

static LogicalResult emitTopK(tile::TopKOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  unsigned axis = op.getAxis();
  FailureOr<Buffer> keys = bufferOf(op.getSource(), e);
  if (failed(keys))
    return failure();
  SmallVector<Buffer> outputs = allocateResults(op, e);
  int64_t length = keys->shape[axis], count = outputs[0].shape[axis];
  Buffer twice = allocate({2, length}, b.getI32Type(), e);
  SmallVector<int64_t> rows(keys->shape);
  rows[axis] = 1;
  LogicalResult done = forEachElement(rows, e, [&](const Lanes &row) {
    Buffer positions =
        sortRow(*keys, row.index, axis, {!op.getSmallest(), op.getIsUnsigned()},
                twice, e);
    auto loop =
        scf::ForOp::create(b, index(b, 0), index(b, count), index(b, 1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Lanes target = row, source = row;
    target.index[axis] = loop.getInductionVar();
    Value position = arith::IndexCastOp::create(
        b, b.getIndexType(),
        readBuffer(b, positions, Lanes{{}, {loop.getInductionVar()}}));
    source.index[axis] = position;
    writeBuffer(b, outputs[0], target, readBuffer(b, *keys, source));
    Value number = toI64(b, position);
    Type wanted = outputs[1].element;
    if (wanted.isIndex())
      number = position;
    else if (wanted.getIntOrFloatBitWidth() < 64)
      number = arith::TruncIOp::create(b, wanted, number);
    writeBuffer(b, outputs[1], target, number);
    return success();
  });
  hold(op.getResults(), outputs, e);
  return done;
}

void addSortOps(CpuOps &ops) {
  ops.add<tile::SortOp>({.emit = onOp(emitSort)});
  ops.add<tile::TopKOp>({.emit = onOp(emitTopK)});
}

} // namespace tilewright::cpu
