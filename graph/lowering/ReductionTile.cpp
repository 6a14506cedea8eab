//===- ReductionTile.cpp - The tile of a reduction on a CPU ---------------===//
#include "graph/lowering/ReductionTile.h"

#include "graph/analysis/Access.h"
#include "graph/analysis/Grouping.h"

using namespace mlir;

namespace tilewright::graph {

/// Whether the reduction has parts that take the points of a loop in turn.
static bool hasPartsInTurn(linalg::GenericOp op) {
  return llvm::any_of(plainReductionLoops(op),
                      [&](unsigned loop) { return isTakenInTurn(op, loop); });
}

int64_t resultsOfProgram(linalg::GenericOp op, const TileLimits &limits) {
  constexpr int64_t fewestRows = 4;
  const int64_t columns = limits.elementwiseElements / 16;
  if (!reducesNeighbours(op))
    return hasPartsInTurn(op) ? 4 * columns : columns;
  const int64_t row =
      std::max<int64_t>(1, rowElements(op).value_or(maxRowElements));
  return std::clamp<int64_t>(limits.reductionElements / row, fewestRows,
                             columns);
}

int64_t rowsOfGathers(linalg::GenericOp op, const TileLimits &limits) {
  constexpr int64_t reads = 256;
  int64_t depth = 1;
  for (auto [size, kind] :
       llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      depth *= ShapedType::isDynamic(size)
                   ? limits.dynamicTile
                   : std::clamp<int64_t>(size, 1, reads);
  return std::max<int64_t>(2, reads / std::min(depth, reads));
}

int64_t partsOfProgram(linalg::GenericOp op) {
  constexpr int64_t rows = 4, leastRow = 128;
  int64_t row = 1;
  for (unsigned loop : plainReductionLoops(op))
    row *= std::max<int64_t>(1, op.getStaticLoopRanges()[loop]);
  return hasPartsInTurn(op) && reducesNeighbours(op) && row >= leastRow ? rows
                                                                        : 1;
}

} // namespace tilewright::graph
