// Operands of different shapes brought to one.
#pragma once

#include "graph/build/Generic.h"

namespace tilewright::build {

/// The size to which sizes broadcast; `what` begins the message of an error,
/// or of the check at run time.
FailureOr<Expr> broadcastSize(GraphBuilder &b, ArrayRef<Expr> given,
                              const llvm::Twine &what);
FailureOr<Dims> broadcastDims(GraphBuilder &b, ArrayRef<ArrayRef<Expr>> shapes);
FailureOr<Dims> broadcastDims(GraphBuilder &b, ArrayRef<Tensor> operands);
/// A tensor as an operand of a generic over `dims`, to which it broadcasts.
FailureOr<Operand> broadcastOperand(GraphBuilder &b, const Tensor &tensor,
                                    ArrayRef<Expr> dims);
/// The tensor with the wanted sizes instead of dynamic ones that may be 1 at
/// run time; the sizes are checked.
FailureOr<Tensor> repeatUnits(GraphBuilder &b, const Tensor &tensor,
                              ArrayRef<Expr> wanted);
FailureOr<Tensor> broadcastTo(GraphBuilder &b, const Tensor &tensor,
                              ArrayRef<Expr> dims);
/// NumPy broadcasting.
FailureOr<Tensor> elementwise(GraphBuilder &b, ArrayRef<Tensor> operands,
                              Element out, BodyFn body, bool widen = true);
/// Element by element over `dims`, to which each operand broadcasts.
FailureOr<Tensor> elementwiseOver(GraphBuilder &b, ArrayRef<Expr> dims,
                                  ArrayRef<Tensor> tensors, Element out,
                                  BodyFn body, bool widen = true);
FailureOr<Tensor> convert(GraphBuilder &b, const Tensor &tensor, Element to,
                          bool saturate = true);

/// Adds a bias of shape [C] along dimension 1.
FailureOr<Tensor> addBias(GraphBuilder &b, const Tensor &x, const Tensor &bias);

} // namespace tilewright::build
