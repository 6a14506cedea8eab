//===- ContractionMatrix.h - Contractions as products of matrices -*- C++ -*-=//
#ifndef TILEWRIGHT_GRAPH_LOWERING_CONTRACTIONMATRIX_H
#define TILEWRIGHT_GRAPH_LOWERING_CONTRACTIONMATRIX_H

#include "graph/lowering/TileSizes.h"
#include <optional>

namespace tilewright::graph {

/// How a contraction's result is a matrix.
struct ContractionMatrix {
  llvm::SmallVector<unsigned> rows, columns, batch; // result dims of the group
  bool hasWindows = false;
  /// Whether the right side is put in order before it is read: windows, and
  /// several dimensions.
  bool isPacked = false;
};

/// Of a group whose root is a contraction.
ContractionMatrix matrixOf(const Group &group, const TileLimits &limits);

/// The tile on matrix units; nothing where they do not serve the product, its
/// rows or columns are few, or rows of several dimensions fill a tile together.
std::optional<MatrixTile> matrixTileOf(const Group &group,
                                       const TileLimits &limits);

/// The tile of a convolution on matrix units, whose columns are pixels; its
/// depth divides the channels. Nothing where matrix units do not serve it: few
/// channels or filters, unknown sizes.
std::optional<MatrixTile> windowTileOf(const Group &group,
                                       const TileLimits &limits);

/// Sets the filters of a tile, and its pixels: of each row of the image as many
/// as fit, then rows. `found` is of windowTileOf().
void setWindows(const Group &group, const TileLimits &limits,
                const MatrixTile &found, llvm::MutableArrayRef<int64_t> tile);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_CONTRACTIONMATRIX_H
