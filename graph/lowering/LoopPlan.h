//===- LoopPlan.h - Whether one kernel can run a loop -----------*- C++ -*-===//
//
// The launches of an iteration, one after the other, are what one program could
// do: it computes the programs of each kernel in turn, and the accesses of one
// program take effect in program order. So the host need not launch anything in
// an iteration. What the loop carries is then updated in place.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_LOOPPLAN_H
#define TILEWRIGHT_GRAPH_LOWERING_LOOPPLAN_H

#include "graph/analysis/SymbolicShapes.h"
#include "graph/ir/Graph.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/mlir/Tile.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::graph {

/// What one kernel does of a loop of launches, or why there is none.
struct LoopPlan {
  /// Why the host launches each iteration, one short phrase; empty if one
  /// kernel can run the loop. The rest is complete only then.
  std::string obstacle;
  /// Those of an iteration, in order.
  llvm::SmallVector<LaunchOp> launches;
  /// The ops that compute sizes and positions from the number of the iteration.
  llvm::SetVector<mlir::Operation *> positions;
  /// For a tensor.empty of the body the carried value that takes its place.
  llvm::DenseMap<mlir::Value, mlir::Value> carriedFor;
  /// From some memory to the place of a carried value.
  struct Copy {
    mlir::Value from, to;
  };
  /// What an iteration does at its end, in this order: where something needs an
  /// old value longer than until the new one is there.
  llvm::SmallVector<Copy> copies;
  /// How many iterations one launch runs: between two launches a run may be
  /// cancelled.
  int64_t iterations = 0;
  /// 1 where sizes that are open are small enough for one program, else 0; null
  /// where none is open.
  mlir::AffineExpr isSmall;

  /// The value that stands for the memory of a tensor in the body: a carried
  /// value, a tensor.empty, or a value from outside of the loop.
  mlir::Value memoryOf(mlir::Value tensor) const;
};

/// Plans the loop, of the function that `shapes` are of. `modules` are those of
/// the kernels, each with all of them.
LoopPlan planLoop(mlir::scf::ForOp loop, SymbolicShapes &shapes,
                  llvm::ArrayRef<mlir::ModuleOp> modules);

/// The kernels of this name, one of each module; none where one has no such
/// kernel.
llvm::SmallVector<tile::KernelOp>
kernelsNamed(mlir::StringAttr name, llvm::ArrayRef<mlir::ModuleOp> modules);

/// The numbers of programs that a launch runs along each dimension of the
/// kernel's grid, over the symbols of the grid's map.
llvm::SmallVector<mlir::AffineExpr> gridOf(tile::KernelOp kernel,
                                           LaunchOp launch);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_LOOPPLAN_H
