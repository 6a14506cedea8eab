//===- DrawMatrix.h - What tables and pictures show -------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_DRAWMATRIX_H
#define TILEWRIGHT_CODEGEN_LAYOUT_DRAWMATRIX_H

#include "codegen/layout/Draw.h"

#include <vector>

namespace tilewright::layout {

/// A matrix of owners, row-major, of what is shown.
struct Matrix {
  std::string title; // "[0, :, :]"; empty for ranks up to 2.
  int64_t rows = 1, columns = 1, shownRows = 1, shownColumns = 1;
  std::vector<HardwareIndex> holders;

  [[nodiscard]] bool isWhole() const {
    return shownRows == rows && shownColumns == columns;
  }
  /// "shown: 64 of 128 rows, ..."
  [[nodiscard]] std::string elision() const;
};

/// At most 16 matrices.
[[nodiscard]] std::vector<Matrix> matricesOf(const Layout &layout,
                                             const DrawOptions &options);

/// "block/warp.lane", as far as there are several; empty in memory.
[[nodiscard]] std::string threadText(const Layout &layout,
                                     const HardwareIndex &holder);

/// What the text of an element means.
[[nodiscard]] std::string legend(const Layout &layout);

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_DRAWMATRIX_H
