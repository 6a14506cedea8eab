//===- Values.h - Values that emitters build --------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_VALUES_H
#define TILEWRIGHT_CODEGEN_NVPTX_VALUES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright::nvptx {

/// The lowered type of a scalar or a tile.
mlir::Type typeOf(mlir::Type type);

//===--- Scalars and vectors ----------------------------------------------===//

mlir::Value index(mlir::ImplicitLocOpBuilder &b, int64_t value);
mlir::Value integer(mlir::ImplicitLocOpBuilder &b, int64_t value,
                    unsigned bits = 32);
mlir::Value zero(mlir::ImplicitLocOpBuilder &b, mlir::Type type);
mlir::Value splat(mlir::ImplicitLocOpBuilder &b, mlir::Value scalar,
                  int64_t count);
mlir::Value element(mlir::ImplicitLocOpBuilder &b, mlir::Value vector,
                    int64_t at);
mlir::Value vectorOf(mlir::ImplicitLocOpBuilder &b,
                     llvm::ArrayRef<mlir::Value> elements);
/// Elements `from` of a vector; where that is -1, any.
mlir::Value pick(mlir::ImplicitLocOpBuilder &b, mlir::Value vector,
                 llvm::ArrayRef<int32_t> from);
/// The elements of two vectors, one after the other.
mlir::Value joined(mlir::ImplicitLocOpBuilder &b, mlir::Value first,
                   mlir::Value second);
/// The elements of vectors of one type, one after the other.
mlir::Value concatenated(mlir::ImplicitLocOpBuilder &b,
                         llvm::ArrayRef<mlir::Value> vectors);

/// The accumulators of a dot as they are added up: floats of 16 bits in f32, to
/// be rounded once; others as they are. And back, to `type`.
mlir::Value addedUp(mlir::ImplicitLocOpBuilder &b, mlir::Value accumulators);
mlir::Value rounded(mlir::ImplicitLocOpBuilder &b, mlir::Value sums,
                    mlir::Type type);

/// An address, i64, as LLVM's pointer to global memory.
mlir::Value globalPointer(mlir::ImplicitLocOpBuilder &b, mlir::Value address);

//===--- Under a condition ------------------------------------------------===//

/// Emits `body` for the threads where `condition` is true; null: for all.
void emitWhen(mlir::ImplicitLocOpBuilder &b, mlir::Value condition,
              llvm::function_ref<void()> body);
/// The same for a value; in the other threads it is `otherwise`.
mlir::Value emitWhen(mlir::ImplicitLocOpBuilder &b, mlir::Value condition,
                     mlir::Value otherwise,
                     llvm::function_ref<mlir::Value()> body);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_VALUES_H
