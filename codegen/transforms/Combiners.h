//===- Combiners.h - Steps of reductions and scans --------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_COMBINERS_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_COMBINERS_H

#include "codegen/tilegpu/TileGpu.h"
#include "codegen/tilegpu/WarpReduction.h"
#include "mlir/IR/Builders.h"

namespace tilewright::tilegpu {

/// Copies a region that combines elements, of tile.reduce or tile.scan, for an
/// op of the scheduled level. If `reversed`, left and right are swapped.
void cloneCombiner(mlir::Region &from, mlir::Region &to, bool reversed = false);

/// Each warp's reduction of its part of `inputs` along `axis`: a tilegpu.reduce
/// for `op`, with its region. An error there if layouts forbid it.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
reduceWarps(mlir::OpBuilder &builder, mlir::Operation *op,
            mlir::Region &combiner, mlir::ValueRange inputs, int64_t axis,
            bool reversed = false);

/// How the parts of all warps come to each of them: gatherWarps or
/// gatherWarpsInLanes.
using Gathering = StatusOr<layout::Layout> (*)(const layout::Layout &layout,
                                               unsigned dim);

/// Gathers the `parts` of all warps along `axis`.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
gatherParts(mlir::OpBuilder &builder, mlir::Operation *op,
            mlir::ValueRange parts, int64_t axis, Gathering gathering);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_COMBINERS_H
