#include "graph/transforms/Function.h"

using namespace mlir;

namespace tilewright::graph {

FailureOr<func::FuncOp> graphFunction(ModuleOp module) {
  auto functions = module.getOps<func::FuncOp>();
  if (!llvm::hasSingleElement(functions) ||
      !llvm::hasSingleElement((*functions.begin()).getBody()))
    return module.emitError("expected one function with one block");
  return *functions.begin();
}

} // namespace tilewright::graph
