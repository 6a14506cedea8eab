//===- EmitReduce.cpp - Reductions along one dimension of tiles -----------===//
#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/Buffers.h"
#include "codegen/cpu/Combine.h"
#include "codegen/cpu/CpuOp.h"
#include "codegen/cpu/Elements.h"
#include "codegen/cpu/Loops.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

/// Combines the lanes of vectors by halves, down to scalars.
static FailureOr<Values> reduceLanes(tile::ReduceOp op, Values values,
                                     Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  while (auto type = dyn_cast<VectorType>(values[0].getType())) {
    int64_t half = type.getNumElements() / 2;
    Values low, high;
    for (Value value : values) {
      if (half == 1) {
        low.push_back(
            vector::ExtractOp::create(b, value, ArrayRef<int64_t>{0}));
        high.push_back(
            vector::ExtractOp::create(b, value, ArrayRef<int64_t>{1}));
        continue;
      }
      SmallVector<int64_t> first, second;
      for (int64_t lane = 0; lane < half; ++lane) {
        first.push_back(lane);
        second.push_back(half + lane);
      }
      low.push_back(vector::ShuffleOp::create(b, value, value, first));
      high.push_back(vector::ShuffleOp::create(b, value, value, second));
    }
    FailureOr<Values> halves = combine(op, low, high, e);
    if (failed(halves))
      return failure();
    values = *halves;
  }
  return values;
}

/// Combines body(i) for i in [first, end) by step, in so many chains that do
/// not wait for each other. There are at least as many steps as chains, and a
/// multiple of them.
static FailureOr<Values>
accumulate(tile::ReduceOp op, int64_t first, int64_t end, int64_t step,
           Emission &e, llvm::function_ref<FailureOr<Values>(Value)> body,
           int64_t chains = 1) {
  ImplicitLocOpBuilder &b = e.b;
  const size_t count = op.getNumResults();
  auto partOf = [&](ValueRange all, int64_t chain) {
    return llvm::to_vector(all.slice(size_t(chain) * count, count));
  };
  Values all;
  for (int64_t i = 0; i < chains; ++i) {
    FailureOr<Values> part = body(index(b, first + i * step));
    if (failed(part))
      return failure();
    llvm::append_range(all, *part);
  }
  if (first + chains * step < end) {
    auto loop = scf::ForOp::create(b, index(b, first + chains * step),
                                   index(b, end), index(b, chains * step), all);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Values sums;
    for (int64_t i = 0; i < chains; ++i) {
      Value at = loop.getInductionVar();
      FailureOr<Values> next =
          body(i == 0 ? at : add(b, at, index(b, i * step)));
      if (failed(next))
        return failure();
      FailureOr<Values> sum =
          combine(op, partOf(loop.getRegionIterArgs(), i), *next, e);
      if (failed(sum))
        return failure();
      llvm::append_range(sums, *sum);
    }
    scf::YieldOp::create(b, sums);
    all = Values(loop.getResults());
  }
  FailureOr<Values> total = partOf(all, 0);
  for (int64_t i = 1; i < chains && succeeded(total); ++i)
    total = combine(op, *total, partOf(all, i), e);
  return total;
}

/// Whether the elements are loaded, so that several of them at a time are
/// little code.
static bool isLoaded(Value tile, Emission &e) {
  return e.buffers.contains(tile) || tile.getDefiningOp<tile::LoadOp>();
}

/// All elements along the axis, a vector at a time, then the lanes.
static FailureOr<Values> reduceRow(tile::ReduceOp op, Lanes in, Emission &e) {
  auto input = cast<RankedTensorType>(op.getInputs()[0].getType());
  int64_t axis = op.getAxis(), length = input.getDimSize(axis);
  int64_t width = lanesFor(input.getElementType(), e.target);
  // A combination waits for the one before; so many fill that time.
  constexpr int64_t chains = 4;
  const int64_t inChains =
      llvm::all_of(op.getInputs(),
                   [&](Value each) { return isLoaded(each, e); })
          ? length / (chains * width) * chains * width
          : 0;
  FailureOr<Values> total = failure();
  for (int64_t start = 0; start < length;) {
    int64_t chunk = width, end = length / width * width;
    const bool isInChains = start == 0 && inChains > chains * width;
    if (isInChains) {
      end = inChains;
    } else if (start >= end) {
      chunk = llvm::bit_floor(static_cast<uint64_t>(length - start));
      end = start + chunk;
    }
    auto body = [&](Value position) {
      in.index[axis] = position;
      in.lane = chunk == 1 ? -1 : axis;
      in.width = chunk;
      return evalAll(op.getInputs(), in, e);
    };
    FailureOr<Values> part =
        accumulate(op, start, end, chunk, e, body, isInChains ? chains : 1);
    if (failed(part))
      return failure();
    part = reduceLanes(op, *part, e);
    if (failed(part))
      return failure();
    total = start == 0 ? part : combine(op, *total, *part, e);
    if (failed(total))
      return failure();
    start = end;
  }
  return total;
}

static LogicalResult emitReduce(tile::ReduceOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto input = cast<RankedTensorType>(op.getInputs()[0].getType());
  int64_t axis = op.getAxis(), length = input.getDimSize(axis);
  SmallVector<Buffer> outputs = allocateResults(op, e);
  bool isInnermost = true;
  for (int64_t d = axis + 1; d < input.getRank(); ++d)
    isInnermost &= input.getDimSize(d) == 1;
  auto body = [&](const Lanes &out) -> LogicalResult {
    // The same index in the input, with the axis put back in.
    Lanes in = out;
    in.index.insert(in.index.begin() + axis, index(b, 0));
    if (out.lane >= axis)
      in.lane = out.lane + 1;
    FailureOr<Values> total =
        isInnermost ? reduceRow(op, in, e)
                    : accumulate(op, 0, length, 1, e, [&](Value position) {
                        in.index[axis] = position;
                        return evalAll(op.getInputs(), in, e);
                      });
    if (failed(total))
      return failure();
    for (auto [buffer, value] : llvm::zip(outputs, *total))
      writeBuffer(b, buffer, out, value);
    return success();
  };
  // Where the axis is innermost, its row is what is vectorized.
  ArrayRef<int64_t> shape = outputs[0].shape;
  LogicalResult done =
      isInnermost ? forEachElement(shape, e, body)
                  : forEachVector(shape, input.getElementType(), e, body);
  hold(op.getResults(), outputs, e);
  return done;
}

/// All but the axis, which is left out.
static std::optional<unsigned> keptDim(OpOperand &operand, unsigned dim) {
  auto op = cast<tile::ReduceOp>(operand.getOwner());
  const auto axis = unsigned(op.getAxis());
  if (dim == axis || op->getNumResults() != 1)
    return std::nullopt;
  return dim < axis ? dim : dim - 1;
}

void addReduceOps(CpuOps &ops) {
  ops.add<tile::ReduceOp>({.emit = onOp(emitReduce), .resultDim = keptDim});
}

} // namespace tilewright::cpu
