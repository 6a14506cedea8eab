//===- MergeLoops.h - Neighbouring loops of a reduction as one --*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_TRANSFORMS_MERGELOOPS_H
#define TILEWRIGHT_GRAPH_TRANSFORMS_MERGELOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright::graph {

/// Reshapes of tensors, which several reductions read.
class Reshapes {
public:
  /// The tensor with each of the groups of neighbouring dimensions in one. It
  /// is built before the insertion point of `b`, which moves on in one block.
  mlir::Value get(mlir::OpBuilder &b, mlir::Value tensor,
                  llvm::ArrayRef<llvm::SmallVector<int64_t>> groups);

  /// Erases those that nobody reads.
  void eraseUnused(mlir::RewriterBase &rewriter);

private:
  struct Known {
    mlir::Value tensor;
    llvm::SmallVector<llvm::SmallVector<int64_t>> groups;
    mlir::Value reshaped;
  };
  llvm::SmallVector<Known> known;
};

/// The reduction with neighbouring reduction loops in one: it reads reshapes of
/// its inputs, and is built before `op`, which stays. The loop along neighbours
/// in memory is merged with others only if the lengths of all are known. Null
/// where there are no such loops, where elements depend on their indices, and
/// where a reshape would keep an input from being computed in the kernel of the
/// reduction.
mlir::linalg::GenericOp mergeReductionLoops(mlir::OpBuilder &b,
                                            mlir::linalg::GenericOp op,
                                            Reshapes &reshapes);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_TRANSFORMS_MERGELOOPS_H
