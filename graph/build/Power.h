// Powers: bases and exponents of different types.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// x^y, element by element, in the type of x; they broadcast. Powers of
/// integers are exact modulo 2^n for n bits, and 0 for negative exponents,
/// except for bases of 1 and -1. Floats are raised to exponents that they do
/// not hold in f64.
FailureOr<Tensor> power(GraphBuilder &b, const Tensor &x, const Tensor &y);

} // namespace tilewright::build
