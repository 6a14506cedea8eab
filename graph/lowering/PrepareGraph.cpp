//===- PrepareGraph.cpp - The form that fusion expects --------------------===//
#include "graph/lowering/PrepareGraph.h"

#include "graph/transforms/Passes.h"

using namespace mlir;

namespace tilewright::graph {

LogicalResult importGraph(ModuleOp module) {
  PassManager passes(module.getContext());
  buildModulePipeline(passes);
  return passes.run(module);
}

FailureOr<func::FuncOp> prepareGraph(ModuleOp module) {
  auto functions = module.getOps<func::FuncOp>();
  if (!llvm::hasSingleElement(functions) ||
      !llvm::hasSingleElement((*functions.begin()).getBody())) {
    module.emitError("expected one function with one block");
    return failure();
  }
  PassManager passes(module.getContext());
  buildGraphFormPipeline(passes);
  if (failed(passes.run(module)))
    return failure();
  return *module.getOps<func::FuncOp>().begin();
}

} // namespace tilewright::graph
