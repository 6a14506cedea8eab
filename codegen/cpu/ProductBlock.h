//===- ProductBlock.h - A block of a product of matrices --------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_PRODUCTBLOCK_H
#define TILEWRIGHT_CODEGEN_CPU_PRODUCTBLOCK_H

#include "codegen/cpu/RegisterBlock.h"
#include "mlir/IR/Value.h"

namespace tilewright::cpu {

/// One side of a block: element i of it (a row of the left side, a column of
/// the right) at depth k is at pointer + i * rowStride + k * depthStride.
/// Columns are contiguous.
struct BlockOperand {
  mlir::Value pointer, depthStride, rowStride;
  mlir::Type element;
  bool isUnsigned = false;
};

/// acc[rows, columns] += lhs * rhs.
struct ProductBlock {
  BlockOperand lhs, rhs;
  mlir::Value acc; // the first accumulator
  int64_t accStride = 0;
  mlir::Type element;
  int64_t rows = 0;
  llvm::SmallVector<VectorPart> columns;
};

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_PRODUCTBLOCK_H
