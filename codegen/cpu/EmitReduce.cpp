//===- EmitReduce.cpp - Reductions along one dimension of tiles -----------===//
#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/Buffers.h"
#include "codegen/cpu/Combine.h"
#include "codegen/cpu/CpuOp.h"
#include "codegen/cpu/CpuTargets.h"
#include "codegen/cpu/Elements.h"
#include "codegen/cpu/Loops.h"
#include "codegen/cpu/Memory.h"
#include "codegen/numeric/FloatBits.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

namespace {
/// How the elements of a reduction are combined. A minimum or maximum of small
/// floats is that of f32, exactly. On x86 a maximum is the negated minimum of
/// the negated elements: ExpandMinMax.cpp says what each takes.
struct Combination {
  explicit Combination(tile::ReduceOp op, const CpuTarget &target);
  tile::ReduceOp reduction() const { return op; }

  bool isNegated = false;
  /// Whether elements may be combined twice.
  bool isIdempotent = false;
  /// The small floats; null if they are computed as they are.
  FloatType narrow;

private:
  tile::ReduceOp op;
};
} // namespace

/// What combines both arguments of the region, if that is all that it does.
static Operation *onlyOp(tile::ReduceOp op) {
  Block &body = op->getRegion(0).front();
  Operation &first = body.front();
  bool isAll = body.getNumArguments() == 2 && first.getNumResults() == 1 &&
               first.getNextNode() == body.getTerminator() &&
               body.getTerminator()->getOperand(0) == first.getResult(0) &&
               first.getNumOperands() == 2 &&
               llvm::all_of(body.getArguments(), [&](Value argument) {
                 return llvm::is_contained(first.getOperands(), argument);
               });
  return isAll ? &first : nullptr;
}

Combination::Combination(tile::ReduceOp op, const CpuTarget &target) : op(op) {
  Operation *only = onlyOp(op);
  isIdempotent =
      isa_and_nonnull<arith::MinimumFOp, arith::MaximumFOp, arith::MinNumFOp,
                      arith::MaxNumFOp, arith::MinSIOp, arith::MaxSIOp,
                      arith::MinUIOp, arith::MaxUIOp, arith::AndIOp,
                      arith::OrIOp>(only);
  if (!isa_and_nonnull<arith::MinimumFOp, arith::MaximumFOp>(only))
    return;
  Type element = only->getResult(0).getType();
  if (element.isF16() || element.isBF16())
    narrow = cast<FloatType>(element);
  auto maximum = dyn_cast<arith::MaximumFOp>(only);
  isNegated = maximum && maximum.getFastmath() == arith::FastMathFlags::none &&
              isX86(target) && (narrow || element.isF32() || element.isF64());
}

/// What the elements there bring in.
static FailureOr<Values> evalElements(const Combination &how, const Lanes &at,
                                      Emission &e) {
  FailureOr<Values> values = evalAll(how.reduction().getInputs(), at, e);
  if (failed(values))
    return failure();
  ImplicitLocOpBuilder &b = e.b;
  if (how.narrow)
    values->front() = numeric::FloatBits(b, b.getLoc())
                          .toFloat(values->front(), how.narrow, b.getF32Type());
  if (how.isNegated)
    values->front() = arith::NegFOp::create(b, values->front());
  return values;
}

static FailureOr<Values> combine(const Combination &how, ValueRange left,
                                 ValueRange right, Emission &e) {
  if (how.isNegated)
    return Values{arith::MinimumFOp::create(e.b, left[0], right[0])};
  if (!how.narrow)
    return combine(how.reduction().getOperation(), left, right, e);
  if (isa<arith::MinimumFOp>(onlyOp(how.reduction())))
    return Values{arith::MinimumFOp::create(e.b, left[0], right[0])};
  return Values{arith::MaximumFOp::create(e.b, left[0], right[0])};
}

/// The results of the reduction from what was combined.
static Values resultsOf(const Combination &how, Values values, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  if (how.isNegated)
    values[0] = arith::NegFOp::create(b, values[0]);
  if (how.narrow)
    values[0] = numeric::FloatBits(b, b.getLoc()).round(values[0], how.narrow);
  return values;
}

static int64_t lanesOf(ValueRange values) {
  auto type = dyn_cast<VectorType>(values[0].getType());
  return type ? type.getNumElements() : 1;
}

