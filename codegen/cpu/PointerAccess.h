//===- PointerAccess.h - Accesses through pointers, one by one --*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_POINTERACCESS_H
#define TILEWRIGHT_CODEGEN_CPU_POINTERACCESS_H

#include "codegen/cpu/Emission.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilewright::cpu {

/// An access through one pointer with elements of the operands; returns the
/// value read, or null.
using Access =
    llvm::function_ref<mlir::Value(mlir::Value pointer, mlir::ValueRange)>;

/// The same order as LLVM has it.
mlir::LLVM::AtomicOrdering orderingOf(tile::MemoryOrder order);

/// Calls `access` for each pointer with the elements of the operands; where
/// the mask is false the result is 0. `result` is null if there is none.
mlir::LogicalResult forEachPointer(mlir::Value pointers, mlir::Value mask,
                                   mlir::ValueRange operands,
                                   mlir::Value result, Emission &e,
                                   Access access);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_POINTERACCESS_H
