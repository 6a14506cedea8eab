//===- PrepareGraph.cpp - The form that fusion expects --------------------===//
#include "frontends/graph/lowering/PrepareGraph.h"

#include "frontends/graph/fusion/Access.h"
#include "frontends/graph/ir/Graph.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace tilewright::graph {

/// matmul, conv, softmax's parts, ... as linalg.generic.
static LogicalResult generalize(func::FuncOp func) {
  SmallVector<linalg::LinalgOp> named;
  for (auto op : func.getOps<linalg::LinalgOp>())
    if (!isa<linalg::GenericOp, linalg::FillOp>(op))
      named.push_back(op);
  IRRewriter rewriter(func.getContext());
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return op->emitError("the graph level has no lowering for this op");
  }
  return success();
}

/// Whether each tensor is one that kernels compute, or has a place in memory
/// otherwise.
static LogicalResult verifyForm(func::FuncOp func) {
  for (Operation &op : func.getBody().front()) {
    if (isComputeOp(&op) ||
        isa<ReplacedOp, arith::ConstantOp, tensor::ConcatOp, tensor::ReshapeOp,
            tensor::CastOp, tensor::EmptyOp, tensor::FromElementsOp>(op))
      continue;
    if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<TensorType>))
      return op.emitError("the graph level has no lowering for this op; "
                          "expected linalg ops, and of tensor pad, "
                          "extract_slice, concat, reshape, cast, empty");
  }
  return success();
}

FailureOr<func::FuncOp> prepareGraph(ModuleOp module) {
  PassManager clean(module.getContext());
  clean.addPass(createCSEPass());
  clean.addPass(createRemoveDeadValuesPass());
  if (failed(clean.run(module)))
    return failure();
  auto functions = module.getOps<func::FuncOp>();
  if (!llvm::hasSingleElement(functions) ||
      !llvm::hasSingleElement((*functions.begin()).getBody())) {
    module.emitError("expected one function with one block");
    return failure();
  }
  func::FuncOp func = *functions.begin();
  if (failed(generalize(func)) || failed(verifyForm(func)))
    return failure();
  return func;
}

} // namespace tilewright::graph
