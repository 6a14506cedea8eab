//===- EmitGlobal.cpp - Loads and stores of views -------------------------===//
#include "codegen/numeric/ElementTypes.h"
#include "codegen/nvptx/Atomics.h"
#include "codegen/nvptx/Emission.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/TileAccess.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::nvptx {

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
