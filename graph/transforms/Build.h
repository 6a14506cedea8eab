//===- Build.h - What the passes to graph form make ops with ----*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_TRANSFORMS_BUILD_H
#define TILEWRIGHT_GRAPH_TRANSFORMS_BUILD_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright::graph {

/// An operand of a generic and how it is indexed.
struct Read {
  mlir::Value tensor;
  mlir::AffineMap map;
};

/// Builds the element of the result at one point of the loops.
using ElementBuilder = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

/// A generic with one loop for each dimension of its only result, of `type` and
/// `sizes`. `element` gets the elements read.
mlir::Value buildElementwise(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::RankedTensorType type,
                             llvm::ArrayRef<mlir::OpFoldResult> sizes,
                             llvm::ArrayRef<Read> reads,
                             ElementBuilder element);

/// A tensor of no content, of `type` and `sizes`.
mlir::Value buildEmpty(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::RankedTensorType type,
                       llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// The map that reads dimensions `dims` of `loops` loops.
mlir::AffineMap readDims(mlir::MLIRContext *context, unsigned loops,
                         llvm::ArrayRef<unsigned> dims);

/// The indices of the loops 0 to `count` - 1, in the body of a generic.
llvm::SmallVector<mlir::Value> buildIndices(mlir::OpBuilder &builder,
                                            mlir::Location loc, unsigned count);

/// Copies the ops of `block` except its terminator; returns the latter's
/// operands.
llvm::SmallVector<mlir::Value> cloneBody(mlir::OpBuilder &builder,
                                         mlir::Block &block,
                                         mlir::IRMapping &mapping);

/// combiner(a, b), of elements or of whole tiles.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Operation *combiner, mlir::Value a, mlir::Value b);

/// Whether `offset <= index < offset + size`, and `index - offset`, of values
/// of type index. `size` is not negative.
struct Inside {
  mlir::Value isInside, position;
};
Inside buildInside(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value index, mlir::OpFoldResult offset,
                   mlir::OpFoldResult size);

/// Whether SymbolicShapes supports `value`: a constant, or computed from the
/// dimensions of tensors. Reports nothing.
bool isSize(mlir::Value value);
bool isSize(mlir::OpFoldResult value);

/// Runs `patterns` on all ops of the functions of `module` until none applies;
/// folds nothing, merges nothing. Kernels in the module are unchanged.
mlir::LogicalResult rewriteAll(mlir::ModuleOp module,
                               mlir::RewritePatternSet patterns);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_TRANSFORMS_BUILD_H
