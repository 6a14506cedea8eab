//===- Draw.h - Layouts for people ------------------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_DRAW_H
#define TILEWRIGHT_CODEGEN_LAYOUT_DRAW_H

#include "codegen/layout/Layout.h"
#include "tilewright/support/Export.h"

#include <string>

namespace tilewright::layout {

/// A summary of a layout in a few lines: its text, shape, registers per thread,
/// copies, the widest access along the last dimension.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string describe(const Layout &layout);

struct DrawOptions {
  /// The tile; beyond it is padding, which is not drawn. Empty: all that the
  /// layout covers.
  Dims shape = {};
  /// Rows and columns that are drawn of each matrix; the rest is elided.
  int64_t maxRows = 64, maxColumns = 64;
  /// For layouts in memory: elements of so many bits, so that colours show
  /// banks.
  unsigned elementBits = 32;
};

/// The tile as a table of each coordinate's owner, as warp.lane:register, or of
/// its offset. Two dimensions make a matrix; with more there is a matrix for
/// each coordinate of the others.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
drawTable(const Layout &layout, const DrawOptions &options = {});

/// The same as SVG: threads, or banks, have different colours.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
drawSvg(const Layout &layout, const DrawOptions &options = {});

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_DRAW_H
