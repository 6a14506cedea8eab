//===- BuildTiles.h - Ops that expansions are made of -----------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_BUILDTILES_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_BUILDTILES_H

#include "codegen/tilegpu/TileGpu.h"
#include "mlir/IR/Builders.h"

namespace tilewright::tilegpu {

/// A tile whose elements are all `value`, an integer.
mlir::Value splatOf(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::RankedTensorType tile, int64_t value);

/// Unsigned numbers as those of `type`, truncated or zero-extended.
mlir::Value resizedUnsigned(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value numbers, mlir::RankedTensorType type);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_BUILDTILES_H
