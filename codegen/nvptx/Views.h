//===- Views.h - Views, and what control flow carries -----------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_VIEWS_H
#define TILEWRIGHT_CODEGEN_NVPTX_VIEWS_H

#include "codegen/nvptx/Emission.h"

namespace tilewright::nvptx {

/// A view of `type` at `base`; `next` returns the sizes and strides that are
/// dynamic in the type, in order.
View makeView(Emission &e, tile::ViewType type, mlir::Value base,
              llvm::function_ref<mlir::Value()> next);

/// The parts of values that control flow carries: for a view, its base and
/// dynamic sizes and strides. `bind` rebuilds the values from them.
llvm::SmallVector<mlir::Value> partsOf(Emission &e, mlir::ValueRange values);
llvm::SmallVector<mlir::Type> partTypesOf(Emission &e, mlir::TypeRange types);
void bind(Emission &e, mlir::ValueRange values, mlir::ValueRange parts);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_VIEWS_H
