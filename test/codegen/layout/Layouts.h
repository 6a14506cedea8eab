//===- Layouts.h - Layouts that tests sweep over ----------------*- C++ -*-===//
#ifndef TILEWRIGHT_TEST_LAYOUT_LAYOUTS_H
#define TILEWRIGHT_TEST_LAYOUT_LAYOUTS_H

#include "codegen/layout/Conversion.h"

#include <functional>
#include <map>
#include <random>
#include <vector>

namespace tilewright::layout::test {

/// A layout and the text that a failing test shows.
struct Named {
  std::string name;
  Layout layout;
};

/// Layouts in registers of each family: blocked of ranks 0 to 3 in all orders,
/// with extents that are no powers of two, slices of them, fragments. Of grids
/// of threads only one in `step` is taken along lanes and along warps.
const std::vector<Named> &registerLayouts(size_t step = 3);
/// Dense, swizzled and TMA layouts.
std::vector<Named> memoryLayouts();

/// Any layout in registers: random invertible columns, some of them free,
/// random repeats. `laneBits` and `warpBits` are given so that conversions can
/// be tried between two.
Layout randomRegisters(std::mt19937 &random, const Dims &cellBits,
                       const Dims &repeats, unsigned laneBits,
                       unsigned warpBits);

/// The layout of a text, and the plan between two; they must exist.
Layout parsed(const std::string &text);
ConversionPlan planned(const std::string &from, const std::string &to,
                       const ConversionOptions &options = {});

/// Calls `visit` for each hardware index of a layout.
void forEachIndex(const Layout &layout,
                  const std::function<void(const HardwareIndex &)> &visit);

/// The coordinates of an index computed bit by bit from the definition, with
/// nothing of the library but the accessors of columns and repeats.
Dims applySlowly(const Layout &layout, const HardwareIndex &index);

} // namespace tilewright::layout::test

#endif // TILEWRIGHT_TEST_LAYOUT_LAYOUTS_H
