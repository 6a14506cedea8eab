//===- States.h - Values that live from run to run --------------*- C++ -*-===//
//
// A graph says that it has state by attributes of its function: an argument
// with `graph.state` is the value from the run before, at first that of
// `graph.initial`, or zeros; the result with `graph.updates` of the same name
// is the value for the next run. An output with `graph.overwrites` is the new
// value of an input, whose memory a caller may give it as well: the input is a
// state for one run. In the IR all are values like others. Here is decided what
// may be computed in the memory of the state itself.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_STATES_H
#define TILEWRIGHT_GRAPH_ANALYSIS_STATES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace tilewright::graph {

/// Of an argument: the name of the state that it is.
inline constexpr llvm::StringLiteral kStateAttr = "graph.state";
/// Of such an argument: its elements in a new session; zeros without it.
inline constexpr llvm::StringLiteral kInitialAttr = "graph.initial";
/// Of a result: the name of the state that it is the new value of.
inline constexpr llvm::StringLiteral kUpdatesAttr = "graph.updates";

/// Of an output: the `graph.name` of the input that it is the new value of.
inline constexpr llvm::StringLiteral kOverwritesAttr = "graph.overwrites";

/// The argument that a result is the new value of; null of other results.
mlir::BlockArgument stateUpdatedBy(mlir::func::FuncOp func, unsigned result);

/// The new value of a state.
struct StateUpdate {
  mlir::BlockArgument state;
  /// Which result of the function it is.
  unsigned result;
  mlir::Value value;
};

/// The updates of the function, in the order of its results. One that returns
/// the old value is none.
llvm::SmallVector<StateUpdate> stateUpdates(mlir::func::FuncOp func);

/// The value whose memory `value` is a view of: reshapes and casts move
/// nothing.
mlir::Value memoryOf(mlir::Value value);

/// Whether it has as many elements as that.
bool hasWholeMemory(mlir::Value value);

/// Whether `first`, an op behind it or the caller reads elements in the memory
/// of `value`, but for the operand `except`. The ops that do are in the block
/// of `first`, which is the function's.
bool isReadFrom(mlir::Value value, mlir::Operation *first,
                mlir::OpOperand *except = nullptr);

/// The values on the way back from an update to its state that each op makes of
/// the one before by changing some of its elements: results of
/// tensor.insert_slice, graph.scatter, and views of them, the last one first.
/// Empty where the way ends elsewhere.
llvm::SmallVector<mlir::Value> updateChain(const StateUpdate &update);

/// The groups of one graph.scatter that may change their data in the memory of
/// a state: all on the way from the state to its update, and nobody reads one
/// of the values on that way after it has changed.
llvm::DenseSet<mlir::Operation *> scattersInPlace(mlir::func::FuncOp func);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_STATES_H
