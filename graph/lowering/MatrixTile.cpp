//===- MatrixTile.cpp - The tile of a product on matrix units -------------===//
#include "graph/lowering/MatrixTile.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <limits>

using namespace mlir;

namespace tilewright::graph {

/// What an instruction takes along each dimension, at most.
static constexpr int64_t unitExtent = 16, largestExtent = 128;

int64_t cyclesOf(const MatrixTile &tile, const MatrixSizes &sizes,
                 const MatrixUnit &unit) {
  // From global memory to registers, with the barrier of a step, for which the
  // copies of so many steps are on their way; and what a multiprocessor gets of
  // the second cache in a cycle.
  constexpr int64_t latency = 600, stepsAhead = 3, bytesOfCycle = 64,
                    bytesOfElement = 2;
  const int64_t programs = llvm::divideCeil(sizes.rows, tile.rows) *
                           llvm::divideCeil(sizes.columns, tile.columns) *
                           sizes.count;
  const int64_t rounds = llvm::divideCeil(programs, unit.multiprocessors);
  const int64_t steps = llvm::divideCeil(sizes.depth, tile.depth);
  const int64_t multiply = llvm::divideCeil(
      tile.rows * tile.columns * tile.depth, unit.productsOfCycle);
  const int64_t read = llvm::divideCeil(
      (tile.rows + tile.columns) * tile.depth * bytesOfElement, bytesOfCycle);
  const int64_t work = std::max(multiply, read);
  return latency + steps * std::max(latency / stepsAhead, rounds * work);
}

/// The depth of a step: that which covers the whole with the least waste; of
/// several the first of these.
static int64_t depthOfStep(int64_t depth) {
  int64_t best = 0, least = std::numeric_limits<int64_t>::max();
  for (int64_t each : {32, 48, 64, 80, 16})
    if (int64_t covered = int64_t(llvm::alignTo(depth, each));
        covered < least) {
      least = covered;
      best = each;
    }
  return best;
}

MatrixTile chooseMatrixTile(const MatrixSizes &sizes,
                            ArrayRef<MatrixUnit> units) {
  MatrixTile tile;
  tile.depth = depthOfStep(sizes.depth);
  // Threads share powers of two evenly: others must save an eighth.
  auto extents = [](int64_t size) {
    SmallVector<int64_t> result;
    const auto most = std::min<int64_t>(
        largestExtent, int64_t(llvm::alignTo(size, unitExtent)));
    for (int64_t extent = most; extent > 0; extent -= unitExtent) {
      const auto even = int64_t(llvm::bit_floor(uint64_t(extent)));
      if (extent == even ||
          llvm::alignTo(size, extent) * 8 <= llvm::alignTo(size, even) * 7)
        result.push_back(extent);
    }
    return result;
  };
  struct Candidate {
    MatrixTile tile;
    int64_t cycles = 0;
  };
  SmallVector<Candidate> candidates;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t rows : extents(sizes.rows))
    for (int64_t columns : extents(sizes.columns)) {
      Candidate candidate{{rows, columns, tile.depth}};
      for (const MatrixUnit &unit : units)
        candidate.cycles += cyclesOf(candidate.tile, sizes, unit);
      least = std::min(least, candidate.cycles);
      candidates.push_back(candidate);
    }
  // What the programs of a tile read together; then the area.
  auto order = [&](const Candidate &candidate) {
    const auto [rows, columns, depth] = candidate.tile;
    const auto reads =
        int64_t(llvm::divideCeil(sizes.rows, rows) *
                llvm::divideCeil(sizes.columns, columns) * (rows + columns));
    return std::pair(reads, -rows * columns);
  };
  const Candidate *best = nullptr;
  for (const Candidate &candidate : candidates)
    if (candidate.cycles * 4 <= least * 5 &&
        (!best || order(candidate) < order(*best)))
      best = &candidate;
  return best->tile;
}

} // namespace tilewright::graph