/// `count` lanes of each value from `first` on, and again from its first one.
static Values takeLanes(ValueRange values, int64_t first, int64_t count,
                        Emission &e) {
  SmallVector<int64_t> lanes;
  for (int64_t lane = 0; lane < count; ++lane)
    lanes.push_back((first + lane) % lanesOf(values));
  return llvm::map_to_vector(values, [&](Value value) -> Value {
    if (count == 1)
      return vector::ExtractOp::create(e.b, value, lanes);
    return vector::ShuffleOp::create(e.b, value, value, lanes);
  });
}

/// Combines the lanes of vectors by halves, down to so many.
static FailureOr<Values> reduceLanes(const Combination &how, Values values,
                                     int64_t lanes, Emission &e) {
  // The least that the instructions for minima of floats take.
  Type element = getElementTypeOrSelf(values[0]);
  const int64_t leastLanes = how.isIdempotent && isa<FloatType>(element)
                                 ? 128 / element.getIntOrFloatBitWidth()
                                 : 1;
  int64_t left = lanesOf(values);
  while (left > lanes) {
    const int64_t half = left / 2;
    const bool isKept = half < leastLanes;
    // Lanes that are left over are computed, too.
    const int64_t width = isKept ? lanesOf(values) : half;
    FailureOr<Values> halves = combine(how, takeLanes(values, 0, width, e),
                                       takeLanes(values, half, width, e), e);
    if (failed(halves))
      return failure();
    values = *halves;
    left = half;
  }
  return lanesOf(values) == lanes ? values : takeLanes(values, 0, lanes, e);
}

/// Combines body(i) for i in [first, end) by step, in so many chains that do
/// not wait for each other. There are at least as many steps as chains, and a
/// multiple of them.
static FailureOr<Values>
accumulate(const Combination &how, int64_t first, int64_t end, int64_t step,
           Emission &e, llvm::function_ref<FailureOr<Values>(Value)> body,
           int64_t chains = 1) {
  ImplicitLocOpBuilder &b = e.b;
  const size_t count = how.reduction().getNumResults();
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
          combine(how, partOf(loop.getRegionIterArgs(), i), *next, e);
      if (failed(sum))
        return failure();
      llvm::append_range(sums, *sum);
    }
    scf::YieldOp::create(b, sums);
    all = Values(loop.getResults());
  }
  FailureOr<Values> total = partOf(all, 0);
  for (int64_t i = 1; i < chains && succeeded(total); ++i)
    total = combine(how, *total, partOf(all, i), e);
  return total;
}

/// Whether the elements are loaded, perhaps through a few cheap ops, so that
/// several of them at a time are little code.
static bool isLittleCode(Value tile, Emission &e, int64_t mostOps = 3) {
  Operation *op = tile.getDefiningOp();
  if (e.buffers.contains(tile) || isa_and_nonnull<tile::LoadOp>(op))
    return true;
  if (!op || mostOps == 0 || !isLazy(op) ||
      !(rearrangesTile(op) || (isElementwise(op) && lookupOp(op)->cost <= 1)))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return !isa<RankedTensorType>(operand.getType()) ||
           isLittleCode(operand, e, mostOps - 1);
  });
}

/// The chains in which so many steps are accumulated. A combination waits for
/// the one before; so many fill that time.
static int64_t chainsFor(const Combination &how, int64_t steps, Emission &e) {
  tile::ReduceOp op = how.reduction();
  if (!llvm::all_of(op.getInputs(),
                    [&](Value each) { return isLittleCode(each, e); }))
    return 1;
  int64_t chains = op.getNumResults() == 1 ? 8 : 4;
  while (chains > 1 && steps < 2 * chains)
    chains /= 2;
  return chains;
}

/// All elements along the axis, a vector at a time, then the lanes.
static FailureOr<Values> reduceRow(const Combination &how, Lanes in,
                                   Emission &e) {
  tile::ReduceOp op = how.reduction();
  auto input = cast<RankedTensorType>(op.getInputs()[0].getType());
  const int64_t axis = op.getAxis(), length = input.getDimSize(axis);
  FailureOr<Values> total = failure();
  auto add = [&](int64_t start, int64_t end, int64_t width, int64_t chains) {
    auto body = [&](Value position) {
      in.index[axis] = position;
      in.lane = width == 1 ? -1 : axis;
      in.width = width;
      return evalElements(how, in, e);
    };
    FailureOr<Values> part =
        accumulate(how, start, end, width, e, body, chains);
    if (failed(total) || failed(part)) {
      total = part;
      return;
    }
    total = reduceLanes(how, *total, width, e);
    if (succeeded(total))
      total = combine(how, *total, *part, e);
  };
  for (int64_t start = 0; start < length;) {
    const int64_t width =
        std::min<int64_t>(lanesFor(input.getElementType(), e.target),
                          llvm::bit_floor(uint64_t(length - start)));
    const int64_t chains = chainsFor(how, (length - start) / width, e);
    const int64_t end =
        start + (length - start) / (width * chains) * (width * chains);
    add(start, end, width, chains);
    if (failed(total))
      return failure();
    start = end;
    // What is left is less than the lanes: the last vector has it, too.
    if (how.isIdempotent && start < length && length - start < width) {
      add(length - width, length, width, 1);
      start = length;
    }
  }
  return failed(total) ? total : reduceLanes(how, *total, 1, e);
}

