//===- Transforms.h - Layouts of transposes, slices, reshapes ---*- C++ -*-===//
//
// Tile operations that rearrange a tile need no code where the result's layout
// can be chosen so that each thread has its elements already. These functions
// return that layout, and for each register of the result the operand's
// register with its value. Where no layout does it, they reject: convert first.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_TRANSFORMS_H
#define TILEWRIGHT_CODEGEN_LAYOUT_TRANSFORMS_H

#include "codegen/layout/Layout.h"

#include <vector>

namespace tilewright::layout {

/// A layout, and where its registers' (or offsets') elements were.
struct Transformed {
  Layout layout;
  /// For each register of `layout` one of the operand's; -1: padding.
  std::vector<int32_t> source;
  /// For transforms of several operands (join, concat): which one.
  std::vector<int32_t> operand;
};

/// The same tile with its repeats odd and the cell as large as can be.
Transformed normalize(const Layout &layout);

/// The same tile with a smaller cell, extents 2^cellBits[d]. Rejected unless
/// registers alone hold the bits that leave the cell.
StatusOr<Transformed> shrinkCell(const Layout &layout, const Dims &cellBits);

/// Dimension d of the result is dimension order[d] of the operand. Registers
/// and offsets keep their numbers.
Layout permute(const Layout &layout, const Dims &order);

/// Adds a dimension of extent 1 in front of dimension `dim`.
StatusOr<Layout> expandDims(const Layout &layout, unsigned dim);

/// The layout of a reduction's result that keeps `dim` with extent 1: threads
/// that held parts of one fiber hold copies of its result. Copies within a
/// thread are left out.
StatusOr<Transformed> collapse(const Layout &layout, unsigned dim);

/// The same without the dimension.
StatusOr<Transformed> slice(const Layout &layout, unsigned dim);

/// The layout of slice(layout, dim) alone, in time and memory that do not
/// depend on how many registers there are.
StatusOr<Layout> slicedLayout(const Layout &layout, unsigned dim);

/// For each register of `layout` the one of collapse(layout, dim), or of
/// slice(layout, dim), that has its position: what a reduction adds it to, and
/// what a broadcast to `layout` reads.
std::vector<int32_t> collapsedRegister(const Layout &layout, unsigned dim);

/// A dimension of extent 1 to `extent`: each thread holds all of it.
StatusOr<Transformed> broadcast(const Layout &layout, unsigned dim,
                                int64_t extent);

/// A row-major reshape of a tile of `shape` to `newShape`.
StatusOr<Transformed> reshape(const Layout &layout, const Dims &shape,
                              const Dims &newShape);

/// `count` tiles of one layout side by side along a new last dimension.
StatusOr<Transformed> join(const Layout &layout, int64_t count);

/// Part `index` of the last dimension, which is dropped: the inverse of join.
StatusOr<Transformed> split(const Layout &layout, int64_t index);

/// Tiles one after the other along `dim`. Their layouts differ in repeats of
/// `dim` only, and each covers its tile exactly there.
StatusOr<Transformed> concat(std::span<const Layout> parts, unsigned dim);

/// Elements offsets[d] + steps[d] * i, i < sizes[d], of a tile. Steps are
/// powers of two.
StatusOr<Transformed> extract(const Layout &layout, const Dims &offsets,
                              const Dims &sizes, const Dims &steps);

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_TRANSFORMS_H
