//===- Refine.h - A layout seen over a larger cell --------------*- C++ -*-===//
//
// Two layouts of one tile may have different cells. Over a cell that both
// divide, both are linear maps again: some repeats of the smaller cell become
// bits of the register (or offset). A table maps such a *virtual* index to its
// register; some have none.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_REFINE_H
#define TILEWRIGHT_CODEGEN_LAYOUT_REFINE_H

#include "codegen/layout/Layout.h"

#include <vector>

namespace tilewright::layout {

/// A cell and repeats, row-major.
struct Frame {
  Dims cellBits, repeats;
  [[nodiscard]] int64_t repeatCount() const { return repeats.product(); }
};

/// The least cell that the cells of both divide, with repeats enough for both.
/// They must have the same rank.
[[nodiscard]] Frame commonFrame(const Layout &a, const Layout &b);

/// A layout over a frame.
struct Refined {
  /// Bits of the virtual item (register or offset).
  unsigned itemBits = 0;
  /// From the packed virtual index to the row-major index in the frame's cell.
  LinearMap map;
  /// The item of [repeat << itemBits | virtual item]; -1 where there is none,
  /// because its element is beyond the layout's shape.
  std::vector<int32_t> items;

  [[nodiscard]] int32_t item(int64_t repeat, Bits virtualItem) const {
    return items[size_t(repeat) << itemBits | virtualItem];
  }
  [[nodiscard]] LinearMap itemMap() const { return map.restrict(0, itemBits); }
  /// The map of what follows the item: lane, warp and block bits.
  [[nodiscard]] LinearMap threadMap() const {
    return map.restrict(itemBits, map.inBits() - itemBits);
  }
};

/// `layout` over `frame`, whose cell must be a multiple of the layout's and
/// which must cover it; its repeats must be plain.
[[nodiscard]] Refined refine(const Layout &layout, const Frame &frame);

/// The map alone, without the table.
[[nodiscard]] LinearMap refinedMap(const Layout &layout, const Dims &cellBits);

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_REFINE_H
