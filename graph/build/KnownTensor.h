// Tensors whose elements are known during import.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// The tensor with its elements known, where they follow from constants and
/// sizes; else null. Small tensors only.
Tensor evaluate(GraphBuilder &b, const Tensor &tensor);
/// The same where sizes that may be equal are taken to be, which is checked
/// at run time.
Tensor evaluateAssumingEqual(GraphBuilder &b, const Tensor &tensor);
/// A float that is the quotient of two sizes, the second of which may be 0.
struct SizeRatio {
  Expr numerator, denominator;
};
/// The only element of a tensor of floats, if it is one; nothing else.
std::optional<SizeRatio> evaluateRatio(GraphBuilder &b, const Tensor &tensor);
/// Like `evaluate`, for integers and booleans whose sources are all constants,
/// such as those of shapes; else the tensor unchanged. The graph level folds
/// floats.
Tensor folded(GraphBuilder &b, const Tensor &tensor, ArrayRef<Tensor> sources);

} // namespace tilewright::build
