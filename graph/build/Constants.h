// Constants, and the element types that are met often.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

inline Element boolean(GraphBuilder &b) {
  return {b.builder.getI1Type(), true};
}
inline Element f32(GraphBuilder &b) { return {b.builder.getF32Type()}; }
inline Element i64(GraphBuilder &b) { return {b.builder.getI64Type()}; }

/// The attribute of a number; infinity becomes an integer type's extreme.
mlir::TypedAttr constantAttr(GraphBuilder &b, Element element, double value);
Tensor scalarConstant(GraphBuilder &b, Element element, double value);
Tensor splat(GraphBuilder &b, mlir::TypedAttr value, ArrayRef<Expr> dims,
             Element element);
Tensor integerTensor(GraphBuilder &b, ArrayRef<Expr> values,
                     ArrayRef<Expr> dims, Element element);
Tensor floatTensor(GraphBuilder &b, ArrayRef<float> values,
                   ArrayRef<int64_t> dims);

/// The builtin elements 0, 1, ... of a rank-1 shape: [x0, x1, ...] as a
/// tensor of i64.
Tensor shapeTensor(GraphBuilder &b, ArrayRef<Expr> dims);

/// Evenly spaced integers start, start + step, ...: `count` of them.
FailureOr<Tensor> iota(GraphBuilder &b, Expr count, Element element);

/// The sizes as expressions.
SmallVector<Expr> exprsOf(Sizes &sizes, ArrayRef<int64_t> values);

/// The type in which elements are summed: f32 for floats narrower than it.
Element accumulatorOf(GraphBuilder &b, Element element);
mlir::TypedAttr zeroOf(GraphBuilder &b, Element element);

} // namespace tilewright::build
