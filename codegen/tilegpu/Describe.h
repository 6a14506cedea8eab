//===- Describe.h - Tiles and locations for people --------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_TILEGPU_DESCRIBE_H
#define TILEWRIGHT_CODEGEN_TILEGPU_DESCRIBE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"
#include <string>

namespace tilewright::tilegpu {

/// "9:10" of a file, or the node's name; "-" where there is neither.
std::string describe(mlir::Location location);

/// "128x64 bf16".
std::string describe(llvm::ArrayRef<int64_t> shape, mlir::Type element);
std::string describe(mlir::RankedTensorType tile);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TILEGPU_DESCRIBE_H
