// Activation functions.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// A function of one element and two parameters.
using ActivationFn = Value (*)(Scalar &s, Value x, double alpha, double beta);

/// max(x, 0).
Value relu(Scalar &s, Value x, double, double);
/// x, and alpha * x below 0.
Value leakyRelu(Scalar &s, Value x, double alpha, double);
Value sigmoid(Scalar &s, Value x, double, double);
/// alpha * x + beta between 0 and 1.
Value hardSigmoid(Scalar &s, Value x, double alpha, double beta);
/// x * hardSigmoid(x) with 1/6 and 1/2.
Value hardSwish(Scalar &s, Value x, double, double);
/// x, and alpha * (exp(x) - 1) below 0.
Value elu(Scalar &s, Value x, double alpha, double);
/// gamma * elu(x).
Value selu(Scalar &s, Value x, double alpha, double gamma);
/// max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0).
Value celu(Scalar &s, Value x, double alpha, double);
/// x above alpha, else 0.
Value thresholdedRelu(Scalar &s, Value x, double alpha, double);
/// log(1 + exp(x)).
Value softplus(Scalar &s, Value x, double, double);
/// x / (1 + |x|).
Value softsign(Scalar &s, Value x, double, double);
/// x * tanh(softplus(x)).
Value mish(Scalar &s, Value x, double, double);
/// x * sigmoid(alpha * x).
Value swish(Scalar &s, Value x, double alpha, double);
/// x times the normal distribution's probability of less than x.
Value gelu(Scalar &s, Value x, double, double);
/// The same, approximated by the hyperbolic tangent.
Value geluByTanh(Scalar &s, Value x, double, double);

FailureOr<Tensor> activate(GraphBuilder &b, const Tensor &x, ActivationFn fn,
                           double alpha = 0, double beta = 0);
/// x - bias above lambda, x + bias below -lambda, else 0. Integers are shrunk
/// as f64 and truncated.
FailureOr<Tensor> shrink(GraphBuilder &b, const Tensor &x, double lambda,
                         double bias);
/// x, and slope * x below 0; the slope broadcasts to x.
FailureOr<Tensor> prelu(GraphBuilder &b, const Tensor &x, const Tensor &slope);
/// Softmax (or its logarithm) over all dimensions from `axis` on.
FailureOr<Tensor> softmaxFrom(GraphBuilder &b, const Tensor &x, int64_t axis,
                              bool logarithm);

} // namespace tilewright::build
