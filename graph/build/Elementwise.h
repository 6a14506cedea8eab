// Arithmetic, element by element. Operands broadcast as in NumPy; the result
// has the first one's element type.
#pragma once

#include "graph/build/Generic.h"

namespace tilewright::build {

FailureOr<Tensor> mapElements(GraphBuilder &b, const Tensor &x, UnaryFn fn);
/// The same by a function that rounds: it does not change known integers.
FailureOr<Tensor> roundElements(GraphBuilder &b, const Tensor &x, UnaryFn fn);
FailureOr<Tensor> negate(GraphBuilder &b, const Tensor &x);

/// An op of MLIR as a function of elements.
template <typename Op> Value mathOp(Scalar &s, Value v) {
  return s.make<Op>(v);
}
Value absolute(Scalar &s, Value x);
/// -1, 0 or 1; zero and NaN are their own sign.
Value sign(Scalar &s, Value x);
Value reciprocal(Scalar &s, Value x);

/// Known integers stay known.
enum class Arithmetic { Add, Subtract, Multiply, Max, Min };

FailureOr<Tensor> arithmetic(GraphBuilder &b, Arithmetic op, const Tensor &x,
                             const Tensor &y);
/// Of several operands from left to right. Fails if their types differ.
FailureOr<Tensor> arithmetic(GraphBuilder &b, Arithmetic op,
                             ArrayRef<Tensor> inputs);
/// The mean of several operands.
FailureOr<Tensor> meanOf(GraphBuilder &b, ArrayRef<Tensor> inputs);

/// x / y; integers are truncated, and x / 0 is x. Fails where known integers
/// are divided by a known 0.
FailureOr<Tensor> divide(GraphBuilder &b, const Tensor &x, const Tensor &y);
/// The remainder with the sign of the divisor or, if it truncates, of the
/// dividend. Fails where known integers are divided by a known 0.
FailureOr<Tensor> modulo(GraphBuilder &b, const Tensor &x, const Tensor &y,
                         bool truncates);
/// x within bounds, each of which may be null.
FailureOr<Tensor> clip(GraphBuilder &b, const Tensor &x, const Tensor &low,
                       const Tensor &high);
/// Integers x shifted by y bits: 0 where y is not less than the width. To the
/// right, zeros come in.
FailureOr<Tensor> shiftBits(GraphBuilder &b, const Tensor &x, const Tensor &y,
                            bool left);

} // namespace tilewright::build
