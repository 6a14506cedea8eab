//===- GeneralizeOps.cpp - linalg's named ops as linalg.generic -----------===//
#include "graph/transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_GENERALIZEOPS
#include "graph/transforms/Passes.h.inc"

/// A fill that kernels write down where they read it.
static bool isConstantFill(Operation *op) {
  auto fill = dyn_cast<linalg::FillOp>(op);
  return fill && matchPattern(fill.getInputs()[0], m_Constant()) &&
         fill.getInputs()[0].getType() ==
             getElementTypeOrSelf(fill.getOutputs()[0]);
}

namespace {
struct GeneralizeOps : impl::GeneralizeOpsBase<GeneralizeOps> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> named;
    WalkResult found = getOperation().walk([&](linalg::LinalgOp op) {
      if (!op.hasPureTensorSemantics()) {
        op->emitError("expected an op on tensors, found one on buffers");
        return WalkResult::interrupt();
      }
      if (!isa<linalg::GenericOp>(op) && !isConstantFill(op))
        named.push_back(op);
      return WalkResult::advance();
    });
    if (found.wasInterrupted())
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      if (failed(linalg::generalizeNamedOp(rewriter, op))) {
        op->emitError("the graph level has no lowering for this op");
        return signalPassFailure();
      }
    }
  }
};
} // namespace

} // namespace tilewright::graph
