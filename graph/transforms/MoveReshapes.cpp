//===- MoveReshapes.cpp - Reshapes behind elementwise ops -----------------===//
#include "graph/analysis/Access.h"
#include "graph/analysis/Blocks.h"
#include "graph/transforms/Build.h"
#include "graph/transforms/Passes.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_MOVERESHAPES
#include "graph/transforms/Passes.h.inc"

namespace {
/// An elementwise function of the elements of one tensor, which reshapes and
/// transpositions bring to it from the op that computes them.
struct Function {
  linalg::GenericOp op;
  OpOperand *input = nullptr;
  /// From `input` to the first one.
  SmallVector<Operation *> moves;
  Value source;
};
} // namespace

/// Whether nothing but one operand reads elements of the tensor.
static bool hasOneReader(Value tensor) {
  return llvm::count_if(tensor.getUses(), readsContent) == 1;
}

/// The loops that the operand's dimensions are, where each is one of the op;
/// dimensions of one element, which are read at 0, are loops of one step.
static std::optional<AffineMap> loopsOf(linalg::GenericOp op,
                                        OpOperand *operand) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  if (map.getNumResults() != map.getNumDims())
    return std::nullopt;
  const SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<AffineExpr> subscripts(map.getResults());
  unsigned loop = 0;
  for (AffineExpr &each : subscripts) {
    if (!isa<AffineConstantExpr>(each))
      continue;
    while (loop < ranges.size() &&
           (ranges[loop] != 1 || map.isFunctionOfDim(loop)))
      ++loop;
    if (loop == ranges.size())
      return std::nullopt;
    each = getAffineDimExpr(loop++, op.getContext());
  }
  AffineMap result =
      AffineMap::get(map.getNumDims(), 0, subscripts, op.getContext());
  return result.isPermutation() ? std::optional(result) : std::nullopt;
}

/// What a reshape or a transposition moves; null for other ops.
static Value movedBy(Operation *op) {
  if (auto reshape = dyn_cast_or_null<tensor::ReshapeOp>(op))
    return reshape.getSource();
  if (!op || !isPureCopy(op))
    return {};
  auto copy = cast<linalg::GenericOp>(op);
  OpOperand *input = copy.getDpsInputOperand(0);
  return copy.getNumDpsInputs() == 1 && loopsOf(copy, input) &&
                 loopsOf(copy, copy.getDpsInitOperand(0))
             ? input->get()
             : Value();
}

/// The only input of the op that is no scalar; null if there are others, or
/// elements depend on where they are.
static OpOperand *inputOf(linalg::GenericOp op) {
  if (!isElementwise(op) || isPureCopy(op) ||
      !op.getBody()->getOps<linalg::IndexOp>().empty() ||
      !loopsOf(op, op.getDpsInitOperand(0)))
    return nullptr;
  OpOperand *found = nullptr;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (op.getMatchingIndexingMap(input).getNumResults() == 0)
      continue;
    if (found || !loopsOf(op, input))
      return nullptr;
    found = input;
  }
  return found;
}

