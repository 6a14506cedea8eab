// linalg.generic over symbolic sizes.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// The scalars that a body gets.
using Values = ArrayRef<Value>;

/// Writes a generic's body: gets one scalar per operand and, in a reduction,
/// the accumulator as the last one; returns the result's scalar.
using BodyFn = llvm::function_ref<Value(Scalar &, ArrayRef<Value>)>;

/// Functions of elements.
using UnaryFn = Value (*)(Scalar &, Value);
using BinaryFn = Value (*)(Scalar &, Value, Value);

/// A tensor read by a generic: for each of its dimensions, the index to read as
/// an affine expression of the generic's loops.
struct Operand {
  Tensor tensor;
  Dims at;
};

/// How a generic treats its operands.
struct GenericOptions {
  /// Element-wise arithmetic is done in f32 for floats of 16 bits and fewer.
  bool widen = true;
  /// Read transposed operands through their indexing maps.
  bool absorbTranspose = false;
  /// Operands with one value for all elements stay tensors, so that the
  /// generic keeps the form of a contraction.
  bool keepSplats = false;
  /// Loops from here on are reductions.
  std::optional<unsigned> parallelLoops;
  /// What a reduction starts from.
  mlir::TypedAttr init;
  /// Parallel loops of size 1 that need not be there: the result is stored
  /// without these dimensions.
  SmallVector<bool> unitLoops;
};

/// One linalg.generic with loops of these sizes; the result has the sizes of
/// the parallel ones. What `folded` folds of it is a constant.
FailureOr<Tensor> generic(GraphBuilder &b, ArrayRef<Operand> operands,
                          ArrayRef<Expr> loops, Element out, BodyFn body,
                          const GenericOptions &options = {});
/// A generic over `dims` that computes each element from its index.
FailureOr<Tensor> gather(GraphBuilder &b, ArrayRef<Operand> operands,
                         ArrayRef<Expr> dims, Element out, BodyFn body);
/// Reads one element inside a body. The indices must be in the tensor; a
/// dimension that is indexed by a loop must have the loop's size, unless
/// `isPart`.
Value extractElement(GraphBuilder &b, Scalar &s, const Tensor &tensor,
                     ArrayRef<Value> indices, bool isPart = false);
/// Whether the tensor is one known value: a body needs no operand for it.
bool isScalarOperand(const TensorInfo &tensor);

/// Reads a tensor's element in a body, with a computed index in one dimension:
/// adds the size to negative indices and clamps to the bounds.
Value boundedIndex(GraphBuilder &b, Scalar &s, Value index, Expr size,
                   bool wrapNegative = true);

} // namespace tilewright::build
