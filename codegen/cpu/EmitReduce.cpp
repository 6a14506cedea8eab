//===- EmitReduce.cpp - Reductions along one dimension of tiles -----------===//
#include "codegen/cpu/TileEmitter.h"

using namespace mlir;

namespace tilewright::cpu {

/// The region's results for vectors (or scalars) of left and right elements.
FailureOr<TileEmitter::Values>
TileEmitter::combine(tile::ReduceOp op, ValueRange left, ValueRange right) {
  Block &body = op.getCombiner().front();
  IRMapping mapping;
  unsigned count = op.getInputs().size();
  int64_t width = 1;
  if (auto type = dyn_cast<VectorType>(left[0].getType()))
    width = type.getNumElements();
  for (unsigned i = 0; i < count; ++i) {
    mapping.map(body.getArgument(i), left[i]);
    mapping.map(body.getArgument(count + i), right[i]);
  }
  for (Operation &inner : body.without_terminator()) {
    StringRef dialect = inner.getName().getDialectNamespace();
    if ((dialect != "arith" && dialect != "math") || inner.getNumRegions() != 0)
      return inner.emitError("this op is not lowered for the cpu target inside "
                             "a tile.reduce");
    if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
      Value scalar = arith::ConstantOp::create(b, loc, constant.getValue());
      mapping.map(constant.getResult(), splat(scalar, width));
      continue;
    }
    Values operands;
    for (Value operand : inner.getOperands()) {
      Value mapped = mapping.lookupOrNull(operand);
      operands.push_back(mapped ? mapped
                                : splat(scalars.lookup(operand), width));
    }
    mapping.map(inner.getResult(0), createElementwise(&inner, operands, width));
  }
  Values results;
  for (Value yielded : body.getTerminator()->getOperands())
    results.push_back(mapping.lookup(yielded));
  return results;
}

/// Combines the lanes of vectors by halves, down to scalars.
FailureOr<TileEmitter::Values> TileEmitter::reduceLanes(tile::ReduceOp op,
                                                        Values values) {
  while (auto type = dyn_cast<VectorType>(values[0].getType())) {
    int64_t half = type.getNumElements() / 2;
    Values low, high;
    for (Value value : values) {
      if (half == 1) {
        low.push_back(
            vector::ExtractOp::create(b, loc, value, ArrayRef<int64_t>{0}));
        high.push_back(
            vector::ExtractOp::create(b, loc, value, ArrayRef<int64_t>{1}));
        continue;
      }
      SmallVector<int64_t> first, second;
      for (int64_t lane = 0; lane < half; ++lane) {
        first.push_back(lane);
        second.push_back(half + lane);
      }
      low.push_back(vector::ShuffleOp::create(b, loc, value, value, first));
      high.push_back(vector::ShuffleOp::create(b, loc, value, value, second));
    }
    FailureOr<Values> halves = combine(op, low, high);
    if (failed(halves))
      return failure();
    values = *halves;
  }
  return values;
}

LogicalResult TileEmitter::emitReduce(tile::ReduceOp op) {
  auto input = cast<RankedTensorType>(op.getInputs()[0].getType());
  int64_t axis = op.getAxis(), length = input.getDimSize(axis);
  SmallVector<Buffer> outputs;
  for (Value result : op.getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    outputs.push_back(allocate(type.getShape(), type.getElementType()));
  }
  auto evalAll = [&](const Lanes &at) -> FailureOr<Values> {
    SmallVector<Memo> outer;
    std::swap(memo, outer);
    Values values;
    for (Value tile : op.getInputs()) {
      FailureOr<Value> value = eval(tile, at);
      if (failed(value))
        return failure();
      values.push_back(*value);
    }
    std::swap(memo, outer);
    return values;
  };
  // Accumulates body(i) for i in [first, end) by step, from body(first).
  auto accumulate = [&](int64_t first, int64_t end, int64_t step,
                        llvm::function_ref<FailureOr<Values>(Value)> body)
      -> FailureOr<Values> {
    FailureOr<Values> start = body(index(first));
    if (failed(start) || first + step >= end)
      return start;
    auto loop = scf::ForOp::create(b, loc, index(first + step), index(end),
                                   index(step), *start);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    FailureOr<Values> next = body(loop.getInductionVar());
    if (failed(next))
      return failure();
    FailureOr<Values> sum = combine(op, loop.getRegionIterArgs(), *next);
    if (failed(sum))
      return failure();
    scf::YieldOp::create(b, loc, *sum);
    return Values(loop.getResults());
  };
  bool isInnermost = true;
  for (int64_t d = axis + 1; d < input.getRank(); ++d)
    isInnermost &= input.getDimSize(d) == 1;

  SmallVector<int64_t> shape = outputs[0].shape;
  int64_t width = isInnermost ? lanesFor(input.getElementType()) : 1;
  auto body = [&](const Lanes &out) -> LogicalResult {
    // The same place in the input, with the axis put back in.
    Lanes in = out;
    in.index.insert(in.index.begin() + axis, index(0));
    if (out.lane >= axis)
      in.lane = out.lane + 1;
    FailureOr<Values> total = failure();
    if (!isInnermost) {
      total = accumulate(0, length, 1, [&](Value position) {
        in.index[axis] = position;
        return evalAll(in);
      });
    } else {
      for (int64_t start = 0; start < length;) {
        int64_t chunk = width, end = length / width * width;
        if (start >= end) {
          chunk = llvm::bit_floor(static_cast<uint64_t>(length - start));
          end = start + chunk;
        }
        FailureOr<Values> part =
            accumulate(start, end, chunk, [&](Value position) {
              in.index[axis] = position;
              in.lane = chunk == 1 ? -1 : axis;
              in.width = chunk;
              return evalAll(in);
            });
        if (failed(part))
          return failure();
        part = reduceLanes(op, *part);
        if (failed(part))
          return failure();
        total = start == 0 ? part : combine(op, *total, *part);
        start = end;
      }
    }
    if (failed(total))
      return failure();
    for (auto [buffer, value] : llvm::zip(outputs, *total))
      writeBuffer(buffer, out, value);
    return success();
  };
  LogicalResult done = success();
  if (isInnermost) {
    // One output element at a time: its row is what is vectorized.
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
    done = body(at);
  } else {
    done = forEachVector(shape, input.getElementType(), body);
  }
  for (auto [result, buffer] : llvm::zip(op.getResults(), outputs))
    buffers[result] = buffer;
  return done;
}

} // namespace tilewright::cpu
