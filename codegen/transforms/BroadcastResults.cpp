//===- BroadcastResults.cpp - What one thread has, for all threads --------===//
#include "codegen/transforms/LayoutRelations.h"
#include "codegen/transforms/Passes.h"
#include "codegen/transforms/SharedTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilewright::tilegpu {

#define GEN_PASS_DEF_BROADCASTRESULTS
#include "codegen/transforms/Passes.h.inc"

namespace {
struct BroadcastResults : impl::BroadcastResultsBase<BroadcastResults> {
  void runOnOperation() override;

private:
  RankedTensorType single(Type element);
  Value tiled(OpBuilder &builder, Location loc, Value scalar);
  Value onlyElement(OpBuilder &builder, Location loc, Value tile);
  void extract(tile::ExtractOp op);
  void access(Operation *op);
};
} // namespace

/// Shared memory for a tile: the elements of a cell of its layout row-major,
/// and its repeats as in registers; all of it row-major where they are dealt.
static Value allocate(OpBuilder &builder, Location loc, RankedTensorType tile) {
  const layout::Layout &registers = tilegpu::layoutOf(tile);
  if (!registers.repeats().isLocal())
    return allocateDense(builder, loc, tile);
  layout::HardwareIndex bits;
  bits[layout::HardwareDim::offset] = registers.map().outBits();
  StatusOr<layout::Layout> memory = layout::Layout::create(
      layout::Kind::memory, registers.cellBits(), bits,
      layout::LinearMap::identity(registers.map().outBits()),
      layout::Repeats(registers.repeats().counts(),
                      registers.repeats().order()));
  assert(memory.ok() && "a cell and repeats that are a layout's already");
  return allocateShared(builder, loc, tile, *memory);
}

/// Whether some thread has what another thread owns.
static bool hasCopies(RankedTensorType tile) {
  const layout::Layout &layout = tilegpu::layoutOf(tile);
  layout::HardwareIndex redundant = layout.redundantBits();
  return redundant[layout::HardwareDim::lane] ||
         redundant[layout::HardwareDim::warp] ||
         layout.repeats().total() != layout.repeats().counts().product();
}

/// A tile of one element that all threads have.
RankedTensorType BroadcastResults::single(Type element) {
  auto warps = getOperation()->getAttrOfType<IntegerAttr>(
      tilegpu::TileGpuDialect::kWarpsAttr);
  return tilegpu::withLayout(RankedTensorType::get({1}, element),
                             replicated({1}, unsigned(warps.getInt())));
}

Value BroadcastResults::tiled(OpBuilder &builder, Location loc, Value scalar) {
  return tile::SplatOp::create(builder, loc, single(scalar.getType()), scalar);
}

Value BroadcastResults::onlyElement(OpBuilder &builder, Location loc,
                                    Value tile) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  return tile::ExtractOp::create(builder, loc, tile, zero);
}

/// The thread that owns the element writes it, and all read it.
void BroadcastResults::extract(tile::ExtractOp op) {
  if (tilegpu::layoutOf(op.getSource().getType()).shape().product() == 1)
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  RankedTensorType one = single(op.getType());
  Value memory = allocate(builder, loc, one);
  tilegpu::StoreElementOp::create(builder, loc, op.getSource(), op.getIndices(),
                                  memory);
  Value loaded = tilegpu::LoadSharedOp::create(builder, loc, one, memory);
  op.replaceAllUsesWith(onlyElement(builder, loc, loaded));
  op.erase();
  ++numBroadcasts;
}

/// An atomic, or a load with an order: of a scalar, as of a tile of one
/// element; its result through shared memory, where threads have copies.
void BroadcastResults::access(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  bool scalar = !isa<RankedTensorType>(op->getResult(0).getType());
  Operation *made = op;
  if (scalar) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand))
        mapping.map(operand, tiled(builder, loc, operand));
    made = builder.clone(*op, mapping);
    made->getResult(0).setType(single(op->getResult(0).getType()));
  }
  auto type = cast<RankedTensorType>(made->getResult(0).getType());
  if (!op->use_empty() && hasCopies(type)) {
    builder.setInsertionPointAfter(made);
    Value memory = allocate(builder, loc, type);
    auto store = tilegpu::StoreSharedOp::create(builder, loc,
                                                made->getResult(0), memory);
    Value result = tilegpu::LoadSharedOp::create(builder, loc, type, memory);
    ++numBroadcasts;
    if (scalar)
      op->getResult(0).replaceAllUsesWith(onlyElement(builder, loc, result));
    else
      op->getResult(0).replaceAllUsesExcept(result, store);
  }
  if (scalar)
    op->erase();
}

void BroadcastResults::runOnOperation() {
  if (!getOperation()->hasAttr(tilegpu::TileGpuDialect::kWarpsAttr)) {
    getOperation().emitError() << "expected a kernel with layouts: "
                                  "assign-layouts runs before";
    return signalPassFailure();
  }
  SmallVector<Operation *> accesses;
  SmallVector<tile::ExtractOp> extracts;
  getOperation().walk([&](Operation *op) {
    if (auto extract = dyn_cast<tile::ExtractOp>(op))
      extracts.push_back(extract);
    auto access = dyn_cast<tile::MemoryOrderOpInterface>(op);
    if (access && access.getOrder() != tile::MemoryOrder::weak &&
        op->getNumResults())
      accesses.push_back(op);
  });
  for (tile::ExtractOp op : extracts)
    extract(op);
  for (Operation *op : accesses)
    access(op);
}

} // namespace tilewright::tilegpu
