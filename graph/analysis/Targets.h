//===- Targets.h - What targets say of themselves ---------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_TARGETS_H
#define TILEWRIGHT_GRAPH_ANALYSIS_TARGETS_H

#include "tilewright/mlir/Tile.h"

namespace tilewright::graph {

/// The number that `target` gives for the fact `name`; 0 where it gives none.
int64_t factOf(tile::TargetAttr target, llvm::StringRef name);

/// The products of 16-bit floats that the matrix units of a multiprocessor
/// compute in a cycle; 0 where there are none, or `target` does not say.
int64_t matrixProductsOf(tile::TargetAttr target);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_TARGETS_H