static unsigned bitsOf(Value tensor) {
  Type element = getElementTypeOrSelf(tensor.getType());
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

/// The function that `op` computes, if its elements pass a reshape.
static std::optional<Function> functionOf(linalg::GenericOp op) {
  Function function{op, inputOf(op), {}, {}};
  if (!function.input)
    return std::nullopt;
  Value source = function.input->get();
  bool hasReshape = false;
  while (hasOneReader(source)) {
    Operation *move = source.getDefiningOp();
    Value moved = movedBy(move);
    if (!moved || move->getBlock() != op->getBlock())
      break;
    hasReshape |= isa<tensor::ReshapeOp>(move);
    function.moves.push_back(move);
    source = moved;
  }
  Operation *computes = source.getDefiningOp();
  if (!hasReshape || !hasOneReader(source) ||
      !isa_and_nonnull<linalg::GenericOp>(computes) || isPureCopy(computes) ||
      computes->getBlock() != op->getBlock() ||
      bitsOf(op->getResult(0)) > bitsOf(source))
    return std::nullopt;
  function.source = source;
  return function;
}

/// Whether all that the function reads besides its input is known at `place`.
static bool isKnownAt(const Function &function, Operation *place) {
  linalg::GenericOp op = function.op;
  SetVector<Value> values;
  getUsedValuesDefinedAbove(op->getRegions(), values);
  values.insert_range(op.getDpsInputs());
  values.remove(function.input->get());
  return llvm::all_of(values, [&](Value value) {
    Operation *computes = value.getDefiningOp();
    // What is not in the block comes from outside of it.
    return !computes || computes->getBlock() != place->getBlock() ||
           computes->isBeforeInBlock(place);
  });
}

/// The function of the source's elements: behind the op that computes them, if
/// possible.
static Value computeAtSource(const Function &function) {
  linalg::GenericOp op = function.op;
  Operation *computes = function.source.getDefiningOp();
  OpBuilder b(op);
  if (isKnownAt(function, computes))
    b.setInsertionPointAfter(computes);
  auto from = cast<RankedTensorType>(function.source.getType());
  const auto type =
      from.clone(getElementTypeOrSelf(op->getResult(0).getType()));
  SmallVector<Read> reads;
  for (OpOperand *input : op.getDpsInputOperands())
    reads.push_back(
        input == function.input
            ? Read{function.source,
                   b.getMultiDimIdentityMap(unsigned(from.getRank()))}
            : Read{input->get(), AffineMap::get(unsigned(from.getRank()), 0,
                                                b.getContext())});
  return buildElementwise(
      b, op.getLoc(), type,
      tensor::getMixedSizes(b, op.getLoc(), function.source), reads,
      [&](OpBuilder &body, Location, ValueRange elements) {
        IRMapping mapping;
        mapping.map(op.getBody()->getArguments().take_front(elements.size()),
                    elements);
        return cloneBody(body, *op.getBody(), mapping).front();
      });
}

/// The elements of `value` where the op has those of `input` in its result.
static Value transpose(OpBuilder &b, linalg::GenericOp op, OpOperand *input,
                       Value value) {
  // Of the result's dimensions.
  AffineMap map = loopsOf(op, input)->compose(
      inversePermutation(*loopsOf(op, op.getDpsInitOperand(0))));
  if (map.isIdentity())
    return value;
  auto from = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, op.getLoc(), value);
  SmallVector<int64_t> shape(sizes.size());
  SmallVector<OpFoldResult> ordered(sizes.size());
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    shape[map.getDimPosition(dim)] = from.getDimSize(dim);
    ordered[map.getDimPosition(dim)] = sizes[dim];
  }
  return buildElementwise(
      b, op.getLoc(), from.clone(shape), ordered, Read{value, map},
      [](OpBuilder &, Location, ValueRange elements) { return elements[0]; });
}

/// Replaces the op: its function comes first, then the moves.
static void move(const Function &function) {
  linalg::GenericOp op = function.op;
  OpBuilder b(op);
  Value value = computeAtSource(function);
  for (Operation *each : llvm::reverse(function.moves)) {
    if (auto reshape = dyn_cast<tensor::ReshapeOp>(each)) {
      auto type = cast<RankedTensorType>(reshape.getType());
      value = tensor::ReshapeOp::create(
          b, each->getLoc(), type.clone(getElementTypeOrSelf(value.getType())),
          value, reshape.getShape());
      continue;
    }
    auto copy = cast<linalg::GenericOp>(each);
    value = transpose(b, copy, copy.getDpsInputOperand(0), value);
  }
  value = transpose(b, op, function.input, value);
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  for (Operation *each : function.moves)
    if (each->use_empty())
      each->erase();
}

namespace {
struct MoveReshapes : impl::MoveReshapesBase<MoveReshapes> {
  using MoveReshapesBase::MoveReshapesBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal())
        continue;
      for (auto op : graphOps<linalg::GenericOp>(func))
        if (std::optional<Function> function = functionOf(op)) {
          move(*function);
          ++movedCount;
        }
    }
  }
};
} // namespace

} // namespace tilewright::graph
