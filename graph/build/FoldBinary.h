// Binary operators of known integers.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// Known integers of a tensor, whole numbers among small float constants too.
std::optional<SmallVector<Expr>> knownIntegers(Sizes &sizes,
                                               const TensorInfo &tensor);

/// A row-major position in `dims`, of each element of a broadcast operand.
SmallVector<int64_t> broadcastPositions(ArrayRef<int64_t> from,
                                        ArrayRef<int64_t> to);

using ExactFn = llvm::function_ref<std::optional<Expr>(Sizes &, Expr, Expr)>;

/// If both operands are known integers, not both constant, and `exact` can
/// compute each element: the known result. Else null.
FailureOr<Tensor> foldBinary(GraphBuilder &b, const Tensor &x, const Tensor &y,
                             Element out, ExactFn exact);

} // namespace tilewright::build
