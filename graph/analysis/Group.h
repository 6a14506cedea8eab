//===- Group.h - Ops that one kernel computes -------------------*- C++ -*-===//
//
// A group is a set of graph ops that one kernel computes: at most one root (a
// contraction or a windowed reduction), the elementwise consumers that work on
// its output tile, and the producers that are computed where they are read.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_GROUP_H
#define TILEWRIGHT_GRAPH_ANALYSIS_GROUP_H

#include "graph/analysis/AttentionMatch.h"
#include "graph/ir/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include <optional>
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

/// For each dimension of a tensor the loop of the group's last op that it
/// follows, -1 for a dimension of size 1.
using Alignment = llvm::SmallVector<int, 4>;

/// For each loop of `op` what the dimension of its result follows that it
/// indexes; -1 for a loop that indexes none.
Alignment loopsBehind(mlir::linalg::GenericOp op, const Alignment &result);

/// What is read by plain and constant subscripts, where loop i of the reader
/// follows loops[i]; nothing for other subscripts.
std::optional<Alignment> alignBySubscripts(mlir::AffineMap subscripts,
                                           llvm::ArrayRef<int> loops);

/// The ops of one kernel, and what follows from them. They are in the function
/// while groups are being formed, and in a `graph.group` after that.
struct Group {
  /// The group of `last` alone.
  explicit Group(mlir::Operation *last);
  /// The group in the body of `op`.
  static Group of(GroupOp op);

  /// Takes in an op that only ops of the group read.
  void join(mlir::Operation *op);

  /// In program order, once all have joined.
  llvm::SetVector<mlir::Operation *> ops;
  /// The op that computes the group's first result: its iteration space is the
  /// group's.
  mlir::Operation *last;
  /// Results of other ops that the kernel stores too, because they are read
  /// from memory. Each element is computed by one program.
  llvm::SmallVector<mlir::Value> alsoStored;
  /// The reduction that sets the kernel's structure; null for elementwise.
  mlir::Operation *root = nullptr;
  /// The attention whose second product is the root: the kernel walks its keys
  /// block by block.
  std::optional<AttentionMatch> attention;
  /// Whether `op` comes before that product in it.
  bool isInAttention(mlir::Operation *op) const {
    return attention && attention->ops.contains(op);
  }
  /// A group whose result is a tensor.concat: its kernels copy each input from
  /// memory or compute it (inputsOfKernels()).
  bool isConcat;
  /// A group whose last op kernels of its own compute (hasOwnKernels()); only a
  /// concatenation takes others in.
  bool isAlone;
  /// A group of one graph.composite: the user's kernel computes it.
  bool isGiven;
  /// Loops of the last op that each program covers entirely, because the group
  /// has a reduction or a scan along them (row-wise softmax, norms, cumulative
  /// sums).
  llvm::SmallBitVector wholeLoops;
  /// Whether those together, or what is reduced along them, are more than a
  /// program can hold, or of unknown length: it walks them piece by piece, once
  /// for each reduction and once for the result and its scan.
  bool hasLongRows() const;
  /// Whether other reductions run before or beside the root, along rows that it
  /// reduces too: a program holds whole ones.
  bool hasRowsOfRoot() const;
  /// The dimension of the result whose elements are parts of the root's
  /// reduction: a program computes one.
  std::optional<unsigned> partsDim() const;
  /// Of ops whose result is a (partial) copy of the group's iteration space.
  llvm::DenseMap<mlir::Operation *, Alignment> alignment;
  std::vector<FusionDecision> decisions;

  /// How many kernels compute the group.
  size_t kernelCount() const;
  /// The inputs of a concatenation that each of its kernels stores, in order: a
  /// few neighbours of one size together, as they may be made of the same. The
  /// tiles of these divide their size; the last tile of an input that is alone
  /// may reach into those behind it, whose kernels run later.
  std::vector<llvm::SmallVector<unsigned>> inputsOfKernels() const;
  /// The ops of a concatenation that compute these inputs, and itself.
  Group partOf(llvm::ArrayRef<unsigned> inputs) const;

  /// What the kernel writes: the results of the last op that are used, all of
  /// one shape (several only where a reduction accumulates them together), and
  /// what is stored too. A graph.require has none.
  llvm::SmallVector<mlir::Value> results() const;
  mlir::Value result() const { return results().front(); }
  /// Sizes of the iteration space; those that are not static are dynamic.
  llvm::ArrayRef<int64_t> sizes() const;
  /// Those of `loops`.
  llvm::SmallVector<int64_t> sizesOf(const llvm::SmallBitVector &loops) const;

  /// How the result of `op` maps to the iteration space, when all its readers
  /// in the group agree on it. Readers outside of the group do not count.
  std::optional<Alignment> align(mlir::Operation *op) const;
  /// Loops of the group along which a value of this alignment repeats.
  llvm::SmallBitVector repeatedLoops(const Alignment &alignment) const;

private:
  void takeAttention(mlir::Operation *op);
  void scanWhole(mlir::Operation *op);
  std::optional<Alignment> alignThroughRow(mlir::linalg::GenericOp reader,
                                           mlir::OpOperand &use) const;
};

/// The groups of a function, in program order; a graph.composite is one too.
std::vector<Group> groupsOf(mlir::func::FuncOp func);

/// Writes a group's decisions to its op, where groupsOf() finds them.
void setDecisions(mlir::Operation *op,
                  llvm::ArrayRef<FusionDecision> decisions);

/// Whether a kernel materializes the result of `op` where it reads it: splat
/// constants, empty tensors, and fills.
bool isWrittenDown(mlir::Operation *op);

/// The name of `op` in reports: its location's name (the frontend's node), or
/// the op's own name and its line in the module.
std::string describeOp(mlir::Operation *op);

/// The frontend's nodes that the group computes, each once, in program order.
std::vector<std::string> nodesOf(const Group &group);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_GROUP_H
