//===- SourceDims.h - Where the dimensions of turned tiles come from ------===//
#ifndef TILEWRIGHT_CODEGEN_CPU_SOURCEDIMS_H
#define TILEWRIGHT_CODEGEN_CPU_SOURCEDIMS_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace tilewright::cpu {

/// Whether the op is a transpose or a reshape: the same elements, found through
/// other dims.
bool rearrangesTile(mlir::Operation *op);

/// Dims that are one dim together, the innermost last; none for one of size 1
/// that was added.
using DimGroup = llvm::SmallVector<int>;

/// The dims of the first operand that those of a transpose follow, or of a
/// reshape which only merges dims and adds or drops such of size 1; none for
/// other ops.
std::optional<llvm::SmallVector<DimGroup>>
dimGroupsOfSource(mlir::Operation *op);

/// The same of ops that merge nothing; -1 for a dim that was added.
std::optional<llvm::SmallVector<int>> dimsOfSource(mlir::Operation *op);

/// Whether the op rearranges a tile so that no dim of its result is one of its
/// source: its elements are found in memory only.
bool mergesDims(mlir::Operation *op);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_SOURCEDIMS_H
