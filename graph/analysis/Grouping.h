//===- Grouping.h - Which graph ops become one kernel -----------*- C++ -*-===//
//
// A group is a set of graph ops that one kernel computes: at most one root (a
// contraction or a windowed reduction), the elementwise consumers that work on
// its output tile, and the producers that are computed where they are read.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_GROUPING_H
#define TILEWRIGHT_GRAPH_ANALYSIS_GROUPING_H

#include "graph/analysis/SymbolicShapes.h"
#include "llvm/ADT/SetVector.h"
#include <string>
#include <vector>

namespace tilewright::graph {

/// One answer to "why is this op (not) in that kernel".
struct FusionDecision {
  /// True when the op was taken into the group.
  bool taken;
  /// The op in question, as its location's name or its op name.
  std::string op;
  /// The reason, one short phrase.
  std::string reason;
};

/// The ops of one kernel.
struct Group {
  /// In program order.
  llvm::SetVector<mlir::Operation *> ops;
  /// The op that computes the group's results.
  mlir::Operation *last = nullptr;
  /// The reduction that sets the kernel's structure; null for elementwise.
  mlir::Operation *root = nullptr;
  /// A group whose result is a tensor.concat: one kernel for each input.
  bool isConcat = false;
  /// A group of one graph.replaced: the user's kernel computes it.
  bool isGiven = false;
  /// Loops of the last op that each program covers entirely, because a
  /// reduction along them stands inside the group (row-wise softmax, norms).
  llvm::SmallBitVector wholeLoops;
  /// For ops whose result is a (partial) copy of the group's iteration space:
  /// the loop of the last op that each result dimension follows, -1 for a
  /// dimension of size 1.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int, 4>> alignment;
  std::vector<FusionDecision> decisions;

  /// What the kernel writes: the results of the last op that are used, all of
  /// one shape. Several only where a reduction accumulates them together.
  llvm::SmallVector<mlir::Value> results() const;
  mlir::Value result() const { return results().front(); }
};

/// The largest number of elements of a row that a program may hold at once.
constexpr int64_t maxRowElements = 8192;

/// Partitions the compute ops of `func` into groups, in an order in which
/// they can run. Deterministic.
std::vector<Group> formGroups(mlir::func::FuncOp func);

/// The name under which reports speak of `op`: its location's name (the
/// frontend's node), or the op's own name and its line in the module.
std::string describeOp(mlir::Operation *op);

/// The frontend's nodes that the group computes, each once, in program order.
std::vector<std::string> nodesOf(const Group &group);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_GROUPING_H
