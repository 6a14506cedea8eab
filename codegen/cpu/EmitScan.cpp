//===- EmitScan.cpp - Scans and histograms --------------------------------===//
#include "codegen/cpu/TileEmitter.h"

using namespace mlir;

namespace tilewright::cpu {

/// Goes along the axis with the combination so far, for a vector of rows at a
/// time where the axis is not the innermost dimension.
LogicalResult TileEmitter::emitScan(tile::ScanOp op) {
  auto input = cast<RankedTensorType>(op.getInputs()[0].getType());
  int64_t axis = op.getAxis(), length = input.getDimSize(axis);
  SmallVector<Buffer> outputs = allocateResults(op);
  auto write = [&](const Lanes &at, ValueRange values) {
    for (auto [buffer, value] : llvm::zip(outputs, values))
      writeBuffer(buffer, at, value);
  };
  // Position i of the scan, counted from the end where it goes backwards.
  auto place = [&](Value i) -> Value {
    if (!op.getReverse())
      return i;
    return arith::SubIOp::create(b, loc, index(length - 1), i);
  };
  auto body = [&](const Lanes &start) -> LogicalResult {
    Lanes at = start;
    at.index[axis] = place(index(0));
    FailureOr<Values> first = evalAll(op.getInputs(), at);
    if (failed(first))
      return failure();
    write(at, *first);
    if (length == 1)
      return success();
    auto loop =
        scf::ForOp::create(b, loc, index(1), index(length), index(1), *first);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    at.index[axis] = place(loop.getInductionVar());
    FailureOr<Values> next = evalAll(op.getInputs(), at);
    if (failed(next))
      return failure();
    FailureOr<Values> sum =
        combine(op, loop.getRegionIterArgs(), *next, at.missing);
    if (failed(sum))
      return failure();
    write(at, *sum);
    scf::YieldOp::create(b, loc, *sum);
    return success();
  };
  SmallVector<int64_t> rows(input.getShape());
  rows[axis] = 1;
  LogicalResult done = forEachVector(rows, input.getElementType(), body);
  bind(op.getResults(), outputs, {});
  return done;
}

/// Counts one element at a time: equal elements of a vector would count once.
LogicalResult TileEmitter::emitHistogram(tile::HistogramOp op) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  auto type = cast<RankedTensorType>(op.getType());
  Type counter = type.getElementType();
  Buffer counts = allocate(type.getShape(), counter);
  auto constant = [&](int64_t value) {
    return constantOf(b.getIntegerAttr(counter, value));
  };
  LogicalResult cleared =
      forEachVector(type.getShape(), counter, [&](const Lanes &at) {
        writeBuffer(counts, at, splat(constant(0), at.width));
        return success();
      });
  LogicalResult counted =
      forEachElement(source.getShape(), [&](const Lanes &at) -> LogicalResult {
        FailureOr<Value> value = eval(op.getSource(), at);
        if (failed(value))
          return failure();
        Value bin = signedI64(*value);
        Value isCounted = arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::ult, bin,
            arith::ConstantIntOp::create(b, loc, type.getDimSize(0), 64));
        if (op.getMask()) {
          FailureOr<Value> mask = eval(op.getMask(), at);
          if (failed(mask))
            return failure();
          // Not `and`: what does not count may be poison.
          isCounted = arith::SelectOp::create(
              b, loc, *mask, isCounted,
              arith::ConstantOp::create(b, loc, b.getBoolAttr(false)));
        }
        guarded(isCounted, {}, {}, [&]() -> Value {
          Lanes where;
          where.index.push_back(
              arith::IndexCastOp::create(b, loc, b.getIndexType(), bin));
          Value next = arith::AddIOp::create(b, loc, readBuffer(counts, where),
                                             constant(1));
          writeBuffer(counts, where, next);
          return {};
        });
        return success();
      });
  buffers[op.getResult()] = counts;
  return success(succeeded(cleared) && succeeded(counted));
}

} // namespace tilewright::cpu
