//===- SortKeys.h - Keys as numbers that order like them --------*- C++ -*-===//
//
// A key becomes an unsigned number of 16, 32 or 64 bits in the order of the
// sort, and its position is appended: as its low bits where that fits 64 bits,
// else as a second number. So no two are equal.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_SORTKEYS_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_SORTKEYS_H

#include "codegen/tilegpu/TileGpu.h"
#include "mlir/IR/Builders.h"

namespace tilewright::tilegpu {

struct KeyOrder {
  bool isDescending = false;
  /// Of integers: as they are, not as two's complement.
  bool isUnsigned = false;
};

/// The numbers of `keys`: one tile, or two of which the first counts more.
/// `positions`, i32, are below `length`.
llvm::SmallVector<mlir::Value> uniqueKeys(mlir::OpBuilder &builder,
                                          mlir::Location loc, mlir::Value keys,
                                          mlir::Value positions, int64_t length,
                                          KeyOrder order);

/// Whether x sorts before y, as i1; x and y are made by uniqueKeys.
mlir::Value keyIsLess(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::ValueRange x, mlir::ValueRange y);

/// The positions, i32, that uniqueKeys received.
mlir::Value locationOf(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::ValueRange numbers);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_SORTKEYS_H
