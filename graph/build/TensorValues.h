// Tensors as SSA values.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// A value and which dimensions of its tensor it has.
struct Storage {
  Value value;
  SmallVector<unsigned, 4> axes;
};

/// Larger tensors than this, in bytes, are a mistake in the model: no dimension
/// has more elements.
inline constexpr int64_t maximumBytes = int64_t(1) << 46;

/// A tensor over an SSA value with all dimensions in order.
FailureOr<Tensor> wrap(GraphBuilder &b, Value value, ArrayRef<Expr> dims,
                       Element element);
/// The SSA value with all dimensions, row-major.
Value denseValue(GraphBuilder &b, const Tensor &tensor);
/// A value to read, with increasing axes unless transposes are absorbed.
Storage storageOf(GraphBuilder &b, const Tensor &tensor, bool absorbTranspose);
Value reshapeValue(GraphBuilder &b, Value value, ArrayRef<Expr> dims,
                   Element element);
Value emptyValue(GraphBuilder &b, ArrayRef<Expr> dims, mlir::Type element);
mlir::RankedTensorType typeOf(ArrayRef<Expr> dims, Element element);
mlir::OpFoldResult indexOrConstant(GraphBuilder &b, Expr size);

} // namespace tilewright::build
