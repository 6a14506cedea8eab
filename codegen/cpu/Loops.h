//===- Loops.h - Loops over elements and blocks -----------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_LOOPS_H
#define TILEWRIGHT_CODEGEN_CPU_LOOPS_H

#include "codegen/cpu/Emission.h"

namespace tilewright::cpu {

/// What is run for a vector of elements, or one element.
using LanesBody = llvm::function_ref<mlir::LogicalResult(const Lanes &)>;
/// What is run for `count` rows or columns from `start` on.
using BlockBody =
    llvm::function_ref<mlir::LogicalResult(mlir::Value start, int64_t count)>;

/// Runs `body` where values that were computed before, perhaps in another loop,
/// are not in sight.
mlir::LogicalResult inNewScope(Emission &e,
                               llvm::function_ref<mlir::LogicalResult()> body);

/// Runs `body` for all elements of a tile, the innermost dimension of more
/// than one element in vectors. `ends`: for each dimension where it is worth
/// stopping; null, or no ends: at its end. `hoists`: what is the same in all
/// iterations of a loop is computed before it, loads too. The caller knows that
/// the body changes no memory that it loads from at another index.
mlir::LogicalResult forEachVector(llvm::ArrayRef<int64_t> shape,
                                  mlir::Type element, Emission &e,
                                  LanesBody body,
                                  llvm::ArrayRef<mlir::Value> ends = {},
                                  bool hoists = false);

/// Runs `body` for each element of a tile by itself.
mlir::LogicalResult forEachElement(llvm::ArrayRef<int64_t> shape, Emission &e,
                                   LanesBody body);

/// Runs `body` for blocks of `size` out of `total`, in a loop if there are
/// several whole ones, then for what remains.
mlir::LogicalResult forEachBlock(int64_t total, int64_t size, Emission &e,
                                 BlockBody body);

/// Runs `body` for the block of `count` elements from `start` on if it has one
/// before `end`. If not all of them are, for parts of it that have one: as many
/// as fit of the first of `units` elements, then of the next, and of the last
/// up to the end. In the place of others there may be numbers that are slow to
/// compute with: of other types, they are denormal. No units, or a null `end`:
/// for the block.
mlir::LogicalResult forObserved(mlir::Value start, int64_t count,
                                llvm::ArrayRef<int64_t> units, mlir::Value end,
                                Emission &e, BlockBody body);

/// As units of a block of `count` elements: `unit`, if it fills the block,
/// which has several.
llvm::SmallVector<int64_t> unitsOf(int64_t count, int64_t unit);

/// `access()` where the mask is true (or absent), else `otherwise`. With no
/// `type` there is no value.
mlir::Value guarded(mlir::ImplicitLocOpBuilder &b, mlir::Value mask,
                    mlir::Type type, mlir::Value otherwise,
                    llvm::function_ref<mlir::Value()> access);

/// Stops LLVM from transforming a loop: unrolled, it spills.
mlir::Attribute notUnrolled(mlir::MLIRContext *context);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_LOOPS_H
