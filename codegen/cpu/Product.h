//===- Product.h - Products of matrices in blocks of registers --*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_PRODUCT_H
#define TILEWRIGHT_CODEGEN_CPU_PRODUCT_H

#include "codegen/cpu/DotOperand.h"

namespace tilewright::cpu {

/// The block of a product with `rows` x `columns` results; an error at `op` if
/// the target does not hold it.
mlir::FailureOr<RegisterBlock> registerBlock(mlir::Operation *op, int64_t rows,
                                             int64_t columns,
                                             mlir::Type element, Emission &e);

/// acc += lhs * rhs for one pair of matrices, in the rows and columns that are
/// observed, and perhaps in others.
mlir::LogicalResult emitProduct(const MatrixSource &lhs,
                                const MatrixSource &rhs,
                                const RegisterBlock &registers,
                                const Buffer &acc, mlir::Value accBase,
                                const ProductEnds &ends, int64_t depth,
                                Emission &e);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_PRODUCT_H
