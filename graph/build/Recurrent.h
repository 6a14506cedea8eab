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

enum class GateFunction { Sigmoid, Tanh, Relu };

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
  SmallVector<GateFunction> functions;
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
