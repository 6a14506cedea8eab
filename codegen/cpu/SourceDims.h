//===- SourceDims.h - Where the dimensions of turned tiles come from ------===//
#ifndef TILEWRIGHT_CODEGEN_CPU_SOURCEDIMS_H
#define TILEWRIGHT_CODEGEN_CPU_SOURCEDIMS_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace tilewright::cpu {

/// The dims of the first operand that those of a transpose follow, or of a
/// reshape which only adds (-1) or drops dims of size 1; none for other ops.
std::optional<llvm::SmallVector<int>> dimsOfSource(mlir::Operation *op);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_SOURCEDIMS_H
