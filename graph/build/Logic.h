// Comparisons, logic, selection, element by element. Operands broadcast as in
// NumPy.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

enum class Comparison { Equal, Less, LessOrEqual, Greater, GreaterOrEqual };

/// Booleans; known integers give known ones. NaN compares with nothing.
FailureOr<Tensor> compare(GraphBuilder &b, Comparison comparison,
                          const Tensor &x, const Tensor &y);

enum class Bitwise { And, Or, Xor };

/// Of booleans or integers.
FailureOr<Tensor> combineBits(GraphBuilder &b, Bitwise op, const Tensor &x,
                              const Tensor &y);
/// All bits of booleans or integers, inverted.
FailureOr<Tensor> invertBits(GraphBuilder &b, const Tensor &x);
/// Which floats are NaN.
FailureOr<Tensor> isNaN(GraphBuilder &b, const Tensor &x);
/// Which floats are infinities of these signs.
FailureOr<Tensor> isInfinite(GraphBuilder &b, const Tensor &x, bool negative,
                             bool positive);
/// x where a boolean condition holds, else y; known integers stay known.
FailureOr<Tensor> where(GraphBuilder &b, const Tensor &condition,
                        const Tensor &x, const Tensor &y);

} // namespace tilewright::build
