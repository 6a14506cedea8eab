//===- Blocks.h - The blocks of a graph -------------------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_BLOCKS_H
#define TILEWRIGHT_GRAPH_ANALYSIS_BLOCKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::graph {

/// Whether `op` is a branch or a loop of the graph: its regions hold ops of the
/// graph, in blocks of their own.
bool isBranchOrLoop(mlir::Operation *op);

/// Whether a branch or a loop may carry or yield values of the type: tensors of
/// known rank and sizes.
bool isCarriedType(mlir::Type type);

/// What decides whether a loop has another iteration.
struct LoopCondition {
  /// Computed in the loop's before region; null if the count alone decides.
  mlir::Value data;
  /// The argument of that region that counts, if it has to be below `limit` as
  /// well: an index that begins at 0 and is one more after each iteration.
  mlir::BlockArgument count;
  /// A size from outside of the loop.
  mlir::Value limit;
};
LoopCondition conditionOf(mlir::scf::WhileOp op);

/// Whether a loop decides whether there is another iteration in the way that
/// the host can: it passes on what it carries as it is, and goes on if a
/// `graph.condition` of a carried tensor holds and, if the loop counts, if the
/// count is below its limit.
bool isRotatedLoop(mlir::scf::WhileOp op);

/// The blocks that hold the ops of the graph: the function's, and those of
/// branches and loops in it; outer before inner, in program order.
llvm::SmallVector<mlir::Block *> graphBlocks(mlir::func::FuncOp func);

/// The ops of these blocks in program order: a branch or a loop comes before
/// the ops in its regions, and these before what follows it.
llvm::SmallVector<mlir::Operation *> graphOps(mlir::func::FuncOp func);

/// Those of one kind.
template <typename Op> llvm::SmallVector<Op> graphOps(mlir::func::FuncOp func) {
  llvm::SmallVector<Op> ops;
  for (mlir::Operation *op : graphOps(func))
    if (auto found = mlir::dyn_cast<Op>(op))
      ops.push_back(found);
  return ops;
}

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_BLOCKS_H
