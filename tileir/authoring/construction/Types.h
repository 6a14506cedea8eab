// Types and shapes of tiles. Not for users.
#ifndef TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_TYPES_H
#define TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_TYPES_H

#include "tileir/authoring/construction/KernelBuilder.h"

namespace tilewright::authoring {

/// "64x32"; "no dimensions".
std::string shapeText(llvm::ArrayRef<int64_t> shape);

mlir::Type typeOf(KernelBuilder &c, ElementType type);
/// Null and an error where a size is below 1 or the tile is too large.
mlir::RankedTensorType tileType(KernelBuilder &c, detail::Sizes shape,
                                mlir::Type element,
                                const std::source_location &where);
/// Counts a negative axis from the end: -1 is the last dimension. An error
/// where the tile has no such dimension.
bool checkAxis(KernelBuilder &c, llvm::StringRef name, int &axis,
               mlir::Value tile, const std::source_location &where);

} // namespace tilewright::authoring

#endif // TILEWRIGHT_TILEIR_AUTHORING_CONSTRUCTION_TYPES_H
