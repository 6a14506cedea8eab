//===- LowerMovements.cpp - Elements through shared memory ----------------===//
#include "codegen/transforms/BuildTiles.h"
#include "codegen/transforms/LayoutRelations.h"
#include "codegen/transforms/Passes.h"
#include "codegen/transforms/SharedTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_LOWERMOVEMENTS
#include "codegen/transforms/Passes.h.inc"

namespace {
/// Where tiles are in shared memory, for all their slices in a block.
using StoredTiles = llvm::DenseMap<std::pair<Value, Block *>, Value>;

struct LowerMovements : impl::LowerMovementsBase<LowerMovements> {
  void runOnOperation() override;
};
} // namespace

/// Stores a tile of which parts are read. The rows of lanes begin in other
/// banks: rows that are multiples of all banks get a few more elements.
static Value storedForParts(OpBuilder &builder, Location loc, Value tile) {
  constexpr int64_t bitsOfBanks = 32 * 32, bitsMore = 128;
  auto type = cast<RankedTensorType>(tile.getType());
  const int64_t bits = tilegpu::elementBits(type.getElementType());
  SmallVector<int64_t> shape(type.getShape());
  if (shape.size() < 2 || shape.back() * bits % bitsOfBanks != 0)
    return storedDense(builder, loc, tile);
  shape.back() += bitsMore / bits;
  Value memory = allocateDense(builder, loc, type.clone(shape));
  const SmallVector<int64_t> zeros(shape.size(), 0);
  tilegpu::StoreSharedOp::create(builder, loc, tile, memory, zeros);
  return memory;
}

/// A slice whose elements stay in their threads keeps the layout that follows
/// from its operand; else the source is read from shared memory.
static void lowerSlice(tile::SliceOp op, StoredTiles &stored) {
  const std::optional<UnmetLayout> unmet = unmetLayout(op);
  if (!unmet)
    return;
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(op.getType());
  Value result;
  if (unmet->expected) {
    Value slice = tile::SliceOp::create(
        builder, op.getLoc(), tilegpu::withLayout(type, *unmet->expected),
        op.getSource(), op.getOffsets(), op.getSteps());
    result =
        tilegpu::ConvertLayoutOp::create(builder, op.getLoc(), type, slice);
  } else {
    Value &memory = stored[{op.getSource(), op->getBlock()}];
    if (!memory)
      memory = storedForParts(builder, op.getLoc(), op.getSource());
    result = tilegpu::LoadSharedOp::create(builder, op.getLoc(), type, memory,
                                           op.getOffsets(), op.getSteps());
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

/// Inputs that are registers of the result already stay; else each is stored
/// into its part of the result.
static void lowerConcat(tile::ConcatOp op) {
  if (!unmetLayout(op))
    return;
  auto type = cast<RankedTensorType>(op.getType());
  OpBuilder builder(op);
  Value memory = allocateDense(builder, op.getLoc(), type);
  SmallVector<int64_t> offsets(size_t(type.getRank()), 0);
  for (Value input : op.getInputs()) {
    tilegpu::StoreSharedOp::create(builder, op.getLoc(), input, memory,
                                   offsets);
    offsets[op.getAxis()] +=
        cast<RankedTensorType>(input.getType()).getDimSize(op.getAxis());
  }
  op.replaceAllUsesWith(
      tilegpu::LoadSharedOp::create(builder, op.getLoc(), type, memory)
          .getResult());
  op.erase();
}

/// Where no layout of the result follows from the source's: row-major order is
/// that of shared memory, whatever the shape.
static void lowerReshape(tile::ReshapeOp op) {
  if (!unmetLayout(op))
    return;
  OpBuilder builder(op);
  Value memory = storedDense(builder, op.getLoc(), op.getSource());
  op.replaceAllUsesWith(
      tilegpu::LoadSharedOp::create(builder, op.getLoc(), op.getType(), memory)
          .getResult());
  op.erase();
}

static void lowerGather(tile::GatherOp op) {
  OpBuilder builder(op);
  Value memory = storedDense(builder, op.getLoc(), op.getSource());
  op.replaceAllUsesWith(
      tilegpu::GatherSharedOp::create(builder, op.getLoc(), op.getType(),
                                      memory, op.getIndices(), op.getAxis())
          .getResult());
  op.erase();
}

/// Counters of 32 bits in shared memory, from zero.
static void lowerHistogram(tile::HistogramOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  RankedTensorType counters = type.clone(builder.getI32Type());
  Value memory = storedDense(builder, loc, splatOf(builder, loc, counters, 0));
  tilegpu::CountSharedOp::create(builder, loc, op.getSource(), memory,
                                 op.getMask());
  Value counts = tilegpu::LoadSharedOp::create(builder, loc, counters, memory);
  op.replaceAllUsesWith(resizedUnsigned(builder, loc, counts, type));
  op.erase();
}

void LowerMovements::runOnOperation() {
  SmallVector<Operation *> ops;
  getOperation().walk([&](Operation *op) { ops.push_back(op); });
  StoredTiles stored;
  for (Operation *op : ops)
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](tile::SliceOp op) { lowerSlice(op, stored); })
        .Case([](tile::ConcatOp op) { lowerConcat(op); })
        .Case([](tile::ReshapeOp op) { lowerReshape(op); })
        .Case([](tile::GatherOp op) { lowerGather(op); })
        .Case([](tile::HistogramOp op) { lowerHistogram(op); });
}

} // namespace tilewright::tilegpu
