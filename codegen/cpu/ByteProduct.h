//===- ByteProduct.h - Products of integers of 8 bits -----------*- C++ -*-===//
//
// An instruction of x86 adds the products of two or four neighbours to an
// accumulator of 32 bits. Neighbours are elements of the depth: the left side
// has them beside each other, and four rows of the right side are interleaved
// in registers. Results are exact, modulo 2^32.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_CPU_BYTEPRODUCT_H
#define TILEWRIGHT_CODEGEN_CPU_BYTEPRODUCT_H

#include "codegen/cpu/DotOperand.h"
#include "codegen/cpu/ProductBlock.h"

namespace tilewright::cpu {

/// Whether the target multiplies bytes so, for these types.
bool canMultiplyBytes(mlir::Type lhs, mlir::Type rhs, mlir::Type accumulator,
                      const CpuTarget &target);

/// Whether a left side has the elements of a row beside each other.
bool hasContiguousRows(const MatrixSource &lhs);

/// Adds a block of whole vectors, several times four, to the accumulators in
/// memory.
void emitByteBlock(mlir::ImplicitLocOpBuilder &b, const ProductBlock &block,
                   int64_t depth, const CpuTarget &target);

/// Features that a machine must have to run the functions of a module in LLVM's
/// dialect, for the manifest: those of all code for the target, and those of
/// instructions that were asked for by name.
std::string requiredFeatures(mlir::ModuleOp module, const CpuTarget &target);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_BYTEPRODUCT_H
