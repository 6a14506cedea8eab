// Constants, and the element types that are met often.
#pragma once

#include "frontends/onnx/GraphBuilder.h"

namespace tilewright::onnx {

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

} // namespace tilewright::onnx
