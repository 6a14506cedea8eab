//===- OperandEmitter.cpp - The operands of loops as tiles ----------------===//
#include "graph/lowering/OperandEmitter.h"

#include "graph/analysis/Access.h"
#include "graph/lowering/KernelFrame.h"
#include "graph/lowering/MemoryEmitter.h"
#include "graph/lowering/TileBuilders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::graph {

Box loopBox(KernelFrame &frame, linalg::GenericOp op, const Box &box) {
  Box loops;
  for (unsigned i = 0; i < op.getNumLoops(); ++i)
    loops.append(constantOffset(frame, 0), 1, 1);
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (auto [dim, subscript] : llvm::enumerate(out.getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(subscript)) {
      loops.offset[loop.getPosition()] = box.offset[dim];
      loops.size[loop.getPosition()] = box.size[dim];
      loops.step[loop.getPosition()] = box.step[dim];
    }
  return loops;
}

/// The value of a subscript at the first point of `loops`.
static Offset evaluate(KernelFrame &frame, AffineExpr subscript,
                       const Box &loops) {
  if (auto constant = dyn_cast<AffineConstantExpr>(subscript))
    return constantOffset(frame, constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(subscript))
    return loops.offset[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(subscript);
  if (subscript.getKind() == AffineExprKind::Add)
    return addOffsets(frame, evaluate(frame, binary.getLHS(), loops),
                      evaluate(frame, binary.getRHS(), loops));
  return scaleOffset(frame, evaluate(frame, binary.getLHS(), loops),
                     cast<AffineConstantExpr>(binary.getRHS()).getValue());
}

/// The loops of more than one point that `subscript` depends on.
static SmallVector<unsigned> wideLoops(AffineExpr subscript, const Box &loops) {
  SmallVector<unsigned> wide;
  for (unsigned loop = 0; loop < loops.rank(); ++loop)
    if (loops.size[loop] > 1 && subscript.isFunctionOfDim(loop))
      wide.push_back(loop);
  return wide;
}

/// The coefficient of `loop` in a linear subscript.
static int64_t coefficient(AffineExpr subscript, unsigned loop) {
  if (auto dim = dyn_cast<AffineDimExpr>(subscript))
    return dim.getPosition() == loop;
  auto binary = dyn_cast<AffineBinaryOpExpr>(subscript);
  if (!binary)
    return 0;
  const int64_t left = coefficient(binary.getLHS(), loop);
  return binary.getKind() == AffineExprKind::Add
             ? left + coefficient(binary.getRHS(), loop)
             : left * cast<AffineConstantExpr>(binary.getRHS()).getValue();
}

namespace {
/// The least and the greatest of the numbers in a tile.
struct Range {
  int64_t min, max;
};
} // namespace

/// Of subscripts; nothing where some op in their making is not followed.
static std::optional<Range> rangeOf(Value tile) {
  DenseIntElementsAttr constant;
  if (matchPattern(tile, m_Constant(&constant)) && constant.isSplat()) {
    const int64_t value = constant.getSplatValue<APInt>().getSExtValue();
    return Range{value, value};
  }
  Operation *op = tile.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  if (!type) {
    std::optional<int64_t> value = getConstantIntValue(tile);
    return value ? std::optional(Range{*value, *value}) : std::nullopt;
  }
  // Ops of the tile level that have no box and one operand of the same
  // elements move or repeat these; one without operands counts.
  if (op && isa<tile::TileDialect>(op->getDialect()) &&
      op->getNumRegions() == 0 && isMemoryEffectFree(op)) {
    if (op->getNumOperands() == 0)
      return Range{0, type.getNumElements() - 1};
    if (op->getNumOperands() == 1 &&
        getElementTypeOrSelf(op->getOperand(0)) == type.getElementType())
      return rangeOf(op->getOperand(0));
  }
  if (isa_and_nonnull<arith::IndexCastOp>(op) &&
      getElementTypeOrSelf(type).isIndex())
    return rangeOf(op->getOperand(0));
  if (!isa_and_nonnull<arith::AddIOp, arith::MaxSIOp, arith::MinSIOp>(op))
    return std::nullopt;
  constexpr Range any = {std::numeric_limits<int64_t>::min(),
                         std::numeric_limits<int64_t>::max()};
  std::optional<Range> a = rangeOf(op->getOperand(0)),
                       b = rangeOf(op->getOperand(1));
  if (isa<arith::AddIOp>(op)) {
    if (!a || !b || std::max(a->max, b->max) >= int64_t(1) << 40)
      return std::nullopt;
    Range sum{0, a->max + b->max};
    if (__builtin_add_overflow(a->min, b->min, &sum.min))
      return std::nullopt;
    return sum;
  }
  const Range x = a.value_or(any), y = b.value_or(any);
  return isa<arith::MaxSIOp>(op)
             ? Range{std::max(x.min, y.min), std::max(x.max, y.max)}
             : Range{std::min(x.min, y.min), std::min(x.max, y.max)};
}

/// Whether all of the subscripts are known to be in a dimension.
static bool areInside(Value subscripts, int64_t extent) {
  std::optional<Range> range = rangeOf(subscripts);
  return range && !ShapedType::isDynamic(extent) && range->min >= 0 &&
         range->max < extent;
}

FailureOr<Value> gather(KernelFrame &frame, Value tensor,
                        ArrayRef<Value> subscripts, ArrayRef<int64_t> shape) {
  Operation *producer = tensor.getDefiningOp();
  bool isInMemory = !producer || !isWrittenDown(producer);
  FailureOr<SymbolicShape> extents = frame.shapes.shapeOf(tensor);
  if (failed(extents))
    return failure();
  Value position = splat(frame, frame.builder.getIndexAttr(0), shape);
  Value mask;
  for (auto [d, subscript] : llvm::enumerate(subscripts)) {
    FailureOr<Value> extent =
        isInMemory ? FailureOr<Value>(tile::DimOp::create(
                         frame.builder, frame.loc, frame.viewOf(tensor), d))
                   : frame.sizeValue((*extents)[d]);
    if (failed(extent))
      return failure();
    Value all = broadcastScalar(frame, *extent, shape);
    if (!areInside(subscript,
                   cast<RankedTensorType>(tensor.getType()).getDimSize(d))) {
      Value inside = arith::CmpIOp::create(
          frame.builder, frame.loc, arith::CmpIPredicate::ult, subscript, all);
      mask = mask
                 ? arith::AndIOp::create(frame.builder, frame.loc, mask, inside)
                       .getResult()
                 : inside;
    }
    position = arith::MulIOp::create(frame.builder, frame.loc, position, all);
    position =
        arith::AddIOp::create(frame.builder, frame.loc, position, subscript);
  }
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  Value other;
  if (mask)
    other = splat(frame, frame.builder.getZeroAttr(element), shape);
  if (!isInMemory) {
    FailureOr<Value> content = emitContent(frame, tensor, shape);
    if (failed(content) || !mask)
      return content;
    return arith::SelectOp::create(frame.builder, frame.loc, mask, *content,
                                   other)
        .getResult();
  }
  auto pointer = tile::PtrType::get(frame.builder.getContext(), element);
  Value base = tile::BaseOp::create(frame.builder, frame.loc, pointer,
                                    frame.viewOf(tensor));
  Value bases = broadcastScalar(frame, base, shape);
  Value pointers = tile::OffsetOp::create(frame.builder, frame.loc,
                                          bases.getType(), bases, position);
  return tile::LoadPtrOp::create(frame.builder, frame.loc, pointers, mask,
                                 other)
      .getResult();
}

/// Reads an operand that a structured load cannot read.
static FailureOr<Value> emitGather(KernelFrame &frame, Value operand,
                                   AffineMap map, const Box &loops) {
  Operation *producer = operand.getDefiningOp();
  if (producer && frame.group.ops.contains(producer))
    return producer->emitError("this op is read through subscripts that a "
                               "tile load cannot express, and was fused");
  SmallVector<Value> subscripts;
  std::function<Value(AffineExpr)> build = [&](AffineExpr expr) -> Value {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return indexTile(frame, loops, dim.getPosition());
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return splat(frame, frame.builder.getIndexAttr(constant.getValue()),
                   loops.size);
    auto binary = cast<AffineBinaryOpExpr>(expr);
    Value lhs = build(binary.getLHS()), rhs = build(binary.getRHS());
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      return arith::AddIOp::create(frame.builder, frame.loc, lhs, rhs);
    case AffineExprKind::Mul:
      return arith::MulIOp::create(frame.builder, frame.loc, lhs, rhs);
    case AffineExprKind::FloorDiv:
      return arith::FloorDivSIOp::create(frame.builder, frame.loc, lhs, rhs);
    case AffineExprKind::CeilDiv:
      return arith::CeilDivSIOp::create(frame.builder, frame.loc, lhs, rhs);
    default:
      return arith::RemSIOp::create(frame.builder, frame.loc, lhs, rhs);
    }
  };
  for (AffineExpr subscript : map.getResults())
    subscripts.push_back(build(subscript));
  return gather(frame, operand, subscripts, loops.size);
}

/// The offset that a subscript `.. floordiv constant` of one point has; nothing
/// for other subscripts.
static std::optional<Offset>
quotientOf(KernelFrame &frame, AffineExpr subscript, const Box &loops) {
  auto quotient = dyn_cast<AffineBinaryOpExpr>(subscript);
  if (!quotient || quotient.getKind() != AffineExprKind::FloorDiv)
    return std::nullopt;
  auto loop = dyn_cast<AffineDimExpr>(quotient.getLHS());
  auto divisor = dyn_cast<AffineConstantExpr>(quotient.getRHS());
  if (!loop || !divisor || loops.size[loop.getPosition()] != 1)
    return std::nullopt;
  return divideOffset(frame, loops.offset[loop.getPosition()],
                      divisor.getValue());
}

/// The same, with the loop of more than one point that each dimension follows,
/// or -1.
static std::optional<Box> operandBox(KernelFrame &frame, AffineMap map,
                                     const Box &loops,
                                     SmallVectorImpl<int> &loopOfDim) {
  Box box;
  llvm::SmallBitVector seen(loops.rank());
  for (AffineExpr subscript : map.getResults()) {
    if (std::optional<Offset> offset = quotientOf(frame, subscript, loops)) {
      box.append(*offset, 1, 1);
      loopOfDim.push_back(-1);
      continue;
    }
    if (!isAffineAccess(AffineMap::get(map.getNumDims(), 0, subscript)))
      return std::nullopt;
    SmallVector<unsigned> wide = wideLoops(subscript, loops);
    if (wide.size() > 1 || (wide.size() == 1 && seen.test(wide[0])))
      return std::nullopt;
    Offset offset = evaluate(frame, subscript, loops);
    if (wide.empty()) {
      box.append(offset, 1, 1);
      loopOfDim.push_back(-1);
      continue;
    }
    seen.set(wide[0]);
    box.append(offset, loops.size[wide[0]],
               loops.step[wide[0]] * coefficient(subscript, wide[0]));
    loopOfDim.push_back(wide[0]);
  }
  return box;
}

std::optional<Box> operandBox(KernelFrame &frame, AffineMap map,
                              const Box &loops) {
  SmallVector<int> loopOfDim;
  return operandBox(frame, map, loops, loopOfDim);
}

FailureOr<Value> emitOrdered(KernelFrame &frame, Value operand, AffineMap map,
                             const Box &loops, ArrayRef<unsigned> order) {
  SmallVector<int> loopOfDim;
  std::optional<Box> box = operandBox(frame, map, loops, loopOfDim);
  SmallVector<int64_t> shape;
  for (unsigned loop : order)
    shape.push_back(map.isFunctionOfDim(loop) ? loops.size[loop] : 1);
  if (!box) {
    // A gathered tile covers all loops: those not wanted get one point.
    Box wanted = loops;
    SmallVector<int64_t> permutation;
    for (unsigned loop = 0; loop < loops.rank(); ++loop)
      if (!llvm::is_contained(order, loop)) {
        wanted.size[loop] = 1;
        permutation.push_back(loop);
      }
    FailureOr<Value> full = emitGather(frame, operand, map, wanted);
    if (failed(full))
      return failure();
    permutation.append(order.begin(), order.end());
    SmallVector<int64_t> ordered;
    for (unsigned loop : order)
      ordered.push_back(loops.size[loop]);
    return reshape(frame, transpose(frame, *full, permutation), ordered);
  }
  FailureOr<Value> tile = emitTile(frame, operand, *box);
  if (failed(tile))
    return failure();
  // Bring the dimensions into the wanted order, those of one point first.
  SmallVector<int64_t> permutation;
  for (auto [dim, loop] : llvm::enumerate(loopOfDim))
    if (loop < 0)
      permutation.push_back(dim);
  for (unsigned loop : order)
    for (auto [dim, dimLoop] : llvm::enumerate(loopOfDim))
      if (dimLoop == static_cast<int>(loop))
        permutation.push_back(dim);
  return reshape(frame, transpose(frame, *tile, permutation), shape);
}

FailureOr<Value> emitOperand(KernelFrame &frame, Value operand, AffineMap map,
                             const Box &loops) {
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, loops.rank()));
  FailureOr<Value> tile = emitOrdered(frame, operand, map, loops, order);
  if (failed(tile))
    return failure();
  return broadcast(frame, *tile, loops.size);
}

} // namespace tilewright::graph
