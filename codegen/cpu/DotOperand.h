//===- DotOperand.h - How a contraction reads its operands ------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_DOTOPERAND_H
#define TILEWRIGHT_CODEGEN_CPU_DOTOPERAND_H

#include "codegen/cpu/Emission.h"

namespace tilewright::cpu {

/// A matrix that a contraction reads: element (r, c) is at pointer + r *
/// rowStride + c * columnStride (in elements); or panels, of the sizes of the
/// register block.
struct MatrixSource {
  mlir::Value pointer, rowStride, columnStride;
  /// From one matrix of a batch to the next; null where there is only one.
  mlir::Value batchStride;
  bool unitColumns = false;
  mlir::Type element;
  bool isUnsigned = false;
  bool isPanels = false;
};

/// An operand of a contraction: the matrix, the first of those of a batch; or
/// none where panels are made of each.
struct DotOperand {
  mlir::Value tile;
  bool isRhs = false;
  bool isUnsigned = false;
  std::optional<MatrixSource> matrix;
};

/// How many rows and columns of a product can reach a store; null where all may
/// (ObservedEnds.h).
struct ProductEnds {
  mlir::Value rows, columns;
};

/// The matrices of a buffer.
MatrixSource matrixIn(mlir::ImplicitLocOpBuilder &b, const Buffer &buffer);

/// How an operand is read. A buffer that it needs is filled now, once for all
/// matrices of a batch.
mlir::FailureOr<DotOperand> operandOf(mlir::Value tile, bool isRhs,
                                      bool isUnsigned, const Buffer &acc,
                                      const RegisterBlock &registers,
                                      Emission &e);

/// The matrix number `batch` of an operand; null where there is only one.
mlir::FailureOr<MatrixSource>
matrixOf(const DotOperand &operand, mlir::Value batch, mlir::Type accumulator,
         const RegisterBlock &registers, const ProductEnds &ends, Emission &e);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_DOTOPERAND_H
