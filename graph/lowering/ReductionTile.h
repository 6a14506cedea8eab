//===- ReductionTile.h - The tile of a reduction on a CPU -------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_REDUCTIONTILE_H
#define TILEWRIGHT_GRAPH_LOWERING_REDUCTIONTILE_H

#include "graph/lowering/TileSizes.h"

namespace tilewright::graph {

/// How many results of a reduction in loops a program of a core computes: few
/// of long rows, of which it reads long parts, and more of short ones. Columns
/// stay next to the core; of parts that take rows in turn they are more, as
/// these rows are far from each other.
int64_t resultsOfProgram(mlir::linalg::GenericOp op, const TileLimits &limits);

/// The tile along an open number of rows of a reduction that reads at computed
/// places. A core reads these elements one by one, also those of rows that do
/// not exist: as few as are worth a program.
int64_t rowsOfGathers(mlir::linalg::GenericOp op, const TileLimits &limits);

/// How many parts of a reduction a program of a core computes: where they take
/// rows in turn, those of several are side by side in memory.
int64_t partsOfProgram(mlir::linalg::GenericOp op);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_REDUCTIONTILE_H
