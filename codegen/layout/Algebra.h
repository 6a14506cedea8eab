//===- Algebra.h - Products, quotients and relations of layouts -*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_ALGEBRA_H
#define TILEWRIGHT_CODEGEN_LAYOUT_ALGEBRA_H

#include "codegen/layout/Layout.h"

namespace tilewright::layout {

/// `outer` copies of `inner`, side by side. On each axis the bits of `inner`
/// are the lower ones, and
///   coordinate = inner coordinate + inner extent * outer coordinate.
/// Rejected where `inner` has repeats, or where kinds or ranks differ.
StatusOr<Layout> product(const Layout &inner, const Layout &outer);

/// The layout `outer` with product(inner, outer) == `layout`: checks whether a
/// layout consists of whole instruction tiles. Rejected, with the axis at
/// fault, where there is none.
StatusOr<Layout> divide(const Layout &layout, const Layout &inner);

/// The part of a tile that one index of `axis` holds: `layout` without that
/// axis, the extents shrunk by what the axis chose. Rejected unless the bits
/// of `axis` choose bits of coordinates that no other axis touches.
StatusOr<Layout> quotient(const Layout &layout, HardwareDim hardwareDim);

/// `layout` after `map`: index x of the axis holds the former element of index
/// map(x). The map's argument may have more bits than the axis, or fewer.
StatusOr<Layout> compose(const Layout &layout, HardwareDim hardwareDim,
                         const LinearMap &map);

/// From packed indices of `from` to packed indices of `to` that hold the same
/// element: the owner of `to`. Both must have the same cell.
StatusOr<LinearMap> relate(const Layout &from, const Layout &to);

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_ALGEBRA_H