/// The elements along the axis for each lane by itself.
static FailureOr<Values> reduceColumns(const Combination &how, Lanes in,
                                       Emission &e) {
  tile::ReduceOp op = how.reduction();
  auto input = cast<RankedTensorType>(op.getInputs()[0].getType());
  int64_t axis = op.getAxis(), length = input.getDimSize(axis);
  auto body = [&](Value position) {
    in.index[axis] = position;
    return evalElements(how, in, e);
  };
  const int64_t chains = chainsFor(how, length, e);
  const int64_t inChains = length / chains * chains;
  FailureOr<Values> total = accumulate(how, 0, inChains, 1, e, body, chains);
  if (failed(total) || inChains == length)
    return total;
  FailureOr<Values> rest = accumulate(how, inChains, length, 1, e, body);
  return failed(rest) ? rest : combine(how, *total, *rest, e);
}

/// The dimension of a tile along which its elements are side by side in memory,
/// where that is known. `seen`: tiles that were asked before.
static std::optional<unsigned> contiguousDim(Value tile, Emission &e,
                                             llvm::SmallDenseSet<Value> &seen) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  Operation *op = tile.getDefiningOp();
  if (!type || !op || !seen.insert(tile).second)
    return std::nullopt;
  const Buffer *buffer = e.buffers.find(tile);
  if (buffer || isa<tile::LoadOp>(op)) {
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      if (type.getDimSize(dim) > 1 &&
          (buffer ? buffer->strides[dim] == 1 : isContiguousLoad(tile, dim, e)))
        return dim;
    return std::nullopt;
  }
  if (std::optional<SmallVector<int>> dims = dimsOfSource(op)) {
    std::optional<unsigned> from = contiguousDim(op->getOperand(0), e, seen);
    const auto *found = from ? llvm::find(*dims, int(*from)) : dims->end();
    return found == dims->end()
               ? std::nullopt
               : std::optional(unsigned(found - dims->begin()));
  }
  if (isElementwise(op) && isLazy(op))
    for (Value operand : op->getOperands())
      if (std::optional<unsigned> dim = contiguousDim(operand, e, seen))
        return dim;
  return std::nullopt;
}

/// Whether a vector of elements along the axis would be gathered, and one along
/// the innermost dimension of the result is not.
static bool isAcrossMemory(tile::ReduceOp op, ArrayRef<int64_t> results,
                           Emission &e) {
  llvm::SmallDenseSet<Value> seen;
  std::optional<unsigned> dim = contiguousDim(op.getInputs()[0], e, seen);
  if (!dim || *dim == op.getAxis())
    return false;
  const unsigned inResult = *dim - (*dim > op.getAxis());
  return llvm::all_of(results.drop_front(inResult + 1),
                      [](int64_t size) { return size == 1; });
}

static LogicalResult emitReduce(tile::ReduceOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  const Combination how(op, e.target);
  auto input = cast<RankedTensorType>(op.getInputs()[0].getType());
  int64_t axis = op.getAxis();
  SmallVector<Buffer> outputs = allocateResults(op, e);
  ArrayRef<int64_t> shape = outputs[0].shape;
  bool isRow = !isAcrossMemory(op, shape, e);
  for (int64_t d = axis + 1; d < input.getRank(); ++d)
    isRow &= input.getDimSize(d) == 1;
  auto body = [&](const Lanes &out) -> LogicalResult {
    // The same index in the input, with the axis put back in.
    Lanes in = out;
    in.index.insert(in.index.begin() + axis, index(b, 0));
    if (out.lane >= axis)
      in.lane = out.lane + 1;
    FailureOr<Values> total =
        isRow ? reduceRow(how, in, e) : reduceColumns(how, in, e);
    if (failed(total))
      return failure();
    for (auto [buffer, value] : llvm::zip(outputs, resultsOf(how, *total, e)))
      writeBuffer(b, buffer, out, value);
    return success();
  };
  // Where the axis is innermost, its row is what is vectorized.
  LogicalResult done =
      isRow ? forEachElement(shape, e, body)
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
