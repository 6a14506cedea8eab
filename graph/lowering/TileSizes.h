//===- TileSizes.h - The tile of one program of a group ---------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_TILESIZES_H
#define TILEWRIGHT_GRAPH_LOWERING_TILESIZES_H

#include "graph/analysis/Group.h"
#include "graph/lowering/MatrixTile.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright::graph {

/// Sizes, in elements, that suit the memories near a core. The defaults are for
/// one core of a CPU.
struct TileLimits {
  /// Columns and rows of a contraction's output tile.
  int64_t contractionColumns = 64;
  int64_t contractionRows = 256;
  /// Columns where several dimensions or windows have to be put in order first.
  int64_t packedColumns = 128;
  /// Columns where there are fewer than `contractionRows`: what is read of a
  /// row of the right side should be long; and with more rows than the blocks
  /// of one pass, which read it again, so that it stays in a cache.
  int64_t widestColumns = 1024;
  int64_t rereadColumns = 512;
  /// Depth of one step of a contraction; and, for elements of 32 bits, of one
  /// that reads a matrix once, for one row or for few (for up to four, and for
  /// more), if it has more elements than caches hold.
  int64_t contractionDepth = 256;
  int64_t streamedDepth = 16, thinDepth = 128;
  int64_t cachedElements = 2 << 20;
  /// Where windows are packed for each step: elements of one, and elements of
  /// the other side that the steps at all points of a window read, each a part
  /// of the same cache lines.
  int64_t packedElements = 12 << 10;
  int64_t windowElements = 160 << 10;
  /// Elements of a tile of elementwise work.
  int64_t elementwiseElements = 2048;
  /// Elements that one step of another reduction reads.
  int64_t reductionElements = 4096;
  /// The tile along a dimension of unknown size.
  int64_t dynamicTile = 64;
  /// Whether threads share a tile: the parts of a dimension are then powers of
  /// two, or multiples of what threads share evenly.
  bool isShared = false;
  /// The number of programs that keeps the device busy, and how many run at a
  /// time: tiles shrink, down to `leastElements`, until there are enough
  /// programs and the last to run do not leave others waiting long.
  int64_t programs = 1;
  int64_t programsAtOnce = 1;
  int64_t leastElements = 1;
  /// Of a contraction: the least multiplications per program, used instead of a
  /// number of elements; 0: none.
  int64_t leastProducts = 0;
  /// Of a contraction with few rows, which is bound by reading its matrix: the
  /// least bytes of it per program.
  int64_t leastMatrixBytes = 0;
  /// Of the GPUs that share the kernels; empty: products are multiplied and
  /// added.
  llvm::SmallVector<MatrixUnit> matrixUnits = {};
  /// Of products of f32: matrix units compute those that may be rounded.
  tile::DotPrecision precision = tile::DotPrecision::ieee;

  /// For a CPU on which `threads` run at a time.
  static TileLimits cpu(unsigned threads);
  /// For the multiprocessors of GPUs; `units` if all of them have some.
  static TileLimits gpu(llvm::ArrayRef<MatrixUnit> units);
};

/// How a group is split into programs and steps.
struct TileSizes {
  /// For each dimension of the group's result.
  llvm::SmallVector<int64_t> tile;
  /// For each reduction of the group, a size for each of its loops; only the
  /// entries of reduction loops count.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t>> steps;
  /// Whether the loops of a reduction accumulate whole tiles, which are reduced
  /// once behind the loops: threads exchange nothing in between.
  bool defersReductions = false;
  /// Whether the loops of a product are one loop: then copies for its steps can
  /// start early. Their sizes are multiples of their steps.
  bool joinsLoops = false;
  /// Whether what the points of a window read is loaded once for all of them:
  /// threads take it from shared memory.
  bool sharesWindows = false;
  /// The dimension of the result that programs walk along first; none: the
  /// innermost of those that are tiled.
  std::optional<unsigned> fastest;
};

/// Chooses the tile of `group`: one size for each dimension of its result.
llvm::SmallVector<int64_t> chooseTile(const Group &group,
                                      const TileLimits &limits);

/// The loops of a reduction of `group` that may be walked in steps. Those of
/// windows are walked point by point where two of them share a subscript, so
/// that each tile is one structured load; those of whole rows are not split.
llvm::SmallVector<unsigned> steppedLoops(const Group &group,
                                         mlir::Operation *reduction);

/// Chooses the steps of the reductions of `group` for `sizes.tile`.
void chooseSteps(const Group &group, const TileLimits &limits,
                 TileSizes &sizes);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_TILESIZES_H
