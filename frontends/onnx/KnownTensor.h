// Tensors whose elements are known while a model is imported.
#pragma once

#include "frontends/onnx/GraphBuilder.h"

namespace tilewright::onnx {

/// The tensor with its elements known, where they follow from constants and
/// sizes; else null. Small tensors only.
Tensor evaluate(GraphBuilder &b, const Tensor &tensor);
/// The same where sizes that may be equal are taken to be, which is checked
/// at run time.
Tensor evaluateAssumingEqual(GraphBuilder &b, const Tensor &tensor);
/// The same as `evaluate` for whole numbers and truths whose sources are all
/// constants, as those of shapes are; else the tensor as it is. Floats are
/// folded by the graph level.
Tensor folded(GraphBuilder &b, const Tensor &tensor, ArrayRef<Tensor> sources);

} // namespace tilewright::onnx
