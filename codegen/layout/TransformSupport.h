//===- TransformSupport.h - What transforms share ---------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_TRANSFORMSUPPORT_H
#define TILEWRIGHT_CODEGEN_LAYOUT_TRANSFORMSUPPORT_H

#include "codegen/layout/Transforms.h"

#include <functional>
#include <unordered_map>

namespace tilewright::layout {

/// Finds items (registers or offsets) by the coordinates that thread 0 has in
/// them; the first of copies.
class ItemIndex {
public:
  explicit ItemIndex(const Layout &layout);
  /// -1: the layout does not cover it, or another thread has it.
  [[nodiscard]] int32_t find(const Dims &coordinates) const;

private:
  Dims shape;
  std::unordered_map<int64_t, int32_t> items;
};

/// The coordinates of an item in thread 0 of block 0.
[[nodiscard]] Dims itemCoordinates(const Layout &layout, int64_t item);

/// A transform's result, its sources found by coordinates: `toOperand` maps an
/// element's coordinates in the result to those in the operand. Transforms
/// treat all threads the same, so thread 0 suffices. Rejected where offsets in
/// memory would have to be renumbered.
StatusOr<Transformed>
withSources(const Layout &result, const Layout &operand,
            const std::function<Dims(const Dims &)> &toOperand);

/// A transform of a layout whose warps are all in its cell, or hold copies of
/// what others hold: `transform` gets the layout of one such group. Rejected
/// where repeats are dealt.
StatusOr<Transformed> ofEachPart(
    const char *name, const Layout &layout,
    const std::function<StatusOr<Transformed>(const Layout &)> &transform);

/// The bit of the register (or offset) that moves by exactly 2^log2 along
/// `dim`; -1 where there is none.
[[nodiscard]] int pureItemBit(const Layout &layout, unsigned dim,
                              unsigned log2);

/// The columns of `layout` in a cell of other bits, their coordinates changed.
template <typename Change>
LayoutBuilder mapCoordinates(const Layout &layout, const Dims &cellBits,
                             const Repeats &repeats, Change change) {
  LayoutBuilder builder(layout.kind(), cellBits, repeats);
  for (HardwareDim hardwareDim : allHardwareDims)
    for (Bits column : layout.columns(hardwareDim))
      builder.addColumn(
          hardwareDim,
          cellIndexOf(change(layout.cellCoordinates(column)), cellBits));
  return builder;
}

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_TRANSFORMSUPPORT_H
