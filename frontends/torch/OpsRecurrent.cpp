// Recurrent networks, whole.
#include "frontends/torch/Call.h"
#include "graph/build/Movement.h"
#include "graph/build/Recurrent.h"
#include "graph/build/Slice.h"

using namespace mlir;

namespace tilewright::torch {
namespace {

/// A kind of network. PyTorch's gates in the order of the builder's.
struct Network {
  RecurrentCell cell = RecurrentCell::Plain;
  SmallVector<int64_t> gates = {0};
  SmallVector<GateActivation> functions = {GateFunction::Tanh};
  bool hasBiases = false, bidirectional = false;
  int64_t layers = 1;

  int64_t directions() const { return bidirectional ? 2 : 1; }
  int64_t perDirection() const { return hasBiases ? 4 : 2; }
};

FailureOr<Network> readNetwork(Call &c) {
  Network n;
  StringRef name = c.target;
  if (name.starts_with("aten.lstm"))
    n = {RecurrentCell::LongShortTerm,
         {0, 3, 1, 2},
         {GateFunction::Sigmoid, GateFunction::Tanh, GateFunction::Tanh}};
  else if (name.starts_with("aten.gru"))
    n = {RecurrentCell::Gated,
         {1, 0, 2},
         {GateFunction::Sigmoid, GateFunction::Tanh}};
  else if (name.starts_with("aten.rnn_relu"))
    n.functions = {GateFunction::Relu};
  TRY(n.hasBiases, c.flag("has_biases"));
  TRY(n.bidirectional, c.flag("bidirectional"));
  TRY(n.layers, c.integer("num_layers"));
  TRY(double dropout, c.number("dropout"));
  TRY(bool trains, c.flag("train"));
  if (dropout != 0 && trains)
    return c.fail("random numbers are not supported: expected the program of a "
                  "model in evaluation mode");
  if (n.bidirectional) {
    const SmallVector<GateActivation> forward = n.functions;
    n.functions.append(forward);
  }
  return n;
}

/// Rows of gates in the builder's order, as [1, G * H, ...].
FailureOr<Tensor> orderGates(Call &c, const Network &n, const Tensor &rows) {
  int64_t count = n.gates.size();
  TRY(SmallVector<Expr> lengths,
      equalParts(c.b, rows->dims[0], count, /*roundsUp=*/false));
  TRY(SmallVector<Tensor> parts, splitAlong(c.b, rows, 0, lengths, count));
  SmallVector<Tensor> ordered;
  for (int64_t gate : n.gates)
    ordered.push_back(parts[gate]);
  TRY(Tensor all, concat(c.b, ordered, 0));
  SmallVector<int64_t> kept = {-1};
  for (int64_t i = 0; i < all->rank(); ++i)
    kept.push_back(i);
  return rearrange(c.b, all, kept);
}

/// One kind of parameter of a layer, over its directions.
FailureOr<Tensor> parameterOf(Call &c, const Network &n,
                              ArrayRef<Tensor> parameters, int64_t kind) {
  SmallVector<Tensor> each;
  for (int64_t d = 0; d < n.directions(); ++d) {
    TRY(Tensor ordered,
        orderGates(c, n, parameters[d * n.perDirection() + kind]));
    each.push_back(ordered);
  }
  return concat(c.b, each, 0);
}

/// The states of a layer: [D, N, H] of [L * D, N, H].
FailureOr<Tensor> stateOf(Call &c, const Network &n, const Tensor &states,
                          int64_t layer) {
  Dims offsets(states->rank(), c.b.zero()), lengths(states->dims);
  offsets[0] = c.b.sizes.constant(layer * n.directions());
  lengths[0] = c.b.sizes.constant(n.directions());
  return slice(c.b, states, offsets, lengths,
               SmallVector<int64_t>(states->rank(), 1));
}

FailureOr<Recurrent> runLayer(Call &c, const Network &n, const Tensor &x,
                              ArrayRef<Tensor> parameters,
                              ArrayRef<Tensor> states, int64_t layer) {
  RecurrentOperands operands;
  operands.x = x;
  TRY(operands.inputWeights, parameterOf(c, n, parameters, 0));
  TRY(operands.stateWeights, parameterOf(c, n, parameters, 1));
  if (n.hasBiases) {
    TRY(Tensor ofInput, parameterOf(c, n, parameters, 2));
    TRY(Tensor ofState, parameterOf(c, n, parameters, 3));
    TRY(operands.bias, concat(c.b, {ofInput, ofState}, 1));
  }
  TRY(operands.hidden, stateOf(c, n, states[0], layer));
  if (states.size() > 1) {
    TRY(operands.state, stateOf(c, n, states[1], layer));
  }
  RecurrentOptions options;
  options.cell = n.cell;
  options.functions = n.functions;
  options.linearBeforeReset = true;
  return recurrent(c.b, operands, options);
}

/// All layers; each reads the steps of the one before.
LogicalResult importRecurrent(Call &c) {
  GraphBuilder &b = c.b;
  TRY(Network n, readNetwork(c));
  TRY(Tensor x, c.tensor("input"));
  TRY(SmallVector<Tensor> parameters, c.tensors("params"));
  TRY(bool batchFirst, c.flag("batch_first"));
  SmallVector<Tensor> states;
  if (n.cell == RecurrentCell::LongShortTerm) {
    TRY(states, c.tensors("hx"));
  } else {
    TRY(Tensor hidden, c.tensor("hx"));
    states.push_back(hidden);
  }
  const size_t perLayer = n.directions() * n.perDirection();
  if (parameters.size() != n.layers * perLayer || x->rank() != 3 ||
      states.size() != (n.cell == RecurrentCell::LongShortTerm ? 2 : 1))
    return c.fail("has " + llvm::Twine(parameters.size()) +
                  " parameters for an input of shape " + b.sizes.str(x->dims) +
                  "; packed sequences and projections are not supported");
  auto isWrong = [](const Tensor &t) { return !t || t->rank() < 1; };
  if (llvm::any_of(parameters, isWrong) || llvm::any_of(states, isWrong))
    return c.fail("a parameter or state has no dimensions");
  if (batchFirst) {
    TRY(x, transpose(b, x, {1, 0, 2}));
  }
  SmallVector<Tensor> hidden, cells;
  for (int64_t layer = 0; layer < n.layers; ++layer) {
    TRY(Recurrent result,
        runLayer(c, n, x,
                 ArrayRef<Tensor>(parameters).slice(layer * perLayer, perLayer),
                 states, layer));
    hidden.push_back(result.hidden);
    cells.push_back(result.state);
    // [T, D, N, H] as [T, N, D * H].
    TRY(Tensor moved, transpose(b, result.steps, {0, 2, 1, 3}));
    TRY(x, reshape(b, moved,
                   {moved->dims[0], moved->dims[1],
                    b.sizes.mul(moved->dims[2], moved->dims[3])}));
  }
  if (batchFirst) {
    TRY(x, transpose(b, x, {1, 0, 2}));
  }
  TRY(Tensor last, concat(b, hidden, 0));
  if (failed(c.set(0, x)) || failed(c.set(1, last)))
    return failure();
  if (n.cell != RecurrentCell::LongShortTerm)
    return success();
  TRY(Tensor state, concat(b, cells, 0));
  return c.set(2, state);
}

} // namespace

void addRecurrentOps(OpTable &t) {
  t.add({"aten.lstm.input", "aten.gru.input", "aten.rnn_tanh.input",
         "aten.rnn_relu.input"},
        importRecurrent);
}

} // namespace tilewright::torch
