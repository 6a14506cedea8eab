#include "graph/build/Recurrent.h"

#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/Generic.h"
#include "graph/build/MatMul.h"
#include "graph/build/Movement.h"
#include "graph/build/Quant.h"
#include "graph/build/Regions.h"

using namespace mlir;

namespace tilewright::build {
namespace {

/// Shorter sequences are unrolled; others, and those of unknown length, are
/// loops.
constexpr int64_t unrollLimit = 16;

/// The operands of one direction. The rows of the weights are grouped by gate:
/// w[G * H, I], r[G * H, H], bias[G * H] each.
struct Direction {
  Tensor w, r, inputBias, stateBias, peephole, hidden, cell;
  /// Of quantized weights, else null.
  Tensor inputScale, inputZero, stateScale, stateZero;
  ArrayRef<GateActivation> functions;
  bool reverse = false;
};

/// The operands of all directions, and their sizes.
struct Network {
  Tensor x, lengths;
  int64_t gates = 1, hiddenSize = 0, directions = 1;
  bool batchFirst = false, linearBeforeReset = false, inputForget = false;
  double clip = 0;
  Expr steps, batch;
};

int64_t gatesOf(RecurrentCell cell) {
  switch (cell) {
  case RecurrentCell::Plain:
    return 1;
  case RecurrentCell::LongShortTerm:
    return 4;
  default:
    return 3;
  }
}

/// The functions that a cell has for each direction.
size_t functionsOf(RecurrentCell cell) {
  switch (cell) {
  case RecurrentCell::Plain:
    return 1;
  case RecurrentCell::LongShortTerm:
    return 3;
  default:
    return 2;
  }
}

Value activated(Scalar &s, const GateActivation &f, Value v) {
  const Value zero = s.like(v, 0), one = s.like(v, 1);
  auto affine = [&](Value x) {
    return s.add(s.mul(s.like(v, f.a), x), s.like(v, f.b));
  };
  switch (f.function) {
  case GateFunction::Sigmoid:
    return s.sigmoid(v);
  case GateFunction::Tanh:
    return s.tanh(v);
  case GateFunction::Relu:
    return s.max(v, zero);
  case GateFunction::Affine:
    return affine(v);
  case GateFunction::LeakyRelu:
    return s.select(s.lt(v, zero), s.mul(s.like(v, f.a), v), v);
  case GateFunction::ThresholdedRelu:
    return s.select(s.gt(v, s.like(v, f.a)), v, zero);
  case GateFunction::ScaledTanh:
    return s.mul(s.like(v, f.a), s.tanh(s.mul(s.like(v, f.b), v)));
  case GateFunction::HardSigmoid:
    return s.clamp(affine(v), zero, one);
  case GateFunction::Elu:
    return s.select(s.lt(v, zero), s.mul(s.like(v, f.a), s.sub(s.exp(v), one)),
                    v);
  case GateFunction::Softsign:
    return s.div(v, s.add(one, s.abs(v)));
  case GateFunction::Softplus:
    return s.softplus(v);
  }
  llvm_unreachable("all functions are above");
}

/// What a gate makes of the sum of its products and biases.
Value gateValue(Scalar &s, const Network &r, const GateActivation &f, Value v) {
  if (r.clip > 0)
    v = s.clamp(v, s.like(v, -r.clip), s.like(v, r.clip));
  return activated(s, f, v);
}

/// Element `at` of dimension 0, without it.
FailureOr<Tensor> row(GraphBuilder &b, const Tensor &x, Expr at) {
  if (!x)
    return Tensor();
  if (x->rank() < 1)
    return b.fail("an operand has no dimensions");
  SmallVector<Expr> offsets(x->rank(), b.zero()), lengths(x->dims);
  offsets[0] = at;
  lengths[0] = b.sizes.constant(1);
  SmallVector<int64_t> kept;
  for (int64_t i = 1; i < x->rank(); ++i)
    kept.push_back(i);
  TRY(Tensor part,
      slice(b, x, offsets, lengths, SmallVector<int64_t>(x->rank(), 1)));
  return rearrange(b, part, kept);
}
FailureOr<Tensor> row(GraphBuilder &b, const Tensor &x, int64_t at) {
  return row(b, x, b.sizes.constant(at));
}

/// Rows or columns [first, first + count) of dimension `axis`.
FailureOr<Tensor> part(GraphBuilder &b, const Tensor &x, int64_t axis,
                       int64_t first, int64_t count) {
  if (x->rank() <= axis)
    return b.fail("an operand has shape " + b.sizes.str(x->dims));
  SmallVector<Expr> offsets(x->rank(), b.zero()), lengths(x->dims);
  offsets[axis] = b.sizes.constant(first);
  lengths[axis] = b.sizes.constant(count);
  return slice(b, x, offsets, lengths, SmallVector<int64_t>(x->rank(), 1));
}

/// x[N, K] times the transpose of w[M, K].
FailureOr<Tensor> product(GraphBuilder &b, const Tensor &x, const Tensor &w) {
  TRY(Tensor transposed, swapLast(b, w));
  return matmul(b, x, transposed, x->element);
}

/// The same of weights that may be quantized: their scale is null if not.
FailureOr<Tensor> product(GraphBuilder &b, const Tensor &x,
                          const Quantized &w) {
  if (!w.scale)
    return product(b, x, w.values);
  TRY(Tensor transposed, swapLast(b, w.values));
  return matmulByRange(b, x, {transposed, w.scale, w.zero}, nullptr);
}

FailureOr<Tensor> sum(GraphBuilder &b, ArrayRef<Tensor> terms) {
  SmallVector<Tensor> present;
  for (const Tensor &term : terms)
    if (term)
      present.push_back(term);
  return elementwise(b, present, present[0]->element, [](Scalar &s, Values v) {
    Value total = v[0];
    for (Value next : v.drop_front())
      total = s.add(total, next);
    return total;
  });
}

FailureOr<Network> readNetwork(GraphBuilder &b,
                               const RecurrentOperands &operands,
                               const RecurrentOptions &o) {
  Network r;
  r.gates = gatesOf(o.cell);
  r.x = operands.x;
  r.batchFirst = o.batchFirst;
  r.clip = o.clip;
  r.inputForget = o.inputForget;
  r.linearBeforeReset = o.linearBeforeReset;
  const Tensor &state = operands.stateWeights;
  if (r.x->rank() != 3 || state->rank() != 3 || !r.x->element.isFloat())
    return b.fail("input and recurrence weights have shapes " +
                  b.sizes.str(r.x->dims) + " and " + b.sizes.str(state->dims));
  if (r.batchFirst) {
    TRY(r.x, transpose(b, r.x, {1, 0, 2}));
  }
  auto hidden = constantOf(state->dims[2]);
  auto directions = constantOf(state->dims[0]);
  if (!directions || *directions < 1 || *directions > 2 || !hidden ||
      *hidden < 1 || *hidden > (1 << 24))
    return b.fail("recurrence weights have shape " + b.sizes.str(state->dims));
  if (operands.lengths) {
    r.lengths = operands.lengths;
    if (r.lengths->rank() != 1 || !r.lengths->element.isInteger())
      return b.fail("sequence_lens has shape " + b.sizes.str(r.lengths->dims) +
                    " and type " + dtypeName(r.lengths->element));
    TRY(r.lengths, withDims(b, r.lengths, {r.x->dims[1]}, "sequence_lens"));
    if (failed(expectLengths(b, r.lengths, r.x->dims[0], "sequence_lens")))
      return failure();
  }
  r.steps = r.x->dims[0];
  r.hiddenSize = *hidden;
  r.directions = *directions;
  r.batch = r.x->dims[1];
  return r;
}

FailureOr<Direction> readDirection(GraphBuilder &b, const Network &r,
                                   const RecurrentOperands &operands,
                                   const RecurrentOptions &o, int64_t d) {
  Direction direction;
  int64_t rows = r.gates * r.hiddenSize;
  TRY(direction.w, row(b, operands.inputWeights, d));
  TRY(direction.r, row(b, operands.stateWeights, d));
  TRY(direction.inputScale, row(b, operands.inputScale, d));
  TRY(direction.inputZero, row(b, operands.inputZero, d));
  TRY(direction.stateScale, row(b, operands.stateScale, d));
  TRY(direction.stateZero, row(b, operands.stateZero, d));
  if (direction.w->rank() != 2 || !isConst(direction.w->dims[0], rows) ||
      direction.r->rank() != 2 || !isConst(direction.r->dims[0], rows))
    return b.fail("weights have shape " + b.sizes.str(direction.w->dims) +
                  ", expected " + Twine(rows) + " rows");
  if (operands.bias) {
    TRY(Tensor bias, row(b, operands.bias, d));
    if (bias->rank() != 1 || !isConst(bias->dims[0], 2 * rows))
      return b.fail("the bias has shape " + b.sizes.str(bias->dims));
    TRY(direction.inputBias, part(b, bias, 0, 0, rows));
    TRY(direction.stateBias, part(b, bias, 0, rows, rows));
  }
  auto initial = [&](Tensor state) -> FailureOr<Tensor> {
    if (state) {
      if (state->rank() != 3)
        return b.fail("an initial state has shape " + b.sizes.str(state->dims));
      if (r.batchFirst) {
        TRY(state, transpose(b, state, {1, 0, 2}));
      }
      TRY(Tensor own, row(b, state, d));
      return withDims(b, own, {r.batch, b.sizes.constant(r.hiddenSize)},
                      "an initial state");
    }
    Tensor zero = scalarConstant(b, r.x->element, 0);
    return broadcastTo(b, zero, {r.batch, b.sizes.constant(r.hiddenSize)});
  };
  TRY(direction.hidden, initial(operands.hidden));
  if (r.gates == 4) {
    TRY(direction.cell, initial(operands.state));
    if (operands.peephole) {
      TRY(direction.peephole, row(b, operands.peephole, d));
    }
  }
  direction.reverse = o.reverse || d == 1;
  size_t count = functionsOf(o.cell);
  direction.functions =
      ArrayRef<GateActivation>(o.functions).slice(d * count, count);
  return direction;
}

/// h = f(x w^T + h r^T + biases).
LogicalResult stepPlain(GraphBuilder &b, const Network &r, Direction &d,
                        const Tensor &projected) {
  TRY(Tensor recurrent, product(b, d.hidden, d.r));
  SmallVector<Tensor> operands = {projected, recurrent};
  if (d.stateBias)
    operands.push_back(d.stateBias);
  TRY(d.hidden,
      elementwise(b, operands, projected->element, [&](Scalar &s, Values v) {
        Value total = s.add(v[0], v[1]);
        if (v.size() > 2)
          total = s.add(total, v[2]);
        return gateValue(s, r, d.functions[0], total);
      }));
  return success();
}

/// Gates input, output, forget, cell.
LogicalResult stepLongShortTerm(GraphBuilder &b, const Network &r, Direction &d,
                                const Tensor &projected) {
  int64_t size = r.hiddenSize;
  TRY(Tensor recurrent,
      product(b, d.hidden, Quantized{d.r, d.stateScale, d.stateZero}));
  TRY(Tensor all, sum(b, {projected, recurrent, d.stateBias}));
  SmallVector<Tensor> gates, peepholes(3);
  for (int64_t i = 0; i < 4; ++i) {
    TRY(Tensor preactivation, part(b, all, 1, i * size, size));
    gates.push_back(preactivation);
  }
  for (int64_t i = 0; i < 3 && d.peephole; ++i) {
    TRY(peepholes[i], part(b, d.peephole, 0, i * size, size));
  }
  auto gate = [&](int64_t i, int64_t peephole, const Tensor &cell,
                  const GateActivation &f) -> FailureOr<Tensor> {
    SmallVector<Tensor> operands = {gates[i]};
    if (d.peephole && peephole >= 0)
      operands.append({peepholes[peephole], cell});
    return elementwise(b, operands, gates[i]->element,
                       [&](Scalar &s, Values v) {
                         Value total = v[0];
                         if (v.size() == 3)
                           total = s.add(total, s.mul(v[1], v[2]));
                         return gateValue(s, r, f, total);
                       });
  };
  TRY(Tensor input, gate(0, 0, d.cell, d.functions[0]));
  Tensor forget;
  if (r.inputForget) {
    TRY(forget,
        elementwise(b, {input}, input->element, [](Scalar &s, Values v) {
          return s.sub(s.like(v[0], 1), v[0]);
        }));
  } else {
    TRY(forget, gate(2, 2, d.cell, d.functions[0]));
  }
  TRY(Tensor fresh, gate(3, -1, d.cell, d.functions[1]));
  auto cellBody = [](Scalar &s, Values v) {
    return s.add(s.mul(v[0], v[1]), s.mul(v[2], v[3]));
  };
  TRY(Tensor cell, elementwise(b, {forget, d.cell, input, fresh},
                               d.cell->element, cellBody));
  TRY(Tensor output, gate(1, 1, cell, d.functions[0]));
  TRY(d.hidden,
      elementwise(b, {output, cell}, cell->element, [&](Scalar &s, Values v) {
        return s.mul(v[0], activated(s, d.functions[2], v[1]));
      }));
  d.cell = cell;
  return success();
}

/// Gates update, reset, hidden.
LogicalResult stepGated(GraphBuilder &b, const Network &r, Direction &d,
                        const Tensor &projected) {
  int64_t size = r.hiddenSize;
  auto rows = [&](const Tensor &x, int64_t axis, int64_t first,
                  int64_t count) -> FailureOr<Tensor> {
    if (!x)
      return Tensor();
    return part(b, x, axis, first * size, count * size);
  };
  TRY(Tensor gateWeights, rows(d.r, 0, 0, 2));
  TRY(Tensor recurrent, product(b, d.hidden, gateWeights));
  TRY(Tensor gateInputs, rows(projected, 1, 0, 2));
  TRY(Tensor gateBias, rows(d.stateBias, 0, 0, 2));
  TRY(Tensor both, sum(b, {gateInputs, recurrent, gateBias}));
  TRY(Tensor gates,
      elementwise(b, {both}, both->element, [&](Scalar &s, Values v) {
        return gateValue(s, r, d.functions[0], v[0]);
      }));
  TRY(Tensor update, rows(gates, 1, 0, 1));
  TRY(Tensor reset, rows(gates, 1, 1, 1));
  TRY(Tensor weights, rows(d.r, 0, 2, 1));
  TRY(Tensor bias, rows(d.stateBias, 0, 2, 1));
  auto times = [](Scalar &s, Values v) { return s.mul(v[0], v[1]); };
  Tensor state;
  if (r.linearBeforeReset) {
    TRY(Tensor linear, product(b, d.hidden, weights));
    TRY(linear, sum(b, {linear, bias}));
    TRY(state, elementwise(b, {reset, linear}, linear->element, times));
  } else {
    TRY(Tensor kept,
        elementwise(b, {reset, d.hidden}, d.hidden->element, times));
    TRY(state, product(b, kept, weights));
    TRY(state, sum(b, {state, bias}));
  }
  TRY(Tensor fresh, rows(projected, 1, 2, 1));
  TRY(fresh, sum(b, {fresh, state}));
  auto blend = [&](Scalar &s, Values v) {
    Value candidate = gateValue(s, r, d.functions[1], v[1]);
    Value keep = s.mul(v[0], v[2]);
    return s.add(s.mul(s.sub(s.like(v[0], 1), v[0]), candidate), keep);
  };
  TRY(d.hidden,
      elementwise(b, {update, fresh, d.hidden}, d.hidden->element, blend));
  return success();
}

using StepFn = LogicalResult (*)(GraphBuilder &, const Network &, Direction &,
                                 const Tensor &);

StepFn stepOf(RecurrentCell cell) {
  switch (cell) {
  case RecurrentCell::Plain:
    return stepPlain;
  case RecurrentCell::LongShortTerm:
    return stepLongShortTerm;
  default:
    return stepGated;
  }
}

/// Joins tensors [N, H] along new dimensions in front.
FailureOr<Tensor> stackRows(GraphBuilder &b, ArrayRef<Tensor> tensors) {
  SmallVector<Tensor> rows;
  for (const Tensor &tensor : tensors) {
    SmallVector<int64_t> kept = {-1};
    for (int64_t i = 0; i < tensor->rank(); ++i)
      kept.push_back(i);
    rows.push_back(rearrange(b, tensor, kept));
  }
  return concat(b, rows, 0);
}

/// a[N, H] for the sequences that are longer than position `at`, else b.
FailureOr<Tensor> whereWithin(GraphBuilder &b, const Tensor &lengths, Expr at,
                              const Tensor &inside, const Tensor &outside) {
  Tensor position = integerTensor(b, {at}, {}, lengths->element);
  return elementwiseOver(
      b, inside->dims,
      {rearrange(b, lengths, {0, -1}), inside, outside, position},
      inside->element,
      [&](Scalar &s, Values v) {
        Scalar t(s.builder, s.loc);
        return s.select(t.gt(v[0], v[3]), v[1], v[2]);
      },
      /*widen=*/false);
}

/// The last states: 0 for a sequence without elements.
LogicalResult clearEmpty(GraphBuilder &b, const Network &r, Direction &d) {
  const auto &known = r.lengths->content;
  if (known && llvm::all_of(*known, [](Expr length) {
        return constantOf(length).value_or(0) > 0;
      }))
    return success();
  Tensor zero = scalarConstant(b, r.x->element, 0);
  TRY(d.hidden, whereWithin(b, r.lengths, b.zero(), d.hidden, zero));
  if (d.cell) {
    TRY(d.cell, whereWithin(b, r.lengths, b.zero(), d.cell, zero));
  }
  return success();
}

/// The projected inputs and the functions of one direction.
struct Sequence {
  const Network &r;
  StepFn step;
  /// [T, N, G * H].
  Tensor inputs;
};

/// One step of a direction, at a position of the sequence; returns its output.
FailureOr<Tensor> stepAt(GraphBuilder &b, const Sequence &s, Direction &d,
                         Expr at) {
  Tensor hidden = d.hidden, cell = d.cell;
  TRY(Tensor projected, row(b, s.inputs, at));
  if (failed(s.step(b, s.r, d, projected)))
    return failure();
  const Tensor &lengths = s.r.lengths;
  if (!lengths)
    return d.hidden;
  // Behind the end of a sequence its state stays and its output is 0.
  Tensor zero = scalarConstant(b, s.r.x->element, 0);
  TRY(Tensor output, whereWithin(b, lengths, at, d.hidden, zero));
  TRY(d.hidden, whereWithin(b, lengths, at, d.hidden, hidden));
  if (d.cell) {
    TRY(d.cell, whereWithin(b, lengths, at, d.cell, cell));
  }
  return output;
}

/// The position of a step.
Expr positionOf(GraphBuilder &b, const Network &r, const Direction &d,
                Expr number) {
  return d.reverse ? b.sizes.sub(b.sizes.add(r.steps, -1), number) : number;
}

/// All steps, written one by one: their outputs [T, N, H].
FailureOr<Tensor> unrolled(GraphBuilder &b, const Sequence &s, Direction &d,
                           int64_t steps) {
  SmallVector<Tensor> outputs(steps);
  for (int64_t t = 0; t < steps; ++t) {
    Expr at = positionOf(b, s.r, d, b.sizes.constant(t));
    TRY(outputs[*constantOf(at)], stepAt(b, s, d, at));
  }
  return stackRows(b, outputs);
}

/// The same as a loop, whose outputs are null unless wanted.
FailureOr<Tensor> looped(GraphBuilder &b, const Sequence &s, Direction &d,
                         bool wantsSteps) {
  LoopParts parts;
  parts.count = s.r.steps;
  parts.state = {d.hidden};
  if (d.cell)
    parts.state.push_back(d.cell);
  auto body = [&](Expr number, ArrayRef<Tensor> state) -> FailureOr<Iteration> {
    Direction now = d;
    now.hidden = state[0];
    if (now.cell)
      now.cell = state[1];
    Iteration result;
    Expr position = positionOf(b, s.r, d, number);
    TRY(Tensor output, stepAt(b, s, now, position));
    result.state = {now.hidden};
    if (now.cell)
      result.state.push_back(now.cell);
    if (wantsSteps)
      result.collected.push_back({output, position});
    return result;
  };
  TRY(LoopResults results, repeat(b, parts, body));
  d.hidden = results.state[0];
  if (d.cell)
    d.cell = results.state[1];
  return wantsSteps ? results.collected[0] : Tensor();
}

} // namespace

FailureOr<Recurrent> recurrent(GraphBuilder &b,
                               const RecurrentOperands &operands,
                               const RecurrentOptions &o) {
  TRY(Network r, readNetwork(b, operands, o));
  SmallVector<Tensor> lastHidden, lastCell, outputs;
  for (int64_t i = 0; i < r.directions; ++i) {
    TRY(Direction d, readDirection(b, r, operands, o, i));
    // The inputs' products do not depend on the state.
    TRY(Tensor inputs,
        product(b, r.x, Quantized{d.w, d.inputScale, d.inputZero}));
    TRY(inputs, sum(b, {inputs, d.inputBias}));
    const Sequence sequence{r, stepOf(o.cell), inputs};
    const auto steps = constantOf(r.steps);
    Tensor all;
    if (steps && *steps >= 1 && *steps <= unrollLimit) {
      TRY(all, unrolled(b, sequence, d, *steps));
    } else {
      TRY(all, looped(b, sequence, d, o.wantsSteps));
    }
    outputs.push_back(all);
    if (r.lengths && failed(clearEmpty(b, r, d)))
      return failure();
    lastHidden.push_back(d.hidden);
    if (d.cell)
      lastCell.push_back(d.cell);
  }
  auto last = [&](ArrayRef<Tensor> states) -> FailureOr<Tensor> {
    TRY(Tensor stacked, stackRows(b, states));
    return r.batchFirst ? transpose(b, stacked, {1, 0, 2}) : stacked;
  };
  Recurrent result;
  if (o.wantsSteps) {
    // [D, T, N, H].
    TRY(Tensor all, stackRows(b, outputs));
    TRY(result.steps, transpose(b, all,
                                r.batchFirst ? ArrayRef<int64_t>{2, 1, 0, 3}
                                             : ArrayRef<int64_t>{1, 0, 2, 3}));
  }
  if (o.wantsHidden) {
    TRY(result.hidden, last(lastHidden));
  }
  if (o.wantsState && !lastCell.empty()) {
    TRY(result.state, last(lastCell));
  }
  return result;
}

} // namespace tilewright::build
