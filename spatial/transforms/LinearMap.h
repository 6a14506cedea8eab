//===- LinearMap.h - A product with constants, as tiles ---------*- C++ -*-===//
//
// A sum of products with constants is a linear map from the elements of one
// tensor to those of another. Where both lie in vectors, it is a matrix of
// tiles: what a vector of the operand adds to a vector of the result. Most
// tiles are empty or equal to others, such as those of a convolution along an
// image.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SPATIAL_TRANSFORMS_LINEARMAP_H
#define TILEWRIGHT_SPATIAL_TRANSFORMS_LINEARMAP_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace tilewright::spatial {

/// What a linear map reads, and in which order its results come.
struct LinearLoops {
  /// Rows of results come from equal weights; batches have their own elements
  /// of the operand and their own weights; each sum has `depth` terms.
  int64_t rows = 0, batches = 1, depth = 0;
  /// How many rows are neighbours, such as the pixels of a line.
  int64_t line = 1;
  /// By column of results its batch.
  std::vector<int32_t> batchOf;

  [[nodiscard]] int64_t columns() const {
    return static_cast<int64_t>(batchOf.size());
  }
};

/// Where the operand's elements lie: for each row, batch and term vector x
/// lanes
/// + lane, or -1 where there is nothing to add.
using Slots = std::vector<int32_t>;

/// How results lie in vectors: those of `rows` rows, each of `columns`
/// neighbouring columns.
struct LinearPacking {
  int64_t rows = 1, columns = 1;
};

/// Groups of rows, each of the rows of one vector: the first one, and how many.
struct RowGroup {
  int64_t first = 0, count = 0;
};
std::vector<RowGroup> rowGroups(const LinearLoops &loops,
                                const LinearPacking &packing);

/// An element of the operand that a tile reads.
struct TileEntry {
  /// In its group, and in all batches.
  int32_t row = 0, batch = 0, term = 0;
  /// The lane where it lies.
  int32_t lane = 0;
};

/// Weights of equal content, and the vectors that they take to results.
struct Tile {
  std::vector<TileEntry> entries;
  /// Of the result's columns.
  int64_t chunk = 0;
  /// Lanes of the operand that it takes, from lane 0 on.
  int64_t depth = 0;
  struct Use {
    int64_t group = 0;
    int32_t vector = 0;
  };
  std::vector<Use> uses;
};

/// The tiles of a map, in the order of their first use.
std::vector<Tile> tilesOf(const LinearLoops &loops, const Slots &slots,
                          int64_t lanes, const LinearPacking &packing);

/// What a map takes, without its tiles themselves.
struct LinearCost {
  int64_t products = 0, tiles = 0, vectors = 0;
};
LinearCost costOf(const LinearLoops &loops, const Slots &slots, int64_t lanes,
                  const LinearPacking &packing);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_TRANSFORMS_LINEARMAP_H
