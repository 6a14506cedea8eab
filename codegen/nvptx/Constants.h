//===- Constants.h - Data of the module -------------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_CONSTANTS_H
#define TILEWRIGHT_CODEGEN_NVPTX_CONSTANTS_H

#include "codegen/nvptx/Emission.h"

namespace tilewright::nvptx {

/// The address of data of the module, the same for equal data.
mlir::Value dataOf(Emission &e, mlir::Attribute data, mlir::Type type);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_CONSTANTS_H
