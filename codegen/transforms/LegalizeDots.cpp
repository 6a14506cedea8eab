//===- LegalizeDots.cpp - Dots of elements that threads multiply ----------===//
#include "codegen/transforms/Instructions.h"
#include "codegen/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilewright/mlir/Tile.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_LEGALIZEDOTS
#include "codegen/transforms/Passes.h.inc"

namespace {
struct LegalizeDots : impl::LegalizeDotsBase<LegalizeDots> {
  void runOnOperation() override;
};
} // namespace

static RankedTensorType withElement(Value tile, Type element) {
  return cast<RankedTensorType>(tile.getType()).clone(element);
}

/// A float tile as exact numbers of a wider type.
static Value converted(OpBuilder &builder, Location loc, Value tile,
                       Type element) {
  return tile::ConvertOp::create(builder, loc, withElement(tile, element),
                                 tile);
}

// f16 and bf16 hold all 8-bit floats that are operands, and an accumulator of
// bf16 takes no f16.
Type widenedElement(Type element, Type acc) {
  const unsigned bits = element.getIntOrFloatBitWidth();
  if (isa<FloatType>(element))
    return bits >= 16     ? element
           : acc.isBF16() ? acc
                          : Type(Float16Type::get(acc.getContext()));
  return bits >= 8 ? element : IntegerType::get(acc.getContext(), 8);
}

static Value widened(OpBuilder &builder, tile::DotOp op, Value tile,
                     bool isUnsigned) {
  Location loc = op.getLoc();
  const Type element = getElementTypeOrSelf(tile.getType());
  const Type wide =
      widenedElement(element, getElementTypeOrSelf(op.getAcc().getType()));
  if (wide == element)
    return tile;
  if (isa<FloatType>(element))
    return converted(builder, loc, tile, wide);
  RankedTensorType type = withElement(tile, wide);
  if (isUnsigned)
    return arith::ExtUIOp::create(builder, loc, type, tile);
  return arith::ExtSIOp::create(builder, loc, type, tile);
}

void widenOperands(tile::ContractionOpInterface contraction) {
  auto op = cast<tile::DotOp>(contraction.getOperation());
  OpBuilder builder(op);
  op.getLhsMutable().assign(
      widened(builder, op, op.getLhs(), op.getLhsUnsigned()));
  op.getRhsMutable().assign(
      widened(builder, op, op.getRhs(), op.getRhsUnsigned()));
  if (op.getPrecision() == tile::DotPrecision::fast)
    op.setPrecision(tile::DotPrecision::ieee);
}

/// Each element times the scale of its block along `dim`, in f32: a number of
/// at most 4 significant bits times a power of two, or two such numbers.
static Value scaled(OpBuilder &builder, Location loc, Value tile, Value scale,
                    int64_t block, int64_t dim) {
  Type f32 = builder.getF32Type();
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(scale.getType()).getShape());
  shape.insert(shape.begin() + dim + 1, 1);
  scale = converted(builder, loc, scale, f32);
  scale = tile::ReshapeOp::create(builder, loc,
                                  RankedTensorType::get(shape, f32), scale);
  shape[dim + 1] = block;
  scale = tile::BroadcastOp::create(builder, loc,
                                    RankedTensorType::get(shape, f32), scale);
  RankedTensorType type = withElement(tile, f32);
  scale = tile::ReshapeOp::create(builder, loc, type, scale);
  return arith::MulFOp::create(builder, loc, converted(builder, loc, tile, f32),
                               scale);
}

static void widen(tile::ScaledDotOp op) {
  OpBuilder builder(op);
  int64_t rank = cast<RankedTensorType>(op.getType()).getRank();
  Value lhs = scaled(builder, op.getLoc(), op.getLhs(), op.getLhsScale(),
                     op.getBlockSize(), rank - 1);
  Value rhs = scaled(builder, op.getLoc(), op.getRhs(), op.getRhsScale(),
                     op.getBlockSize(), rank - 2);
  auto dot = tile::DotOp::create(builder, op.getLoc(), op.getType(), lhs, rhs,
                                 op.getAcc());
  dot->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.replaceAllUsesWith(dot.getResult());
  op.erase();
}

void LegalizeDots::runOnOperation() {
  SmallVector<tile::DotOp> dots;
  SmallVector<tile::ScaledDotOp> scaledDots;
  getOperation().walk([&](Operation *op) {
    if (auto dot = dyn_cast<tile::DotOp>(op); dot && !instructionOf(dot))
      dots.push_back(dot);
    if (auto dot = dyn_cast<tile::ScaledDotOp>(op))
      scaledDots.push_back(dot);
  });
  for (tile::DotOp dot : dots)
    widenOperands(dot);
  for (tile::ScaledDotOp dot : scaledDots)
    widen(dot);
}

} // namespace tilewright::tilegpu
