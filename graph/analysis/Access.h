//===- Access.h - How the ops of a graph read their operands ----*- C++ -*-===//
//
// Small predicates on graph ops for fusion, tile sizes and lowering.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_ACCESS_H
#define TILEWRIGHT_GRAPH_ANALYSIS_ACCESS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallBitVector.h"
#include <optional>

namespace tilewright::graph {

/// Ops that compute or move elements and become part of a kernel.
bool isComputeOp(mlir::Operation *op);

/// A linalg.generic whose loops are all parallel and which has one result.
bool isElementwise(mlir::Operation *op);

/// Such an op that reads no tensor: its elements follow from where they are and
/// from sizes, which the host knows.
bool isCounted(mlir::Operation *op);

/// Ops that kernels of their own compute, from inputs in memory.
bool hasOwnKernels(mlir::Operation *op);

/// An elementwise op that only rearranges or repeats its input.
bool isPureCopy(mlir::Operation *op);

/// A linalg.generic with at least one reduction loop.
bool isReduction(mlir::Operation *op);

/// A reduction whose body is `acc + lhs * rhs` over two inputs (with or
/// without casts of the inputs) that are both read along each reduction loop;
/// the products may be integers.
bool isContraction(mlir::Operation *op);

/// The parallel loops of more than one point that index only this side (0, 1)
/// of a contraction: its rows or columns.
llvm::SmallVector<unsigned> ownLoops(mlir::linalg::GenericOp op, unsigned side);

/// A contraction that multiplies matrices: it has a depth besides its windows,
/// or both rows and columns. In others, such as a depthwise convolution, each
/// element of the result is a sum over its own window.
bool isMatrixProduct(mlir::Operation *op);

/// The accumulation of a reduction with one result, split into the element
/// that is accumulated and the op that combines it: acc = combiner(acc,
/// element). Empty when the body has another shape.
struct Accumulation {
  mlir::Operation *combiner;
  mlir::Value element;
};
std::optional<Accumulation> matchAccumulation(mlir::linalg::GenericOp op);

/// The neutral element of the combiner (tile::neutralElement()), or null.
mlir::TypedAttr neutralOf(const Accumulation &accumulation);
/// The neutral element of the combiner in the type of an input that the body
/// accumulates as it is, or only widened; null for other inputs.
mlir::TypedAttr neutralInput(mlir::BlockArgument input,
                             const Accumulation &accumulation);

/// A reduction that combines, for each point of a parallel loop, the elements
/// at all points of the reduction loop up to there (reverse: from there on):
/// the prefixes of a row, as in a cumulative sum.
struct Prefixes {
  Accumulation accumulation;
  unsigned loop, reduction;
  bool isReverse;
  /// Whether the element at the point itself is left out.
  bool isExclusive;
  /// The number of points of both loops; dynamic if that of each is.
  int64_t extent;
  /// The dimension of the result that follows the loop.
  unsigned dim;
};
/// Empty where the body has another shape.
std::optional<Prefixes> matchPrefixes(mlir::linalg::GenericOp op);

/// The parallel loop that takes a reduction apart (kPartsAttr).
std::optional<unsigned> partsLoop(mlir::linalg::GenericOp op);
void setPartsLoop(mlir::linalg::GenericOp op, unsigned loop);
/// Whether these parts take the points of `loop`, of unknown number, in turn.
bool isTakenInTurn(mlir::linalg::GenericOp op, unsigned loop);

/// Loops of `op` that share a subscript with another loop in some operand
/// (`oh * 2 + kh`): the loops of windows. Parts of a reduction are none.
llvm::SmallBitVector windowLoops(mlir::linalg::GenericOp op);

/// The reduction loops that no window slides along.
llvm::SmallVector<unsigned> plainReductionLoops(mlir::linalg::GenericOp op);

/// Whether `loop` walks along neighbours in memory of an input that is read.
bool isInnermost(mlir::linalg::GenericOp op, unsigned loop);

/// Whether neighbours in memory are reduced: sums of rows, not of columns.
bool reducesNeighbours(mlir::linalg::GenericOp op);

/// Whether `op` only reduces small windows of known size, point by point: its
/// code then has no loops.
bool isWindowReduction(mlir::linalg::GenericOp op);

/// True when each subscript of `map` is a constant, or has a non-negative
/// constant coefficient for each loop: what a structured tile load can read.
bool isAffineAccess(mlir::AffineMap map);

/// Whether the user reads elements of the operand, not only its sizes.
bool readsContent(mlir::OpOperand &use);

/// Whether a reader takes regular tiles of the operand: no loop that it tiles
/// is in two subscripts, or shares one with another.
bool isStructuredRead(mlir::OpOperand &use);

/// Does a transpose by `permutation` move elements of a tile of this shape,
/// or only dims of size 1?
bool reordersElements(llvm::ArrayRef<int64_t> permutation,
                      llvm::ArrayRef<int64_t> shape);

/// Has a tensor of this type no elements, whatever its dynamic sizes are? No
/// kernel computes it.
bool isEmptyTensor(mlir::Type tensor);

/// True when `value` is a constant with one value for all its elements; that
/// value is stored in `*splat` when given.
bool isSplatConstant(mlir::Value value, mlir::TypedAttr *splat = nullptr);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_ACCESS_H
