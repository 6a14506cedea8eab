// Matrix products. Floats narrower than f32 are summed in f32.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// x[..., M, K] times y[..., K, N]: the dimensions before the last two
/// broadcast. A vector is a row on the left and a column on the right, without
/// that dimension in the result.
FailureOr<Tensor> matmul(GraphBuilder &b, const Tensor &x, const Tensor &y,
                         Element out);

struct GemmOptions {
  double alpha = 1, beta = 1;
  bool transposeLeft = false, transposeRight = false;
};

/// alpha * x * y + beta * c for matrices x and y and a c that broadcasts to
/// their product, or null.
FailureOr<Tensor> gemm(GraphBuilder &b, const Tensor &x, const Tensor &y,
                       const Tensor &c, const GemmOptions &options);

/// The sum of products that an equation describes: "ij,jk->ik", with a term for
/// each input. "..." stands for any dimensions. Without "->", the result has
/// the letters that are there once, in alphabetical order.
FailureOr<Tensor> einsum(GraphBuilder &b, ArrayRef<Tensor> inputs,
                         StringRef equation);

} // namespace tilewright::build
