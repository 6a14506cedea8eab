//===- CpuOps.cpp - Which ops the CPU knows -------------------------------===//
#include "codegen/cpu/CpuOps.h"
#include "codegen/cpu/CpuOp.h"
#include "codegen/cpu/Elements.h"
#include "codegen/numeric/Elementwise.h"

using namespace mlir;

namespace tilewright::cpu {

static LogicalResult rejectTunable(tile::TunableOp op, Emission &) {
  return op.emitError("tile.tunable: \"")
         << op.getName()
         << "\" is not bound; bind it before the kernel is lowered "
            "(--bind-tunables)";
}

static LogicalResult rejectPtx(tile::InlinePtxOp op, Emission &) {
  return op.emitError("tile.inline_ptx is not lowered for the cpu "
                      "target: it is text for NVIDIA GPUs");
}

static CpuOps makeTable() {
  CpuOps ops;
  addAtomicOps(ops);
  addControlOps(ops);
  addDotOps(ops);
  addEffectOps(ops);
  addElementOps(ops);
  addMemoryOps(ops);
  addPartOps(ops);
  addPointerOps(ops);
  addProgramOps(ops);
  addReduceOps(ops);
  addScanOps(ops);
  addShapeOps(ops);
  addSortOps(ops);
  addViewOps(ops);
  ops.add<tile::TunableOp>({.emit = onOp(rejectTunable)});
  ops.add<tile::InlinePtxOp>({.emit = onOp(rejectPtx)});
  return ops;
}

/// The one table, built on first use and never changed.
static const CpuOps &table() {
  static const CpuOps ops = makeTable();
  return ops;
}

const CpuOp *lookupOp(Operation *op) {
  const CpuOp *known = table().find(op);
  return known ? known : arithmeticOp(op);
}

bool knows(OperationName op) {
  return table().find(op) || numeric::isElementwise(op);
}

} // namespace tilewright::cpu
