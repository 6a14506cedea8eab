// Recurrent networks.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// How a step computes: gates in the order of the weights' rows.
enum class RecurrentCell {
  /// h = f(x w^T + h r^T + biases).
  Plain,
  /// Long short-term memory: gates input, output, forget, cell.
  LongShortTerm,
  /// Gated recurrent unit: gates update, reset, hidden.
  Gated
};

/// Of x, with numbers a and b; those without one take none.
enum class GateFunction {
  Sigmoid,
  Tanh,
  Relu,
  /// a x + b
  Affine,
  /// x, below 0 a x.
  LeakyRelu,
  /// x above a, else 0.
  ThresholdedRelu,
  /// a tanh(b x)
  ScaledTanh,
  /// a x + b within [0, 1].
  HardSigmoid,
  /// x, below 0 a (exp(x) - 1).
  Elu,
  /// x / (1 + |x|)
  Softsign,
  /// log(1 + exp(x))
  Softplus
};

struct GateActivation {
  // NOLINTNEXTLINE(google-explicit-constructor): most have no numbers.
  GateActivation(GateFunction function, double a = 0, double b = 0)
      : function(function), a(a), b(b) {}
  GateFunction function;
  double a, b;
};

/// Operands over directions D and gates G. Those below may be null.
struct RecurrentOperands {
  /// [T, N, I]. A short sequence of known length is unrolled, any other one is
  /// a loop.
  Tensor x;
  /// [D, G * H, I] and [D, G * H, H].
  Tensor inputWeights, stateWeights;
  /// [D, 2 * G * H]: for the input, then for the state.
  Tensor bias;
  /// The lengths of the sequences, integers [N].
  Tensor lengths;
  /// Where the sequences start: [D, N, H].
  Tensor hidden, state;
  /// Of LongShortTerm: [D, 3 * H].
  Tensor peephole;
  /// Of LongShortTerm with weights of 8-bit integers: scales and zero points,
  /// [D] or [D, G * H]. Operands of products are quantized to u8 by their
  /// range.
  Tensor inputScale, inputZero, stateScale, stateZero;
};

struct RecurrentOptions {
  RecurrentCell cell = RecurrentCell::Plain;
  /// Of all directions, one after the other. Plain has one; LongShortTerm has
  /// those of the gates, the cell and the hidden state; Gated has those of the
  /// gates and the hidden state.
  SmallVector<GateActivation> functions;
  /// What is activated is brought within [-clip, clip] first; 0: it is not. The
  /// state of a cell is not, either way.
  double clip = 0;
  /// Of LongShortTerm: forgets as much as the input gate does not let in.
  bool inputForget = false;
  /// The first direction runs backwards; the second one always does.
  bool reverse = false;
  /// x is [N, T, I], states are [N, D, H], and all steps [N, T, D, H].
  bool batchFirst = false;
  /// Of Gated: the reset gate multiplies the product, not the state.
  bool linearBeforeReset = false;
  /// Which results are wanted.
  bool wantsSteps = true, wantsHidden = true, wantsState = true;
};

/// All steps [T, D, N, H], and the last hidden states and states of the cells
/// [D, N, H]; null unless wanted and there. Behind the end of a sequence its
/// outputs are 0; an empty one ends with 0.
struct Recurrent {
  Tensor steps, hidden, state;
};

FailureOr<Recurrent> recurrent(GraphBuilder &b,
                               const RecurrentOperands &operands,
                               const RecurrentOptions &options);

} // namespace tilewright::build
