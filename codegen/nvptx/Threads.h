//===- Threads.h - What a thread's index says of its elements ---*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_THREADS_H
#define TILEWRIGHT_CODEGEN_NVPTX_THREADS_H

#include "codegen/layout/Layout.h"
#include "codegen/nvptx/Emission.h"

namespace tilewright::nvptx {

/// The program's index in the grid and the grid's size, as index values.
mlir::Value programId(Emission &e, unsigned dim);
mlir::Value programCount(Emission &e, unsigned dim);

/// `map` of an i32.
mlir::Value applyTo(Emission &e, mlir::Value bits,
                    const layout::LinearMap &map);
/// `map` of this thread's index in the block, as i32.
mlir::Value applyToThread(Emission &e, const layout::LinearMap &map);
/// What this thread adds to the coordinate along `dim` of its registers, where
/// the layout is separable. Otherwise, of dealt repeats: in a separable cell.
mlir::Value threadPart(Emission &e, const layout::Layout &layout, unsigned dim);
/// What register `reg` adds to it: the same for all threads.
int64_t registerPart(const layout::Layout &layout, int64_t reg, unsigned dim);
/// Of repeats that are not separable, what the repeat of register `reg` adds in
/// this thread, as i32; else null.
mlir::Value repeatPart(Emission &e, const layout::Layout &layout, int64_t reg,
                       unsigned dim);
/// The coordinate along `dim` of each register, as a vector of i32.
mlir::Value coordinates(Emission &e, const layout::Layout &layout,
                        unsigned dim);
/// Whether this is thread 0 of the block.
mlir::Value isFirstThread(Emission &e);
/// Whether this thread owns its elements; null where all do. Where that depends
/// on the round of dealt repeats, threads may own what others own, too.
mlir::Value ownsElements(Emission &e, const layout::Layout &layout);
/// Which registers hold elements of a tile of `shape`, as a vector of i1;
/// null where all do.
mlir::Value inTile(Emission &e, const layout::Layout &layout,
                   llvm::ArrayRef<int64_t> shape);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_THREADS_H
