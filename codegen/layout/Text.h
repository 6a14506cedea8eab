//===- Text.h - Layouts as text ---------------------------------*- C++ -*-===//
//
// A layout prints as its columns: for each hardware bit, in parentheses, the
// coordinates that the bit adds:
//
//   registers cell=16x8 repeats=1x3 register=(0,1),(8,0)
//     lane=(0,2),(0,4),(1,0),(2,0),(4,0) warp=(0,0)
//
// (on one line). Hardware dimensions without bits are left out, and so are
// `repeats` that are all 1. `memory` has the axes offset and block. Families
// are parsed by their names too; docs/layouts.md lists them.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_TEXT_H
#define TILEWRIGHT_CODEGEN_LAYOUT_TEXT_H

#include "codegen/layout/Layout.h"
#include "tilewright/support/Export.h"

#include <string>

namespace tilewright::layout {

/// The layout's columns; parse(print(layout)) is equal to it.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string print(const Layout &layout);

/// Reads a layout or a family. Rejected with the column (from 1), what was
/// expected and what was found.
TILEWRIGHT_PRIVATE_API StatusOr<Layout> parse(std::string_view text);

/// Bits of an element type by its name ("bf16", "f8E4M3FN", "i8"); 0: unknown.
[[nodiscard]] unsigned elementTypeBits(std::string_view name);

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_TEXT_H
