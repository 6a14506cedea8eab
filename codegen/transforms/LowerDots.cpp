//===- LowerDots.cpp - Operands of dots to shared memory ------------------===//
#include "codegen/layout/MatrixAccess.h"
#include "codegen/tilegpu/DotOperand.h"
#include "codegen/tilegpu/MatrixProduct.h"
#include "codegen/transforms/Instructions.h"
#include "codegen/transforms/Passes.h"
#include "codegen/transforms/SharedTiles.h"
#include "support/Format.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_LOWERDOTS
#include "codegen/transforms/Passes.h.inc"

namespace {
struct LowerDots : impl::LowerDotsBase<LowerDots> {
  void runOnOperation() override;
};
} // namespace

/// Stores an operand to shared memory, in a layout that serves both the threads
/// that have it and those that hold the accumulators.
static FailureOr<Value> inShared(tile::DotOp op, Value tile,
                                 tilegpu::DotSide side) {
  auto type = cast<RankedTensorType>(tile.getType());
  ArrayRef<int64_t> lhs =
      cast<RankedTensorType>(op.getLhs().getType()).getShape();
  StatusOr<tilegpu::DotOperand> operand =
      tilegpu::dotOperand(tilegpu::layoutOf(op.getType()), side, lhs.back());
  if (!operand.ok())
    return op.emitError() << "tile.dot: " << operand.status().message();
  layout::ConversionOptions options;
  options.elementBits = tilegpu::elementBits(type.getElementType());
  options.shape = tilegpu::toDims(type.getShape());
  options.throughShared = true;
  StatusOr<layout::ConversionPlan> plan =
      layout::planConversion(tilegpu::layoutOf(type), operand->layout, options);
  if (!plan.ok())
    return op.emitError() << "tile.dot: " << plan.status().message();
  StatusOr<layout::Layout> memory = wholeMemory(*plan);
  if (!memory.ok())
    return op.emitError() << "tile.dot: " << memory.status().message();
  return storedToShared(tile, *memory, op);
}

/// Stores an operand in memory from which ldmatrix brings `fragments`.
static FailureOr<Value> inMatrices(tile::DotOp op, Value tile,
                                   const layout::Layout &fragments) {
  auto type = cast<RankedTensorType>(tile.getType());
  StatusOr<layout::MatrixMemory> found = layout::matrixMemory(
      layoutOf(type), fragments, elementBits(type.getElementType()));
  if (!found.ok())
    return op.emitError() << "tile.dot: " << found.status().message();
  if (!found->takesStored) {
    OpBuilder builder(op);
    tile = ConvertLayoutOp::create(builder, op.getLoc(),
                                   withLayout(type, fragments), tile);
  }
  return storedToShared(tile, found->memory, op);
}

/// lhs as fragments in registers, where that costs nothing in a loop: the
/// threads have them, or load them before it. Else in shared memory.
static FailureOr<Value> lhsOf(tile::DotOp op, const layout::Layout &fragments) {
  Value lhs = op.getLhs();
  const RankedTensorType type =
      withLayout(cast<RankedTensorType>(lhs.getType()), fragments);
  OpBuilder builder(op);
  if (layout::sourceRegisters(layoutOf(lhs.getType()), fragments))
    return ConvertLayoutOp::create(builder, op.getLoc(), type, lhs).getResult();
  FailureOr<Value> memory = inMatrices(op, lhs, fragments);
  Operation *loop = keepsFragments(lhs, fragments, op);
  if (failed(memory) || !loop)
    return memory;
  // Where the tile is converted first, it is stored beside the dot.
  if (memory->getDefiningOp()->getBlock() != loop->getBlock())
    return memory;
  builder.setInsertionPoint(loop);
  return LoadSharedOp::create(builder, op.getLoc(), type, *memory).getResult();
}

/// The dot by its matrix instruction.
static LogicalResult expand(tile::DotOp op,
                            const target::MatrixInstruction &instruction,
                            const MatrixProduct &product) {
  FailureOr<Value> lhs = lhsOf(op, product.lhs);
  FailureOr<Value> rhs = inMatrices(op, op.getRhs(), product.rhs);
  if (failed(lhs) || failed(rhs))
    return failure();
  OpBuilder builder(op);
  auto mma = MmaOp::create(builder, op.getLoc(), op.getType(),
                           StringRef(instruction.name), *lhs, *rhs, op.getAcc(),
                           op.getPrecision(), op.getLhsUnsigned(),
                           op.getRhsUnsigned());
  if (Attribute reason = op->getAttr(TileGpuDialect::kReasonAttr))
    mma->setAttr(TileGpuDialect::kReasonAttr, reason);
  op.replaceAllUsesWith(mma.getResult());
  op.erase();
  return success();
}

static LogicalResult expand(tile::DotOp op) {
  auto reason = op->getAttrOfType<StringAttr>(TileGpuDialect::kReasonAttr);
  if (const target::MatrixInstruction *instruction = instructionOf(op)) {
    auto lhs = cast<RankedTensorType>(op.getLhs().getType());
    StatusOr<MatrixProduct> product =
        matrixProduct(*instruction, elementBits(lhs.getElementType()),
                      layoutOf(op.getType()), lhs.getShape().back());
    if (product.ok())
      return expand(op, *instruction, *product);
    reason =
        StringAttr::get(op.getContext(), format("layouts without {} cost less "
                                                "(--explain-layouts)",
                                                {instruction->name}));
    // legalize-dots has left it as the instruction takes it.
    widenOperands(op);
  }
  FailureOr<Value> lhs = inShared(op, op.getLhs(), tilegpu::DotSide::lhs);
  FailureOr<Value> rhs = inShared(op, op.getRhs(), tilegpu::DotSide::rhs);
  if (failed(lhs) || failed(rhs))
    return failure();
  OpBuilder builder(op);
  auto dot = tilegpu::DotOp::create(builder, op.getLoc(), op.getType(), *lhs,
                                    *rhs, op.getAcc(), op.getPrecision(),
                                    op.getLhsUnsigned(), op.getRhsUnsigned());
  if (reason)
    dot->setAttr(TileGpuDialect::kReasonAttr, reason);
  op.replaceAllUsesWith(dot.getResult());
  op.erase();
  return success();
}

void LowerDots::runOnOperation() {
  SmallVector<tile::DotOp> dots;
  getOperation().walk([&](tile::DotOp op) { dots.push_back(op); });
  for (tile::DotOp op : dots)
    if (failed(expand(op)))
      return signalPassFailure();
}

} // namespace tilewright::tilegpu
