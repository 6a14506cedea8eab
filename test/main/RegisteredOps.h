//===- RegisteredOps.h - The ops of a dialect -------------------*- C++ -*-===//
#ifndef TILEWRIGHT_TEST_MAIN_REGISTEREDOPS_H
#define TILEWRIGHT_TEST_MAIN_REGISTEREDOPS_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"

namespace tilewright::test {

/// The ops that a loaded dialect has registered, in order. MLIR 22's
/// getRegisteredOperationsByDialect searches with a comparison that is no
/// order, and may find none.
inline llvm::SmallVector<mlir::RegisteredOperationName>
registeredOps(mlir::MLIRContext &context, llvm::StringRef dialect) {
  return llvm::to_vector(llvm::make_filter_range(
      context.getRegisteredOperations(), [&](mlir::RegisteredOperationName op) {
        return op.getDialectNamespace() == dialect;
      }));
}

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_MAIN_REGISTEREDOPS_H
