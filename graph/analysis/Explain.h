//===- Explain.h - The fusion plan, for people and for tools ----*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_EXPLAIN_H
#define TILEWRIGHT_GRAPH_ANALYSIS_EXPLAIN_H

#include "graph/analysis/Group.h"
#include "llvm/Support/JSON.h"

namespace tilewright::graph {

/// The plan as text: a paragraph per kernel, a line per decision.
std::string explainText(llvm::ArrayRef<Group> groups, int64_t nodeCount);

/// The plan as {"nodes", "kernels": [{"number", "root", "ops", "decisions":
/// [{"op", "taken", "reason"}]}]}.
llvm::json::Value explainJson(llvm::ArrayRef<Group> groups, int64_t nodeCount);

/// A loop of a program after loops-to-kernels.
struct LoopDecision {
  /// The frontend's node.
  std::string node;
  /// Why the host runs it; empty if a kernel does.
  std::string reason;
};

/// The counted loops of a program, in order.
std::vector<LoopDecision> loopsOf(mlir::func::FuncOp func);

/// A line per loop.
std::string explainText(llvm::ArrayRef<LoopDecision> loops);

/// [{"node", "kernel": true or false, "reason"}].
llvm::json::Value explainJson(llvm::ArrayRef<LoopDecision> loops);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_EXPLAIN_H
