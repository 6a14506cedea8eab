//===- Atomics.h - Atomic updates, orders and scopes ------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_ATOMICS_H
#define TILEWRIGHT_CODEGEN_NVPTX_ATOMICS_H

#include "codegen/nvptx/Emission.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilewright::nvptx {

/// An order and a scope of the tile level.
struct Ordering {
  tile::MemoryOrder order;
  tile::MemoryScope scope;
};

/// The syncscope of LLVM IR.
llvm::StringRef syncScope(tile::MemoryScope scope,
                          const target::GpuTarget &target);
mlir::LLVM::AtomicOrdering llvmOrdering(tile::MemoryOrder order);

/// Updates neighbours from `address` on, where `isUpdated` (i1; null:
/// everywhere) is true. Their number is a power of two, and divides `address`.
void updateGroup(Emission &e, tile::AtomicKind kind, Ordering ordering,
                 mlir::Value address, mlir::Value isUpdated,
                 mlir::Value values);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_ATOMICS_H
