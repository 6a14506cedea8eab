//===- Views.h - Views, and what control flow carries -----------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_VIEWS_H
#define TILEWRIGHT_CODEGEN_NVPTX_VIEWS_H

#include "codegen/nvptx/Emission.h"

namespace tilewright::nvptx {

/// A view of `type` at `base`; `next` gives the sizes and strides that the
/// type leaves open, in order.
View makeView(Emission &e, tile::ViewType type, mlir::Value base,
              llvm::function_ref<mlir::Value()> next);

/// What control flow carries for values: of a view, its base and what its
/// type leaves open. `bind` makes the values of these again.
llvm::SmallVector<mlir::Value> partsOf(Emission &e, mlir::ValueRange values);
llvm::SmallVector<mlir::Type> partTypesOf(Emission &e, mlir::TypeRange types);
void bind(Emission &e, mlir::ValueRange values, mlir::ValueRange parts);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_VIEWS_H
