//===- EmitReduce.cpp - Reductions along one dimension of tiles -----------===//
#include "codegen/cpu/TileEmitter.h"

using namespace mlir;

namespace tilewright::cpu {

/// The results of the op's region for vectors (or scalars) of left and right
/// elements.
FailureOr<TileEmitter::Values> TileEmitter::combine(Operation *op,
                                                    ValueRange left,
                                                    ValueRange right,
                                                    int64_t missing) {
  Block &body = op->getRegion(0).front();
  IRMapping mapping;
  unsigned count = left.size();
  int64_t width = 1;
  if (auto type = dyn_cast<VectorType>(left[0].getType()))
    width = type.getNumElements();
  for (unsigned i = 0; i < count; ++i) {
    mapping.map(body.getArgument(i), left[i]);
    mapping.map(body.getArgument(count + i), right[i]);
  }
  for (Operation &inner : body.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
      mapping.map(constant.getResult(),
                  splat(constantOf(constant.getValue()), width));
      continue;
    }
    if (!isElementwise(&inner))
      return inner.emitError("this op is not lowered for the cpu target inside "
                             "a ")
             << op->getName();
    Values operands;
    for (Value operand : inner.getOperands()) {
      Value mapped = mapping.lookupOrNull(operand);
      operands.push_back(mapped ? mapped
                                : splat(scalars.lookup(operand), width));
    }
    for (Value result : inner.getResults()) {
      FailureOr<Value> value =
          createElementwise(result, operands, {width, missing});
      if (failed(value))
        return failure();
      mapping.map(result, *value);
    }
  }
  Values results;
  for (Value yielded : body.getTerminator()->getOperands()) {
    Value mapped = mapping.lookupOrNull(yielded);
    results.push_back(mapped ? mapped : splat(scalars.lookup(yielded), width));
  }
  return results;
}

/// The same elements of several tiles.
FailureOr<TileEmitter::Values> TileEmitter::evalAll(ValueRange tiles,
                                                    const Lanes &at) {
  SmallVector<Memo> outer;
  std::swap(memo, outer);
  Values values;
  for (Value tile : tiles) {
    FailureOr<Value> value = eval(tile, at);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  std::swap(memo, outer);
  return values;
}

/// A buffer for each tile among the op's results.
SmallVector<Buffer> TileEmitter::allocateResults(Operation *op) {
  SmallVector<Buffer> results;
  for (Type result : op->getResultTypes())
    if (auto type = dyn_cast<RankedTensorType>(result))
      results.push_back(allocate(type.getShape(), type.getElementType()));
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

/// Combines body(i) for i in [first, end) by step.
FailureOr<TileEmitter::Values>
TileEmitter::accumulate(tile::ReduceOp op, int64_t first, int64_t end,
                        int64_t step, int64_t missing,
                        llvm::function_ref<FailureOr<Values>(Value)> body) {
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
  FailureOr<Values> sum = combine(op, loop.getRegionIterArgs(), *next, missing);
  if (failed(sum))
    return failure();
  scf::YieldOp::create(b, loc, *sum);
  return Values(loop.getResults());
}

/// All elements along the axis, a vector at a time, then the lanes.
FailureOr<TileEmitter::Values> TileEmitter::reduceRow(tile::ReduceOp op,
                                                      Lanes in) {
  auto input = cast<RankedTensorType>(op.getInputs()[0].getType());
  int64_t axis = op.getAxis(), length = input.getDimSize(axis);
  int64_t width = lanesFor(input.getElementType());
  FailureOr<Values> total = failure();
  for (int64_t start = 0; start < length;) {
    int64_t chunk = width, end = length / width * width;
    if (start >= end) {
      chunk = llvm::bit_floor(static_cast<uint64_t>(length - start));
      end = start + chunk;
    }
    FailureOr<Values> part =
        accumulate(op, start, end, chunk, 0, [&](Value position) {
          in.index[axis] = position;
          in.lane = chunk == 1 ? -1 : axis;
          in.width = chunk;
          return evalAll(op.getInputs(), in);
        });
    if (failed(part))
      return failure();
    part = reduceLanes(op, *part);
    if (failed(part))
      return failure();
    total = start == 0 ? part : combine(op, *total, *part);
    if (failed(total))
      return failure();
    start = end;
  }
  return total;
}

LogicalResult TileEmitter::emitReduce(tile::ReduceOp op) {
  auto input = cast<RankedTensorType>(op.getInputs()[0].getType());
  int64_t axis = op.getAxis(), length = input.getDimSize(axis);
  SmallVector<Buffer> outputs = allocateResults(op);
  bool isInnermost = true;
  for (int64_t d = axis + 1; d < input.getRank(); ++d)
    isInnermost &= input.getDimSize(d) == 1;
  auto body = [&](const Lanes &out) -> LogicalResult {
    // The same place in the input, with the axis put back in.
    Lanes in = out;
    in.index.insert(in.index.begin() + axis, index(0));
    if (out.lane >= axis)
      in.lane = out.lane + 1;
    FailureOr<Values> total =
        isInnermost
            ? reduceRow(op, in)
            : accumulate(op, 0, length, 1, out.missing, [&](Value position) {
                in.index[axis] = position;
                return evalAll(op.getInputs(), in);
              });
    if (failed(total))
      return failure();
    for (auto [buffer, value] : llvm::zip(outputs, *total))
      writeBuffer(buffer, out, value);
    return success();
  };
  // Where the axis is innermost, its row is what is vectorized.
  ArrayRef<int64_t> shape = outputs[0].shape;
  LogicalResult done = isInnermost
                           ? forEachElement(shape, body)
                           : forEachVector(shape, input.getElementType(), body);
  bind(op.getResults(), outputs, {});
  return done;
}

} // namespace tilewright::cpu
