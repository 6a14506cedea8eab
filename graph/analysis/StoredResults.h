//===- StoredResults.h - Kernels that store what they read ------*- C++ -*-===//
//
// A value that is needed in memory, as a result of the model or by another
// kernel, may be stored by the first kernel that reads it tile by tile, instead
// of by a kernel of its own: it is then not read back. Groups are formed as if
// that were always good; what it costs is known only of all groups together.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_STOREDRESULTS_H
#define TILEWRIGHT_GRAPH_ANALYSIS_STOREDRESULTS_H

#include "graph/analysis/PeakMemory.h"

namespace tilewright::graph {

/// Why ops are not stored by a kernel that reads them.
using StoreRefusals = llvm::DenseMap<mlir::Operation *, std::string>;

/// Whether the tiles of `op` that `group` computes are the parts of its result,
/// as far as its ops that have joined tell.
bool mayStore(mlir::Operation *op, const Group &group, std::string &reason);

/// Adds the ops that some group should not store: several programs would, the
/// kernel that makes what they are made of stores them for less, or they are
/// why `groups` need more memory than `limit`. Whether there is any.
bool refuseStores(llvm::ArrayRef<Group> groups,
                  llvm::function_ref<PeakMemory()> limit,
                  StoreRefusals &refusals);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_STOREDRESULTS_H
