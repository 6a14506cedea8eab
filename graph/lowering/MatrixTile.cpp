//===- MatrixTile.cpp - The tile of a product on matrix units -------------===//
#include "graph/lowering/MatrixTile.h"

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <limits>
#include <tuple>

using namespace mlir;

namespace tilewright::graph {

/// What an instruction takes along each dimension, at most.
static constexpr int64_t unitExtent = 16, largestExtent = 256,
                         mostResults = 128 * 256;

/// Bytes of shared memory that a step writes and reads. Each warp has a part of
/// the results, and reads what of the operands it needs.
static int64_t sharedBytes(const MatrixTile &tile, int64_t bytesOfElement) {
  constexpr int64_t rowsOfWarp = 64, columnsOfWarp = 64, fewResults = 128 * 64;
  const bool isSmall = tile.rows * tile.columns <= fewResults;
  const int64_t warpRows = llvm::divideCeil(tile.rows, rowsOfWarp),
                warpColumns = llvm::divideCeil(
                    tile.columns, isSmall ? columnsOfWarp / 2 : columnsOfWarp);
  const int64_t written = tile.rows + tile.columns,
                read = tile.rows * warpColumns + tile.columns * warpRows;
  return (written + read) * tile.depth * bytesOfElement;
}

int64_t cyclesOf(const MatrixTile &tile, const MatrixSizes &sizes,
                 const MatrixUnit &unit) {
  // The start of a launch. From global memory to registers, with the barrier of
  // a step, for which the copies of so many steps are on their way. What a
  // multiprocessor gets of the second cache and of shared memory in a cycle.
  constexpr int64_t launch = 2000, latency = 600, stepsAhead = 3,
                    bytesOfCache = 64, bytesOfShared = 128;
  const int64_t programs = llvm::divideCeil(sizes.rows, tile.rows) *
                           llvm::divideCeil(sizes.columns, tile.columns) *
                           sizes.count;
  const int64_t rounds = llvm::divideCeil(programs, unit.multiprocessors);
  const int64_t steps = llvm::divideCeil(sizes.depth, tile.depth);
  const int64_t multiply =
      llvm::divideCeil(int64_t(double(tile.rows * tile.columns * tile.depth) *
                               sizes.operands.timesOfHalves),
                       unit.productsOfCycle);
  const int64_t bytes = sizes.operands.bytesOfElement;
  const int64_t read = llvm::divideCeil(
      (tile.rows + tile.columns) * tile.depth * bytes, bytesOfCache);
  const int64_t shared =
      llvm::divideCeil(sharedBytes(tile, bytes), bytesOfShared);
  const int64_t work = std::max({multiply, read, shared});
  return launch + latency +
         steps * std::max(latency / stepsAhead, rounds * work);
}

/// The depth of a step: 64 elements, of more than two bytes as many bytes,
/// where another does not cover the whole with an eighth less.
static int64_t depthOfStep(int64_t depth, int64_t bytesOfElement) {
  constexpr int64_t elements = 64, bytes = 128, mostBytes = 160;
  int64_t best = std::min(elements, bytes / bytesOfElement);
  for (int64_t each : {32, 48, 80, 16})
    if (each * bytesOfElement <= mostBytes &&
        llvm::alignTo(depth, each) * 8 <= llvm::alignTo(depth, best) * 7)
      best = each;
  return best;
}

MatrixTile chooseMatrixTile(const MatrixSizes &sizes,
                            ArrayRef<MatrixUnit> units) {
  MatrixTile tile;
  tile.depth = depthOfStep(sizes.depth, sizes.operands.bytesOfElement);
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
      if (rows * columns > mostResults)
        continue;
      Candidate candidate{{rows, columns, tile.depth}};
      for (const MatrixUnit &unit : units)
        candidate.cycles += cyclesOf(candidate.tile, sizes, unit);
      least = std::min(least, candidate.cycles);
      candidates.push_back(candidate);
    }
  // What the programs of a tile read together; then the area; then long rows.
  auto order = [&](const Candidate &candidate) {
    const auto [rows, columns, depth] = candidate.tile;
    const auto reads =
        int64_t(llvm::divideCeil(sizes.rows, rows) *
                llvm::divideCeil(sizes.columns, columns) * (rows + columns));
    return std::tuple(reads, -rows * columns, rows);
  };
  const Candidate *best = nullptr;
  for (const Candidate &candidate : candidates)
    if (candidate.cycles * 4 <= least * 5 &&
        (!best || order(candidate) < order(*best)))
      best = &candidate;
  return best->tile;
}

} // namespace tilewright::graph
