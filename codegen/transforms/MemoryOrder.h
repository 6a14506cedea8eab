//===- MemoryOrder.h - How a tile of a view lies in memory ------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_MEMORYORDER_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_MEMORYORDER_H

#include "codegen/layout/Layout.h"
#include "tilewright/mlir/Tile.h"
#include <string>

namespace tilewright::gpu {

/// Bytes of the widest access of a thread.
inline constexpr int64_t kWidestAccess = 16;

/// What is known of the addresses of a tile that is loaded or stored.
struct MemoryOrder {
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
MemoryOrder memoryOrder(tile::ViewAccessOpInterface op);
/// Of what a tile of pointers leads to: the dimension along which most are
/// neighbours, then the others.
MemoryOrder memoryOrder(tile::PointerAccessOpInterface op);

} // namespace tilewright::gpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_MEMORYORDER_H
