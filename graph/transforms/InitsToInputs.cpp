//===- InitsToInputs.cpp - What parallel loops read as inputs -------------===//
#include "graph/transforms/Build.h"
#include "graph/transforms/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_INITSTOINPUTS
#include "graph/transforms/Passes.h.inc"

namespace {
struct InitsToInputs : impl::InitsToInputsBase<InitsToInputs> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateMoveInitOperandsToInputPattern(patterns);
    if (failed(rewriteAll(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

} // namespace tilewright::graph
