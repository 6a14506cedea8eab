//===- CollectChecks.h - What must hold of sizes at run time ----*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_COLLECTCHECKS_H
#define TILEWRIGHT_GRAPH_LOWERING_COLLECTCHECKS_H

#include "graph/lowering/LowerGraph.h"

namespace tilewright::graph {

/// Adds what the ops of `func`, in graph form, expect of sizes and what does
/// not follow from the types: that one loop has one length for all operands,
/// that slices lie within, that casts and reshapes keep all elements, and what
/// `cf.assert` says of sizes. Each condition once.
mlir::LogicalResult collectChecks(mlir::func::FuncOp func,
                                  SymbolicShapes &shapes,
                                  std::vector<SizeCheck> &checks);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_COLLECTCHECKS_H
