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

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_EXPLAIN_H
