//===- Buffers.h - Tiles in scratch memory ----------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_BUFFERS_H
#define TILEWRIGHT_CODEGEN_CPU_BUFFERS_H

#include "codegen/cpu/Emission.h"

namespace tilewright::cpu {

/// A new buffer in scratch memory, row-major.
Buffer allocate(llvm::ArrayRef<int64_t> shape, mlir::Type element, Emission &e);

/// A buffer for each tile among the op's results.
llvm::SmallVector<Buffer> allocateResults(mlir::Operation *op, Emission &e);

/// Lets each of `tiles` have the buffer of its number.
void hold(mlir::ValueRange tiles, llvm::ArrayRef<Buffer> buffers, Emission &e);

/// The buffer that holds `tile`, computed now if there is none.
mlir::FailureOr<Buffer> bufferOf(mlir::Value tile, Emission &e);

/// As bufferOf, with the elements in row-major order.
mlir::FailureOr<Buffer> denseBufferOf(mlir::Value tile, Emission &e);

/// A tile of floats in a new buffer of a type that holds them exactly: those
/// that are observed.
mlir::FailureOr<Buffer> packAs(mlir::Value tile, mlir::Type element,
                               Emission &e);

/// Computes all elements of `tile` that are observed into `buffer`.
mlir::LogicalResult materializeInto(mlir::Value tile, const Buffer &buffer,
                                    Emission &e);

/// Copies all elements.
mlir::LogicalResult copyBuffer(const Buffer &from, const Buffer &to,
                               Emission &e);

/// The number of elements from the buffer's first to the one `at`.
mlir::Value elementOf(mlir::ImplicitLocOpBuilder &b, const Buffer &buffer,
                      mlir::ValueRange at);

/// Reads or writes the elements at `at`.
mlir::Value readBuffer(mlir::ImplicitLocOpBuilder &b, const Buffer &buffer,
                       const Lanes &at);
void writeBuffer(mlir::ImplicitLocOpBuilder &b, const Buffer &buffer,
                 const Lanes &at, mlir::Value value);

/// A view of every `steps`-th element from `offsets` on.
Buffer aliasOf(const Buffer &buffer, llvm::ArrayRef<int64_t> offsets,
               llvm::ArrayRef<int64_t> steps, llvm::ArrayRef<int64_t> shape,
               Emission &e);

/// Whether computing elements of `tile` loads from the launch's arguments.
bool readsMemory(mlir::Value tile, Emission &e);

/// Whether computing elements of `tile` reads the buffer of `argument`.
bool dependsOn(mlir::Value tile, mlir::Value argument, Emission &e);

/// Whether each element of `tile` reads `argument` only at its own index.
bool readsInPlace(mlir::Value tile, mlir::Value argument, Emission &e);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_BUFFERS_H
