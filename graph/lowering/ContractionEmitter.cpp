//===- ContractionEmitter.cpp - Products of matrices as dots --------------===//
#include "graph/lowering/ContractionEmitter.h"

#include "graph/analysis/Access.h"
#include "graph/lowering/BodyEmitter.h"
#include "graph/lowering/KernelFrame.h"
#include "graph/lowering/OperandEmitter.h"
#include "graph/lowering/ReductionLoops.h"
#include "graph/lowering/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "tileir/ir/Precision.h"

using namespace mlir;

namespace tilewright::graph {

/// Can a load of this operand's overrun only return zeros?
static bool readsZeroBeyondEnd(Value operand, const Group &group) {
  Operation *op = operand.getDefiningOp();
  if (!op || !group.ops.contains(op))
    return !isSplatConstant(operand);
  auto pad = dyn_cast<tensor::PadOp>(op);
  return pad && readsZeroBeyondEnd(pad.getSource(), group) &&
         pad.getConstantPaddingValue() &&
         matchPattern(pad.getConstantPaddingValue(), m_AnyZeroFloat());
}

namespace {
/// How the loops of a product become the dimensions of a dot, with the number
/// of points of each. A list of loops has one for each dimension of a tile.
struct DotLoops {
  DotLoops(linalg::GenericOp op, const Box &loops);

  /// The shape of a tile with these two dimensions, and the batch if any.
  SmallVector<int64_t> shaped(int64_t a, int64_t b) const {
    return isBatched ? SmallVector<int64_t>{batch, a, b}
                     : SmallVector<int64_t>{a, b};
  }

  /// Which inputs of the op are the sides of the dot.
  unsigned lhs, rhs;
  /// Of both sides and of the result, in the order that dot requires.
  SmallVector<unsigned> lhsOrder, rhsOrder, outOrder;
  bool isBatched;
  int64_t batch, rows, columns, depth;
};
} // namespace

DotLoops::DotLoops(linalg::GenericOp op, const Box &loops) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  // Which loops are rows (lhs), columns (rhs), depth, or in both sides.
  SmallVector<unsigned> side[2], deep, both;
  for (unsigned loop = 0; loop < loops.rank(); ++loop) {
    if (loops.size[loop] == 1)
      continue;
    bool inLhs = maps[0].isFunctionOfDim(loop);
    bool inRhs = maps[1].isFunctionOfDim(loop);
    if (op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction)
      deep.push_back(loop);
    else if (inLhs && inRhs)
      both.push_back(loop);
    else
      side[inLhs ? 0 : 1].push_back(loop);
  }
  // The side with the innermost loop of the result has the columns.
  rhs = side[0].empty()                   ? 1
        : side[1].empty()                 ? 0
        : side[1].back() > side[0].back() ? 1
                                          : 0;
  lhs = 1 - rhs;
  lhsOrder = llvm::to_vector(llvm::concat<unsigned>(both, side[lhs], deep));
  rhsOrder = llvm::to_vector(llvm::concat<unsigned>(both, deep, side[rhs]));
  outOrder =
      llvm::to_vector(llvm::concat<unsigned>(both, side[lhs], side[rhs]));
  auto count = [&](ArrayRef<unsigned> list) {
    int64_t points = 1;
    for (unsigned loop : list)
      points *= loops.size[loop];
    return points;
  };
  isBatched = !both.empty();
  batch = count(both);
  rows = count(side[lhs]);
  columns = count(side[rhs]);
  depth = count(deep);
}

/// Input `which` as the body multiplies it, with zeros beyond the end.
static FailureOr<Value> operandTile(KernelFrame &frame, linalg::GenericOp op,
                                    unsigned which, ArrayRef<unsigned> order,
                                    const Box &current) {
  OpOperand *input = op.getDpsInputOperand(which);
  FailureOr<Value> tile = emitOrdered(
      frame, input->get(), op.getIndexingMapsArray()[which], current, order);
  if (failed(tile))
    return failure();
  if (!readsZeroBeyondEnd(input->get(), frame.group)) {
    Type element = cast<RankedTensorType>(tile->getType()).getElementType();
    tile = maskOverrun(frame, op, current, order, *tile,
                       cast<TypedAttr>(frame.builder.getZeroAttr(element)));
    if (failed(tile))
      return failure();
  }
  // The body may widen its inputs before the multiplication.
  BlockArgument argument = op.getMatchingBlockArgument(input);
  if (argument.getType() == matchAccumulation(op)->element.getType())
    return tile;
  Operation *cast = *argument.user_begin();
  Box shape;
  for (int64_t size : mlir::cast<RankedTensorType>(tile->getType()).getShape())
    shape.append(constantOffset(frame, 0), size, 1);
  return emitBodyOp(frame, cast, ValueRange(*tile), shape);
}

/// Back to the order of the result's dimensions.
static Value resultTile(KernelFrame &frame, linalg::GenericOp op,
                        const DotLoops &dot, Value tile, const Box &box) {
  SmallVector<int64_t> permutation;
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr subscript : out.getResults())
    for (auto [dim, loop] : llvm::enumerate(dot.outOrder))
      if (subscript == frame.builder.getAffineDimExpr(loop))
        permutation.push_back(dim);
  if (!llvm::is_sorted(permutation))
    tile =
        tile::TransposeOp::create(frame.builder, frame.loc, tile, permutation);
  return reshape(frame, tile, box.size);
}

