//===- EmitGlobal.cpp - Loads and stores of views -------------------------===//
#include "codegen/numeric/ElementTypes.h"
#include "codegen/nvptx/Atomics.h"
#include "codegen/nvptx/Emission.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/TileAccess.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/TileGpu.h"
#include "codegen/transforms/ElementOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tileir/analysis/Divisibility.h"

using namespace mlir;

namespace tilewright::nvptx {

/// By dimension, whether the end of the view may be within the tile: it is not
/// where tiles begin at multiples of their size, which divides the view.
static llvm::SmallBitVector cutDims(tile::ViewAccessOpInterface op) {
  ArrayRef<int64_t> shape = op.getTile().getType().getShape();
  llvm::SmallBitVector isCut(shape.size(), true);
  for (auto [dim, size] : llvm::enumerate(shape)) {
    const bool isDense = op.getSteps().empty() || op.getSteps()[dim] == 1;
    const bool isAligned =
        !op.getByElement() || tile::divisorOf(op.getOffsets()[dim]) % size == 0;
    if (isDense && isAligned &&
        tile::divisorOfDim(op.getView(), unsigned(dim)) % size == 0)
      isCut.reset(unsigned(dim));
  }
  return isCut;
}

static TileAccess accessOf(Emission &e, tile::ViewAccessOpInterface op) {
  ImplicitLocOpBuilder &b = e.b;
  RankedTensorType tile = op.getTile().getType();
  TileAccess access;
  access.view = &e.views.at(op.getView());
  access.alias = e.aliasing.of(op.getView());
  access.layout = tilegpu::layoutOf(tile);
  access.shape.assign(tile.getShape().begin(), tile.getShape().end());
  access.steps.assign(tile.getRank(), 1);
  if (!op.getSteps().empty())
    access.steps.assign(op.getSteps().begin(), op.getSteps().end());
  for (int64_t dim = 0; dim < tile.getRank(); ++dim) {
    Value offset = e.get(op.getOffsets()[dim]);
    if (!op.getByElement())
      offset =
          b.createOrFold<arith::MulIOp>(offset, index(b, tile.getDimSize(dim)));
    access.first.push_back(offset);
  }
  access.isCut = cutDims(op);
  complete(e, access, tile, tilegpu::elementOrder(op));
  return access;
}

static FailureOr<TileAccess> checkedAccess(Emission &e,
                                           tile::ViewAccessOpInterface op) {
  if (failed(checkSeparable(op, op.getTile().getType())))
    return failure();
  return accessOf(e, op);
}

static LogicalResult emitLoad(tile::LoadOp op, Emission &e) {
  FailureOr<TileAccess> made = checkedAccess(e, op);
  if (failed(made))
    return failure();
  Value pad;
  if (op.getPad())
    pad = arith::ConstantOp::create(e.b, numeric::inRegister(*op.getPad()));
  e.set(op, loadTile(e, *made, pad));
  return success();
}

static LogicalResult emitStore(tile::StoreOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  FailureOr<TileAccess> made = checkedAccess(e, op);
  if (failed(made))
    return failure();
  TileAccess &access = *made;
  Value value = numeric::toMemory(b, b.getLoc(), e.get(op.getValue()));
  writeGroups(e, access,
              [&](Value address, Value inside, ArrayRef<int32_t> registers) {
                storeVector(b, address, inside, pick(b, value, registers),
                            access.alias);
              });
  return success();
}

static LogicalResult emitAtomicReduce(tile::AtomicReduceOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  FailureOr<TileAccess> access = checkedAccess(e, op);
  if (failed(access))
    return failure();
  Value value = e.get(op.getValue());
  writeGroups(e, *access,
              [&](Value address, Value inside, ArrayRef<int32_t> registers) {
                updateGroup(e, op.getKind(), {op.getOrder(), op.getScope()},
                            address, inside, pick(b, value, registers));
              });
  return success();
}

void addGlobalOps(GpuOps &ops) {
  add(ops, emitLoad);
  add(ops, emitStore);
  add(ops, emitAtomicReduce);
}

} // namespace tilewright::nvptx
