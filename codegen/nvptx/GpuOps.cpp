//===- GpuOps.cpp - The table of emitters ---------------------------------===//
#include "codegen/nvptx/GpuOps.h"

#include "codegen/llvm/ControlContext.h"
#include "codegen/numeric/Elementwise.h"
#include "codegen/nvptx/Elements.h"
#include "codegen/nvptx/Emission.h"
#include "codegen/nvptx/GpuOpTable.h"

using namespace mlir;

namespace tilewright::nvptx {

static GpuOps makeTable() {
  GpuOps ops;
  addAtomicOps(ops);
  addConstantOps(ops);
  addControlOps(ops);
  addCopyOps(ops);
  addDotOps(ops);
  addEffectOps(ops);
  addElementOps(ops);
  addExchangeOps(ops);
  addGlobalOps(ops);
  addMmaOps(ops);
  addMovementOps(ops);
  addPointerOps(ops);
  addProgramOps(ops);
  addReductionOps(ops);
  addScanOps(ops);
  addShapeOps(ops);
  addSharedOps(ops);
  addSharedIndexedOps(ops);
  addViewOps(ops);
  return ops;
}

/// The one table, built on first use.
static const GpuOps &table() {
  static const GpuOps ops = makeTable();
  return ops;
}

bool knows(OperationName op) {
  return table().find(op) || numeric::isElementwise(op);
}

LogicalResult emitOp(Operation *op, Emission &e) {
  if (const GpuOp *emit = table().find(op))
    return (*emit)(op, e);
  if (numeric::isElementwise(op))
    return emitElementwise(op, e), success();
  return reject(op, "not supported on a GPU yet");
}

LogicalResult emitBlock(Block &block, Emission &e) {
  for (Operation &op : block) {
    e.b.setLoc(op.getLoc());
    if (failed(lowerControlled(&op, [&] { return emitOp(&op, e); })))
      return failure();
  }
  return success();
}

} // namespace tilewright::nvptx
