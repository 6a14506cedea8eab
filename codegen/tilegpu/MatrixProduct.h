//===- MatrixProduct.h - A dot as matrix instructions -----------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_TILEGPU_MATRIXPRODUCT_H
#define TILEWRIGHT_CODEGEN_TILEGPU_MATRIXPRODUCT_H

#include "codegen/layout/Families.h"
#include "codegen/target/MatrixInstruction.h"
#include "codegen/tilegpu/DotOperand.h"
#include "mlir/IR/Types.h"
#include "tilewright/mlir/Tile.h"
#include <vector>

namespace tilewright::tilegpu {

/// What a warp computes of a dot by one matrix instruction.
struct MatrixProduct {
  /// The operands, if all that a warp multiplies were in its registers.
  layout::Layout lhs, rhs;
  /// Registers of a fragment of each operand and of the accumulators.
  int64_t lhsRegisters = 0, rhsRegisters = 0, accRegisters = 0;
  /// One instruction: which fragments it multiplies, and to which it adds.
  struct Step {
    int32_t lhs, rhs, acc;
  };
  /// All of them: k is the slowest, so that successive ones are independent.
  std::vector<Step> steps;
};

/// Whether an instruction adds up products of elements of `lhs` and `rhs` for a
/// dot with accumulators of `acc`: those of 16 bits are f32 on the way, and
/// rounded once. f32 is taken as `precision` allows: rounded to tf32, or split
/// into parts of tf32 or bf16. 8-bit floats are taken as f16, which holds them,
/// or as they are, where it is `fast`.
bool takes(const target::MatrixInstruction &instruction, mlir::Type lhs,
           mlir::Type rhs, mlir::Type acc, tile::DotPrecision precision);

/// The parts of two operands that are multiplied: 0 the largest. Small products
/// are first.
struct PartsOfProduct {
  int32_t lhs, rhs;
};
/// What a dot of that precision adds up for each product. (Splitting f32 into
/// three parts of bf16: G. Henry, P. T. P. Tang, A. Heinecke, Leveraging the
/// bfloat16 artificial intelligence datatype, 2019.)
llvm::ArrayRef<PartsOfProduct> partsOfProduct(tile::DotPrecision precision);

/// The layouts of accumulators [m, n] or [batch, m, n] of `instruction` over
/// `warps` warps, one for each grid of warps that the tile fills; what is odd
/// of the warps holds copies. Rejected, with a reason, where the tile is no
/// multiple of the instruction.
StatusOr<std::vector<layout::Layout>>
matrixAccumulators(const target::MatrixInstruction &instruction,
                   const layout::Dims &shape, int64_t warps);

/// The product of operands of `depth` elements of `elementBits` with
/// accumulators of that layout. Elements of 32 or 8 bits for an instruction of
/// 16 become its own in registers: of 32 bits, two registers that are next to
/// each other in k fill a word, parts of both; four of 8 bits fill two words.
/// Rejected where the layout does not consist of the instruction's fragments,
/// or `depth` not of its k.
StatusOr<MatrixProduct>
matrixProduct(const target::MatrixInstruction &instruction,
              unsigned elementBits, const layout::Layout &accumulators,
              int64_t depth);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TILEGPU_MATRIXPRODUCT_H
