//===- Price.h - What moving a tile costs -----------------------*- C++ -*-===//
//
// Prices of conversions and of accesses of global memory, in what the machine
// runs out of. They are those of one block, once.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_PRICE_H
#define TILEWRIGHT_CODEGEN_LAYOUT_PRICE_H

#include "codegen/layout/Conversion.h"

namespace tilewright::layout {

struct Price {
  /// Instructions that warps issue.
  int64_t slots = 0;
  /// Passes of shared memory.
  int64_t wavefronts = 0;
  /// Sectors of 32 bytes of global memory that warps ask for.
  int64_t sectors = 0;
  /// Those of them that are written.
  int64_t written = 0;
  /// Lines of 128 bytes, four sectors, that each access touches.
  int64_t lines = 0;
  /// Accesses of global memory by warps.
  int64_t requests = 0;
  /// Arrivals of warps at barriers.
  int64_t barriers = 0;

  Price &operator+=(const Price &other);
  friend Price operator+(Price a, const Price &b) { return a += b; }
  friend Price operator*(const Price &price, int64_t times);
  friend bool operator==(const Price &, const Price &) = default;

  /// In issue slots. A multiprocessor issues four instructions in the cycle of
  /// one pass of shared memory, or of one line from its first cache, which has
  /// most of those that are asked for again. What is written goes on to the
  /// second cache, by sectors. A request takes a cycle for its addresses. A
  /// warp that waits at a barrier issues nothing for the trip through shared
  /// memory, of which other warps hide a part.
  [[nodiscard]] int64_t total() const {
    return slots + 4 * wavefronts + 4 * lines + 2 * written + 3 * requests +
           64 * barriers;
  }
};

/// Of a conversion of elements of `elementBits` bits between layouts of `warps`
/// warps.
[[nodiscard]] Price priceOf(const ConversionPlan &plan, unsigned elementBits,
                            int64_t warps);

/// A tile in global memory.
struct GlobalTile {
  Dims shape;
  /// The fastest dimension first.
  Dims order;
  unsigned elementBits = 32;
  /// As vectorAccess() takes them.
  unsigned alignmentBytes = 16, vectorBits = 128;
  /// Whether it is written: by the owners of its elements alone.
  bool isWritten = false;
};
/// Of a load or store with registers of `layout`.
[[nodiscard]] Price priceOfAccess(const Layout &layout, const GlobalTile &tile);

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_PRICE_H
