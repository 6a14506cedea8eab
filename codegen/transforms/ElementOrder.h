//===- ElementOrder.h - How a tile of a view lies in memory ------*- C++
//-*-===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_ELEMENTORDER_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_ELEMENTORDER_H

#include "codegen/layout/Layout.h"
#include "tilewright/mlir/Tile.h"
#include <string>

namespace tilewright::tilegpu {

/// Bytes of the widest access of a thread.
inline constexpr int64_t kWidestAccess = 16;

/// What is known of the addresses of a tile that is loaded or stored.
struct ElementOrder {
  /// The tile's dimensions by ascending stride, as far as strides are known:
  /// the fastest first.
  layout::Dims order;
  /// The number of neighbours along order[0], a power of two, that are
  /// contiguous and aligned to their total size: 1 if nothing is known.
  int64_t contiguous = 1;
  /// The same of neighbours of which all are in the view or none, where the
  /// tile extends beyond it. At most as many.
  int64_t contiguousAtEdge = 1;
  /// The reason why `contiguous` is not larger, for people.
  const char *limit = "";
  /// What the author of the kernel may do about it.
  std::string remedy = {};
};

/// Of the tile that `op` reads or writes.
ElementOrder elementOrder(tile::ViewAccessOpInterface op);
/// Of what a tile of pointers leads to: the dimension along which most are
/// neighbours, then the others.
ElementOrder elementOrder(tile::PointerAccessOpInterface op);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_ELEMENTORDER_H
