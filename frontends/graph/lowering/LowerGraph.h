//===- LowerGraph.h - A graph function as tile kernels and steps *- C++ -*-===//
#ifndef TILEWRIGHT_FRONTENDS_GRAPH_LOWERING_LOWERGRAPH_H
#define TILEWRIGHT_FRONTENDS_GRAPH_LOWERING_LOWERGRAPH_H

#include "frontends/graph/lowering/KernelEmitter.h"

namespace tilewright::graph {

/// One launch: a kernel of the program's module and what it is given.
struct GraphStep {
  std::string kernel;
  std::vector<KernelArgument> arguments;
  /// Position in `arguments` of the first tensor that the kernel writes.
  unsigned result;
  /// The frontend's nodes that this step computes, e.g. "Conv_3 + Relu_4".
  std::string label;
};

/// A graph function, lowered. The values that steps name belong to `func`,
/// which must outlive the program.
struct GraphProgram {
  mlir::func::FuncOp func;
  SymbolicShapes shapes;
  /// For each of the limits, a module with one tile.kernel for each distinct
  /// kernel that is not the user's. Kernels of one name have the same
  /// arguments.
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> kernels;
  std::vector<GraphStep> steps;
  std::vector<Group> groups;
};

/// Prepares `module`'s only function (canonical form, common subexpressions),
/// forms groups and emits their kernels, with the tiles that each of `limits`
/// asks for. Errors are reported at the graph op.
mlir::FailureOr<GraphProgram> lowerGraph(mlir::ModuleOp module,
                                         llvm::ArrayRef<TileLimits> limits);

} // namespace tilewright::graph

#endif // TILEWRIGHT_FRONTENDS_GRAPH_LOWERING_LOWERGRAPH_H
