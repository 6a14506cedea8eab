//===- LowerGraph.h - A graph function as tile kernels and steps *- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_LOWERGRAPH_H
#define TILEWRIGHT_GRAPH_LOWERING_LOWERGRAPH_H

#include "graph/lowering/KernelEmitter.h"
#include <functional>
#include <map>

namespace tilewright::graph {

/// One launch: a kernel of the program's module and what it is given.
struct GraphStep {
  std::string kernel;
  std::vector<KernelArgument> arguments;
  /// Position in `arguments` of the first tensor that the kernel writes, and
  /// how many it writes. It reads the other tensors.
  unsigned result, resultCount;
  /// The frontend's nodes that this step computes, e.g. "Conv_3 + Relu_4".
  std::string label;
};

/// What is chosen for one group under one of the limits.
struct GroupChoice {
  /// How it is cut.
  CutValues cut;
  /// Whether something was chosen, be it nothing but a cut.
  bool isChosen = false;
  /// What else was chosen for its kernel. Kernels of equal text are one kernel
  /// only if these are equal too.
  std::string schedule;
  /// Where the choice is from, for the record.
  std::string origin;
};

/// What must hold of sizes that are known only at run time, so that no element
/// outside of a tensor is read.
struct SizeCheck {
  mlir::AffineExpr size, expected;
  /// Whether `size` may be smaller.
  bool isLimit = false;
  /// What the user did wrong where it does not hold.
  std::string message;
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
  /// For each of the limits, what was chosen for each kernel, by its name.
  std::vector<std::map<std::string, GroupChoice>> choices;
  std::vector<GraphStep> steps;
  std::vector<Group> groups;
  std::vector<SizeCheck> checks;
};

/// Chooses for a group; `variant` is the position among the limits. Not called
/// for a concatenation or a kernel that the user gave.
using ChooseCut = std::function<mlir::FailureOr<GroupChoice>(
    const Group &group, SymbolicShapes &shapes, size_t variant)>;

/// Has a tensor of this type no elements, whatever its dynamic sizes are? No
/// step computes it.
bool isEmpty(mlir::Type tensor);

/// Prepares `module`'s only function (graph form: PrepareGraph.h),
/// forms groups and emits their kernels, with the tiles that each of `limits`
/// asks for, or that `choose` does if it is given. Errors are reported at the
/// graph op.
mlir::FailureOr<GraphProgram> lowerGraph(mlir::ModuleOp module,
                                         llvm::ArrayRef<TileLimits> limits,
                                         const ChooseCut &choose = {});

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_LOWERGRAPH_H
