//===- EmitScan.cpp - Scans and histograms --------------------------------===//
#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/Buffers.h"
#include "codegen/cpu/Combine.h"
#include "codegen/cpu/CpuOp.h"
#include "codegen/cpu/Elements.h"
#include "codegen/cpu/Loops.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::cpu {

/// Scans along the axis, carrying the combination so far, for a vector of
/// fibers at a time where the axis is not the innermost dimension.
static LogicalResult emitScan(tile::ScanOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto input = cast<RankedTensorType>(op.getInputs()[0].getType());
  int64_t axis = op.getAxis(), length = input.getDimSize(axis);
  SmallVector<Buffer> outputs = allocateResults(op, e);
  auto write = [&](const Lanes &at, ValueRange values) {
    for (auto [buffer, value] : llvm::zip(outputs, values))
      writeBuffer(b, buffer, at, value);
  };
  // Position i of the scan, counted from the end where it goes backwards.
  auto position = [&](Value i) -> Value {
    if (!op.getReverse())
      return i;
    return arith::SubIOp::create(b, index(b, length - 1), i);
  };
  auto body = [&](const Lanes &start) -> LogicalResult {
    Lanes at = start;
    at.index[axis] = position(index(b, 0));
    FailureOr<Values> first = evalAll(op.getInputs(), at, e);
    if (failed(first))
      return failure();
    write(at, *first);
    if (length == 1)
      return success();
    auto loop = scf::ForOp::create(b, index(b, 1), index(b, length),
                                   index(b, 1), *first);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    at.index[axis] = position(loop.getInductionVar());
    FailureOr<Values> next = evalAll(op.getInputs(), at, e);
    if (failed(next))
      return failure();
    FailureOr<Values> sum = combine(op, loop.getRegionIterArgs(), *next, e);
    if (failed(sum))
      return failure();
    write(at, *sum);
    scf::YieldOp::create(b, *sum);
    return success();
  };
  SmallVector<int64_t> rows(input.getShape());
  rows[axis] = 1;
  LogicalResult done = forEachVector(rows, input.getElementType(), e, body);
  hold(op.getResults(), outputs, e);
  return done;
}

/// Counts one element at a time: equal elements of a vector would count once.
static LogicalResult emitHistogram(tile::HistogramOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto source = cast<RankedTensorType>(op.getSource().getType());
  auto type = cast<RankedTensorType>(op.getType());
  Type counter = type.getElementType();
  Buffer counts = allocate(type.getShape(), counter, e);
  auto constant = [&](int64_t value) {
    return constantOf(b, b.getIntegerAttr(counter, value));
  };
  LogicalResult cleared =
      forEachVector(type.getShape(), counter, e, [&](const Lanes &at) {
        writeBuffer(b, counts, at, splat(b, constant(0), at.width));
        return success();
      });
  LogicalResult counted = forEachElement(
      source.getShape(), e, [&](const Lanes &at) -> LogicalResult {
        FailureOr<Value> value = eval(op.getSource(), at, e);
        if (failed(value))
          return failure();
        Value bin = signedI64(b, *value);
        Value isCounted = arith::CmpIOp::create(
            b, arith::CmpIPredicate::ult, bin,
            arith::ConstantIntOp::create(b, type.getDimSize(0), 64));
        if (op.getMask()) {
          FailureOr<Value> mask = eval(op.getMask(), at, e);
          if (failed(mask))
            return failure();
          // Not `and`: what does not count may be poison.
          isCounted = arith::SelectOp::create(
              b, *mask, isCounted,
              arith::ConstantOp::create(b, b.getBoolAttr(false)));
        }
        guarded(b, isCounted, {}, {}, [&]() -> Value {
          Lanes where;
          where.index.push_back(
              arith::IndexCastOp::create(b, b.getIndexType(), bin));
          Value next = arith::AddIOp::create(b, readBuffer(b, counts, where),
                                             constant(1));
          writeBuffer(b, counts, where, next);
          return {};
        });
        return success();
      });
  e.buffers.held[op.getResult()] = counts;
  return success(succeeded(cleared) && succeeded(counted));
}

void addScanOps(CpuOps &ops) {
  ops.add<tile::ScanOp>({.emit = onOp(emitScan)});
  ops.add<tile::HistogramOp>({.emit = onOp(emitHistogram)});
}

} // namespace tilewright::cpu
