//===- ContractionEmitter.h - Products of matrices as dots ------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_CONTRACTIONEMITTER_H
#define TILEWRIGHT_GRAPH_LOWERING_CONTRACTIONEMITTER_H

#include "graph/lowering/ReductionLoops.h"

namespace tilewright::graph {

/// What goes along with the loops of a product.
struct ProductHooks {
  /// Tiles that the loops carry beside the sums.
  Tiles carried = {};
  /// The end of the first of the loops, at most its length; null: the length.
  mlir::Value end = {};
  /// Before a step's product: takes the carried tiles on, and returns the sums
  /// that the product is added to. They are [rows, columns].
  llvm::function_ref<mlir::FailureOr<mlir::Value>(
      const Box &loops, mlir::Value sums, Tiles &carried)>
      before = nullptr;
  /// The sums after the loops.
  llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::Value sums,
                                                  const Tiles &carried)>
      after = nullptr;
};

/// A box of the result of a product of matrices (isMatrixProduct()).
mlir::FailureOr<mlir::Value> emitContraction(KernelFrame &frame,
                                             mlir::linalg::GenericOp op,
                                             const Box &box,
                                             const ProductHooks &hooks = {});

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_CONTRACTIONEMITTER_H
