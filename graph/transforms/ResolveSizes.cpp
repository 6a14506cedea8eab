#include "graph/analysis/Blocks.h"
#include "graph/analysis/SizeValues.h"
#include "graph/transforms/Function.h"
#include "graph/transforms/Passes.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_RESOLVESIZES
#include "graph/transforms/Passes.h.inc"

namespace {
struct ResolveSizes : impl::ResolveSizesBase<ResolveSizes> {
  void runOnOperation() override {
    FailureOr<func::FuncOp> func = graphFunction(getOperation());
    if (failed(func))
      return signalPassFailure();
    SymbolicShapes shapes(*func);
    SizeValues sizes(*func, shapes);
    SmallVector<tensor::DimOp> resolved;
    // Those of a composite's body say what its sizes are.
    for (auto dim : graphOps<tensor::DimOp>(*func)) {
      auto argument = dyn_cast<BlockArgument>(dim.getSource());
      if (argument && argument.getOwner()->getParentOp() == *func)
        continue;
      resolved.push_back(dim);
      if (dim.use_empty())
        continue;
      FailureOr<AffineExpr> size = shapes.exprOf(dim.getResult());
      if (failed(size))
        return signalPassFailure();
      dim.getResult().replaceAllUsesWith(sizes.valueOf(*size));
    }
    for (tensor::DimOp dim : resolved)
      dim.erase();
  }
};
} // namespace

} // namespace tilewright::graph