/// A tile of integers of another width; narrow ones are signed.
static Value resized(KernelFrame &frame, Value tile, Type element) {
  auto type = cast<RankedTensorType>(tile.getType());
  const unsigned from = type.getElementTypeBitWidth();
  const unsigned to = element.getIntOrFloatBitWidth();
  if (from == to)
    return tile;
  Type wanted = type.clone(element);
  if (from < to)
    return arith::ExtSIOp::create(frame.builder, frame.loc, wanted, tile);
  return arith::TruncIOp::create(frame.builder, frame.loc, wanted, tile);
}

/// The integers that an operand extends, and whether they are unsigned: a dot
/// widens them itself. Other operands are what they are.
static std::pair<Value, bool> beforeExtension(Value operand) {
  Operation *op = operand.getDefiningOp();
  const bool isSigned = isa_and_nonnull<arith::ExtSIOp>(op),
             isUnsigned = isa_and_nonnull<arith::ExtUIOp>(op);
  if (!isSigned && !isUnsigned)
    return {operand, false};
  Value narrow = op->getOperand(0);
  constexpr unsigned leastBits = 4;
  return getElementTypeOrSelf(narrow.getType()).getIntOrFloatBitWidth() <
                 leastBits
             ? std::pair(operand, false)
             : std::pair(narrow, isUnsigned);
}

FailureOr<Value> emitContraction(KernelFrame &frame, linalg::GenericOp op,
                                 const Box &box, const ProductHooks &hooks) {
  Box loops = loopBox(frame, op, box);
  SmallVector<unsigned> reductions = reductionLoops(op);
  for (unsigned loop : reductions)
    loops.size[loop] = frame.sizes.steps[op][loop];
  const DotLoops dot(op, loops);

  Box parallel = loops;
  for (unsigned loop : reductions)
    parallel.size[loop] = 1;
  OpOperand *init = op.getDpsInitOperand(0);
  FailureOr<Value> initial =
      emitOrdered(frame, init->get(), op.getMatchingIndexingMap(init), parallel,
                  dot.outOrder);
  if (failed(initial))
    return failure();
  SmallVector<int64_t> outShape;
  for (unsigned loop : dot.outOrder)
    outShape.push_back(loops.size[loop]);
  initial = reshape(frame, broadcast(frame, *initial, outShape),
                    dot.shaped(dot.rows, dot.columns));
  // A dot adds integers up in 32 bits at least; the last bits of the sum are
  // those of a sum in fewer.
  const Type element = getElementTypeOrSelf(initial->getType());
  const bool isNarrow =
      element.isInteger() && element.getIntOrFloatBitWidth() < 32;
  if (isNarrow)
    initial = resized(frame, *initial, frame.builder.getI32Type());

  auto step = [&](const Box &current,
                  const Tiles &carried) -> FailureOr<Tiles> {
    Tiles next = carried;
    if (hooks.before) {
      Tiles others(llvm::drop_begin(carried));
      FailureOr<Value> sums = hooks.before(current, carried[0], others);
      if (failed(sums))
        return failure();
      next = {*sums};
      llvm::append_range(next, others);
    }
    FailureOr<Value> a = operandTile(frame, op, dot.lhs, dot.lhsOrder, current);
    FailureOr<Value> b = operandTile(frame, op, dot.rhs, dot.rhsOrder, current);
    if (failed(a) || failed(b))
      return failure();
    auto [left, isLeftUnsigned] = beforeExtension(*a);
    auto [right, isRightUnsigned] = beforeExtension(*b);
    Value lhs = reshape(frame, left, dot.shaped(dot.rows, dot.depth));
    Value rhs = reshape(frame, right, dot.shaped(dot.depth, dot.columns));
    auto product =
        tile::DotOp::create(frame.builder, frame.loc, lhs, rhs, next[0]);
    product.setLhsUnsigned(isLeftUnsigned);
    product.setRhsUnsigned(isRightUnsigned);
    if (tile::multipliesF32(product))
      product.setPrecision(frame.precision);
    next[0] = product;
    return next;
  };
  Tiles start = {*initial};
  llvm::append_range(start, hooks.carried);
  FailureOr<Tiles> result =
      frame.sizes.joinsLoops
          ? emitJoinedLoops(frame, op, loops, reductions, start, step)
          : emitLoops(frame, op, loops, reductions, start, step, hooks.end);
  if (failed(result))
    return failure();
  Value sum = (*result)[0];
  if (hooks.after) {
    FailureOr<Value> made = hooks.after(sum, Tiles(llvm::drop_begin(*result)));
    if (failed(made))
      return failure();
    sum = *made;
  }
  if (isNarrow)
    sum = resized(frame, sum, element);
  Value tile = reshape(frame, sum, outShape);
  return resultTile(frame, op, dot, tile, box);
}

} // namespace tilewright::graph
