//===- WarpReduction.h - Layouts of a reduction within warps ----*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_TILEGPU_WARPREDUCTION_H
#define TILEWRIGHT_CODEGEN_TILEGPU_WARPREDUCTION_H

#include "codegen/layout/Layout.h"
#include <vector>

namespace tilewright::tilegpu {

/// The result of a reduction along one dimension of a tile in which each warp
/// combines its own elements, in registers and lanes.
struct WarpReduction {
  /// The dimension has one element for each warp that held other parts of it,
  /// in ascending order of the parts. Lanes that held parts hold copies.
  layout::Layout layout;
  /// How many warps hold elements of the tile, and not only padding: the size
  /// of the dimension.
  int64_t parts = 1;
  /// For each register of the operand, the result register that it contributes
  /// to; -1 where it holds a copy of another register's element.
  std::vector<int32_t> target;
  /// Lane masks: lanes l and l ^ mask hold parts of the same element.
  std::vector<unsigned> laneMasks;
};

/// Of a tile of `layout` along `dim`, where it has `size` elements. Rejected
/// where a hardware bit moves along more than one bit of a coordinate, or where
/// dealt repeats are not separable: convert first.
StatusOr<WarpReduction> warpReduction(const layout::Layout &layout,
                                      unsigned dim, int64_t size);

/// The layout of the same elements if each thread holds all of `dim` in
/// registers, and warps that held parts hold copies: the totals of a scan.
StatusOr<layout::Layout> gatherWarps(const layout::Layout &layout,
                                     unsigned dim);

/// The same with the parts in lanes that held copies, the rest in registers:
/// the operand of a reduction's second step. A warp then reads them in one pass
/// and combines them by shuffles; with all in each thread it reads 16 bytes in
/// four passes. Two parts stay in registers, since a shuffle costs as much.
StatusOr<layout::Layout> gatherWarpsInLanes(const layout::Layout &layout,
                                            unsigned dim);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TILEGPU_WARPREDUCTION_H
