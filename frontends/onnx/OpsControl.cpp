// Control flow: what is known at import is resolved, the rest is the run's.
#include "frontends/onnx/OpsCommon.h"
#include "frontends/onnx/Readers.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Checks.h"
#include "graph/build/Constants.h"
#include "graph/build/KnownTensor.h"
#include "graph/build/Movement.h"
#include "graph/build/Regions.h"
#include "graph/build/Remedy.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

/// Loops of known length are unrolled up to this many iterations, and nodes.
constexpr int64_t unrollLimit = 512;
constexpr int64_t mostUnrolledNodes = 4096;

/// A result of a subgraph that must be a tensor.
FailureOr<Tensor> tensorOf(GraphBuilder &b, const NamedValue &value,
                           StringRef what) {
  if (!value.tensor)
    return b.fail(
        what + " is " +
        (value.sequence ? "a sequence" : "an optional value that is absent") +
        ", expected a tensor");
  return value.tensor;
}

/// The same of each.
FailureOr<SmallVector<Tensor>>
tensorsOf(GraphBuilder &b, ArrayRef<NamedValue> values, StringRef what) {
  SmallVector<Tensor> tensors;
  for (const NamedValue &value : values) {
    TRY(Tensor tensor, tensorOf(b, value, what));
    tensors.push_back(tensor);
  }
  return tensors;
}

/// The tensors of values, those of sequences one by one. Error: one is absent.
FailureOr<SmallVector<Tensor>>
flattened(GraphBuilder &b, ArrayRef<NamedValue> values, StringRef what) {
  SmallVector<Tensor> tensors;
  for (const NamedValue &value : values) {
    if (value.sequence) {
      llvm::append_range(tensors, value.sequence->tensors);
      continue;
    }
    TRY(Tensor tensor, tensorOf(b, value, what));
    tensors.push_back(tensor);
  }
  return tensors;
}

/// Values of the kinds and lengths of `pattern` with these tensors.
SmallVector<NamedValue> likeThose(ArrayRef<NamedValue> pattern,
                                  ArrayRef<Tensor> tensors) {
  SmallVector<NamedValue> values;
  for (const NamedValue &value : pattern) {
    if (!value.sequence) {
      values.push_back(tensors.front());
      tensors = tensors.drop_front();
      continue;
    }
    auto sequence = std::make_shared<SequenceInfo>();
    sequence->element = value.sequence->element;
    const size_t size = size_t(value.sequence->size());
    sequence->tensors.assign(tensors.begin(), tensors.begin() + size);
    tensors = tensors.drop_front(size);
    values.push_back(Sequence(sequence));
  }
  return values;
}

/// Whether values are of the same kinds, sequences of the same lengths.
bool areAlike(ArrayRef<NamedValue> a, ArrayRef<NamedValue> b) {
  return llvm::equal(a, b, [](const NamedValue &x, const NamedValue &y) {
    return bool(x.sequence) == bool(y.sequence) &&
           (!x.sequence || x.sequence->size() == y.sequence->size());
  });
}

/// One branch of an If.
FailureOr<SmallVector<NamedValue>> branch(Node &node, bool condition) {
  TRY(const GraphProto *graph,
      node.attributes.graph(condition ? "then_branch" : "else_branch"));
  TRY(SmallVector<NamedValue> results, node.importer.inlineGraph(*graph));
  if (int64_t(results.size()) < node.numOutputs())
    return node.fail("a branch has " + Twine(results.size()) + " outputs");
  return results;
}

std::optional<bool> truthOf(const Tensor &condition) {
  if (!condition || !condition->content || condition->content->size() != 1)
    return std::nullopt;
  auto known = constantOf((*condition->content)[0]);
  return known ? std::optional<bool>(*known != 0) : std::nullopt;
}

/// A known condition takes its branch. With an unknown one the run does; where
/// the branches differ in rank and the condition compares sizes, these are
/// taken to be equal, as in the export of a squeeze, and checked at run time.
FailureOr<SmallVector<NamedValue>> importBranches(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor condition, knownInput(node, 0));
  if (!condition->element.isBool())
    return node.fail("the condition has type " + dtypeName(condition->element));
  if (auto truth = truthOf(condition))
    return branch(node, *truth);
  SmallVector<NamedValue> pattern;
  auto side = [&](bool truth) -> FailureOr<SmallVector<Tensor>> {
    TRY(auto results, branch(node, truth));
    results.resize(size_t(node.numOutputs()));
    if (!truth && !areAlike(results, pattern))
      return b.fail("a result is a sequence of one length in one branch, and "
                    "of another, or a tensor, in the other");
    pattern = results;
    return flattened(b, results, "a result of a branch");
  };
  auto either = build::branch(
      b, condition, [&] { return side(true); }, [&] { return side(false); });
  if (succeeded(either))
    return likeThose(pattern, *either);
  std::string error = std::exchange(b.error, "");
  b.unknownInputs.clear();
  if (auto truth = truthOf(evaluateAssumingEqual(b, condition)))
    return branch(node, *truth);
  return failUnknown(b,
                     "the condition (input '" + node.proto.input[0] +
                         "') must be known when the model is imported, "
                         "because " +
                         error,
                     condition);
}

LogicalResult importIf(Node &node) {
  TRY(SmallVector<NamedValue> results, importBranches(node));
  for (int64_t i = 0; i < node.numOutputs(); ++i)
    if (failed(node.set(i, results[i])))
      return failure();
  return success();
}

/// One slice of dimension `axis` without it.
FailureOr<Tensor> sliceAt(GraphBuilder &b, const Tensor &x, int64_t axis,
                          Expr at) {
  SmallVector<Expr> offsets(x->rank(), b.zero()), lengths(x->dims);
  offsets[axis] = at;
  lengths[axis] = b.sizes.constant(1);
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < x->rank(); ++i)
    if (i != axis)
      kept.push_back(i);
  TRY(Tensor part,
      slice(b, x, offsets, lengths, SmallVector<int64_t>(x->rank(), 1)));
  return rearrange(b, part, kept);
}

/// The results of a body that no iteration runs, for their types and sizes. The
/// operations that it leaves are dead.
FailureOr<SmallVector<NamedValue>>
resultsOfNone(Node &node, const GraphProto &body,
              const llvm::StringMap<NamedValue> &arguments) {
  // What must hold where the body runs need not hold here.
  auto checks = node.b.checks;
  auto results = node.importer.inlineGraph(body, arguments);
  node.b.checks = std::move(checks);
  return results;
}

/// The scan output of no iterations, each of which would give `element`.
FailureOr<Tensor> stackOfNone(GraphBuilder &b, const Tensor &element,
                              int64_t axis) {
  if (axis < 0 || axis > element->rank())
    return b.fail("axis " + Twine(axis) + " of a scan output does not fit");
  Dims dims = element->dims;
  dims.insert(dims.begin() + axis, b.zero());
  return broadcastTo(b, scalarConstant(b, element->element, 0), dims);
}

/// A Loop node.
struct Loop {
  const GraphProto *body;
  int64_t carried, scans;
  SmallVector<NamedValue> state;
  SmallVector<SmallVector<Tensor>> collected;
};

/// What the body gets in an iteration.
llvm::StringMap<NamedValue> argumentsOf(GraphBuilder &b, const Loop &loop,
                                        Expr number,
                                        ArrayRef<NamedValue> state) {
  llvm::StringMap<NamedValue> arguments;
  arguments[loop.body->input[0].name] = integerTensor(b, {number}, {}, i64(b));
  arguments[loop.body->input[1].name] =
      integerTensor(b, {b.sizes.constant(1)}, {}, boolean(b));
  for (int64_t i = 0; i < loop.carried; ++i)
    arguments[loop.body->input[i + 2].name] = state[i];
  return arguments;
}

/// One iteration; whether another one follows, or nothing where only a run
/// knows.
FailureOr<std::optional<bool>> iterate(Node &node, Loop &loop, int64_t trip) {
  GraphBuilder &b = node.b;
  TRY(auto results, node.importer.inlineGraph(
                        *loop.body, argumentsOf(b, loop, b.sizes.constant(trip),
                                                loop.state)));
  auto next = ArrayRef<NamedValue>(results).slice(1, loop.carried);
  loop.state.assign(next.begin(), next.end());
  for (int64_t i = 0; i < loop.scans; ++i) {
    TRY(Tensor part,
        tensorOf(b, results[i + 1 + loop.carried], "a scan output"));
    loop.collected[i].push_back(part);
  }
  TRY(Tensor condition, tensorOf(b, results[0], "the loop's condition"));
  return truthOf(evaluate(b, condition));
}

/// The state at the end, and what the iterations gave.
LogicalResult setUnrolled(Node &node, const Loop &loop) {
  GraphBuilder &b = node.b;
  SmallVector<NamedValue> none;
  for (int64_t i = 0; i < node.numOutputs(); ++i) {
    if (i < loop.carried) {
      if (failed(node.set(i, loop.state[i])))
        return failure();
      continue;
    }
    const auto &parts = loop.collected[i - loop.carried];
    Tensor result;
    if (!parts.empty()) {
      TRY(result, stack(b, parts, 0));
    } else {
      if (none.empty()) {
        TRY(none, resultsOfNone(node, *loop.body,
                                argumentsOf(b, loop, b.zero(), loop.state)));
      }
      TRY(Tensor element, tensorOf(b, none[i + 1], "a scan output"));
      TRY(result, stackOfNone(b, element, 0));
    }
    if (failed(node.set(i, result)))
      return failure();
  }
  return success();
}

/// Writes each iteration, if it is known how many there are, and these are few
/// and short; else nothing is set. `trips`: the greatest count; none: any.
FailureOr<bool> unroll(Node &node, Loop loop, std::optional<int64_t> trips,
                       bool runs) {
  const int64_t nodes = std::max<int64_t>(std::ssize(loop.body->node), 1);
  const int64_t most = std::min(unrollLimit, mostUnrolledNodes / nodes);
  if (runs && trips.value_or(0) > most)
    return false;
  for (int64_t trip = 0; runs && trip < trips.value_or(most + 1); ++trip) {
    if (trip == most)
      return false;
    TRY(std::optional<bool> goesOn, iterate(node, loop, trip));
    if (!goesOn)
      return false;
    runs = *goesOn;
  }
  if (failed(setUnrolled(node, loop)))
    return failure();
  return true;
}

/// A loop that the run repeats.
LogicalResult repeatLoop(Node &node, const Loop &loop, LoopParts parts) {
  GraphBuilder &b = node.b;
  TRY(parts.state, flattened(b, loop.state, "a value that a loop carries"));
  const size_t carried = parts.state.size();
  auto body = [&](Expr number, ArrayRef<Tensor> state) -> FailureOr<Iteration> {
    TRY(auto values,
        node.importer.inlineGraph(
            *loop.body,
            argumentsOf(b, loop, number, likeThose(loop.state, state))));
    auto next = ArrayRef<NamedValue>(values).slice(1, loop.carried);
    if (!areAlike(next, loop.state))
      return b.fail("a sequence that a loop of unknown length carries changes "
                    "its length");
    TRY(auto given, flattened(b, values, "what a loop gives"));
    auto states = ArrayRef<Tensor>(given).slice(1, carried);
    auto scans = ArrayRef<Tensor>(given).drop_front(1 + carried);
    return Iteration{given[0], llvm::to_vector(states), llvm::to_vector(scans)};
  };
  TRY(LoopResults results, repeat(b, parts, body));
  SmallVector<NamedValue> all = likeThose(loop.state, results.state);
  all.append(results.collected.begin(), results.collected.end());
  for (int64_t i = 0; i < node.numOutputs(); ++i)
    if (failed(node.set(i, all[i])))
      return failure();
  return success();
}

/// The only element of an integer input, as a size; 0 for less.
FailureOr<Expr> countOfInput(Node &node, int64_t i) {
  TRY(Tensor tensor, node.input(i));
  TRY(Expr size, readSize(node.b, tensor, std::numeric_limits<int64_t>::min()));
  return constantOf(size) ? size : node.b.sizes.positivePart(size);
}

/// Body outputs: condition, carried values, scan outputs.
LogicalResult importLoop(Node &node) {
  GraphBuilder &b = node.b;
  Loop loop;
  TRY(loop.body, node.attributes.graph("body"));
  loop.carried = node.numInputs() - 2;
  loop.scans = std::ssize(loop.body->output) - 1 - loop.carried;
  if (loop.carried < 0 || std::ssize(loop.body->input) != loop.carried + 2 ||
      loop.scans < 0 || node.numOutputs() > std::ssize(loop.body->output) - 1)
    return node.fail("the body has " + Twine(std::ssize(loop.body->input)) +
                     " inputs and " + Twine(std::ssize(loop.body->output)) +
                     " outputs, the node carries " + Twine(loop.carried) +
                     " values");
  LoopParts parts;
  if (node.hasInput(0)) {
    TRY(parts.count, countOfInput(node, 0));
  }
  std::optional<bool> runs = true;
  if (node.hasInput(1)) {
    TRY(parts.condition, node.input(1));
    runs = truthOf(evaluate(b, parts.condition));
    if (!runs)
      noteRead(b, parts.condition);
  }
  for (int64_t i = 0; i < loop.carried; ++i) {
    TRY(NamedValue initial, node.value(i + 2));
    loop.state.push_back(initial);
  }
  loop.collected.resize(loop.scans);
  auto trips = parts.count ? constantOf(parts.count) : std::nullopt;
  if (trips && *trips == std::numeric_limits<int64_t>::max()) {
    // "Any number" in exports of while loops.
    parts.count = nullptr;
    trips.reset();
  }
  if (runs && (trips || !parts.count)) {
    auto checks = b.checks;
    TRY(bool isDone, unroll(node, loop, trips, *runs));
    if (isDone)
      return success();
    b.checks = std::move(checks); // What was written is dead.
  }
  if (runs && *runs)
    parts.condition = nullptr;
  return repeatLoop(node, loop, std::move(parts));
}

/// A per-operand list attribute of Scan, zero by default.
FailureOr<SmallVector<int64_t>> scanList(Node &node, StringRef name,
                                         int64_t count) {
  TRY(SmallVector<int64_t> values, node.attributes.integers(name));
  values.resize(std::max<size_t>(values.size(), count), 0);
  return values;
}

/// A Scan node.
struct Scan {
  const GraphProto *body;
  int64_t carried, scanned, scans;
  Expr length;
  SmallVector<int64_t> directions, outDirections, axes, outAxes;
  SmallVector<Tensor> state, sequences;
  SmallVector<SmallVector<Tensor>> collected;
};

FailureOr<Scan> readScan(Node &node) {
  GraphBuilder &b = node.b;
  Scan scan;
  TRY(scan.body, node.attributes.graph("body"));
  TRY(scan.scanned, node.attributes.integer("num_scan_inputs", 0));
  if (scan.scanned < 1 || scan.scanned > node.numInputs())
    return node.fail("attribute 'num_scan_inputs' is " + Twine(scan.scanned) +
                     ", the node has " + Twine(node.numInputs()) + " inputs");
  scan.carried = node.numInputs() - scan.scanned;
  if (node.opset < 9)
    return node.fail("Scan of operator set 8 is not supported");
  if (std::ssize(scan.body->input) != node.numInputs() ||
      std::ssize(scan.body->output) < scan.carried ||
      node.numOutputs() > std::ssize(scan.body->output))
    return node.fail("the body has " + Twine(std::ssize(scan.body->input)) +
                     " inputs, the node has " + Twine(node.numInputs()) +
                     " of which " + Twine(scan.scanned) + " are scanned");
  scan.scans = std::ssize(scan.body->output) - scan.carried;
  scan.collected.resize(scan.scans);
  TRY(scan.directions, scanList(node, "scan_input_directions", scan.scanned));
  TRY(scan.outDirections, scanList(node, "scan_output_directions", scan.scans));
  TRY(scan.axes, scanList(node, "scan_input_axes", scan.scanned));
  TRY(scan.outAxes, scanList(node, "scan_output_axes", scan.scans));
  for (int64_t i = 0; i < node.numInputs(); ++i) {
    TRY(Tensor tensor, node.input(i));
    if (i < scan.carried) {
      scan.state.push_back(tensor);
      continue;
    }
    int64_t &axis = scan.axes[i - scan.carried];
    TRY(axis, axisOf(node.b, axis, tensor->rank()));
    Expr length = tensor->dims[axis];
    if (scan.sequences.empty())
      scan.length = length;
    else if (failed(matchSize(b, length, scan.length, "a scanned input")))
      return failure();
    scan.sequences.push_back(tensor);
  }
  return scan;
}

/// What the body gets in an iteration; without a number, what has the types and
/// sizes of that.
FailureOr<llvm::StringMap<NamedValue>> argumentsOf(GraphBuilder &b,
                                                   const Scan &scan,
                                                   Expr number,
                                                   ArrayRef<Tensor> state) {
  llvm::StringMap<NamedValue> arguments;
  for (int64_t i = 0; i < scan.carried; ++i)
    arguments[scan.body->input[i].name] = state[i];
  for (int64_t i = 0; i < scan.scanned; ++i) {
    const Tensor &sequence = scan.sequences[i];
    Tensor &argument =
        arguments[scan.body->input[scan.carried + i].name].tensor;
    if (number) {
      Expr last = b.sizes.add(scan.length, -1);
      TRY(argument,
          sliceAt(b, sequence, scan.axes[i],
                  scan.directions[i] ? b.sizes.sub(last, number) : number));
      continue;
    }
    Dims dims = sequence->dims;
    dims.erase(dims.begin() + scan.axes[i]);
    TRY(argument,
        broadcastTo(b, scalarConstant(b, sequence->element, 0), dims));
  }
  return arguments;
}

/// The state at the end, and what the iterations gave.
LogicalResult setUnrolled(Node &node, Scan &scan) {
  GraphBuilder &b = node.b;
  SmallVector<Tensor> none;
  if (isConst(scan.length, 0) && node.numOutputs() > scan.carried) {
    TRY(auto arguments, argumentsOf(b, scan, nullptr, scan.state));
    TRY(auto results, resultsOfNone(node, *scan.body, arguments));
    TRY(none, tensorsOf(b, results, "an output of a scan's body"));
  }
  for (int64_t i = 0; i < node.numOutputs(); ++i) {
    Tensor result = i < scan.carried ? scan.state[i] : nullptr;
    if (i >= scan.carried) {
      auto &parts = scan.collected[i - scan.carried];
      if (scan.outDirections[i - scan.carried])
        std::reverse(parts.begin(), parts.end());
      const Tensor &element = parts.empty() ? none[i] : parts[0];
      int64_t axis = scan.outAxes[i - scan.carried];
      if (axis < 0)
        axis += element->rank() + 1;
      TRY(result, parts.empty() ? stackOfNone(b, element, axis)
                                : stack(b, parts, axis));
    }
    if (failed(node.set(i, result)))
      return failure();
  }
  return success();
}

/// The axis of an output along which iterations are stacked.
FailureOr<int64_t> stackAxis(Node &node, const Scan &scan, int64_t i,
                             int64_t rank) {
  const int64_t axis = scan.outAxes[i] + (scan.outAxes[i] < 0 ? rank + 1 : 0);
  if (axis < 0 || axis > rank)
    return node.fail("axis " + Twine(scan.outAxes[i]) +
                     " of a scan output does not fit");
  return axis;
}

/// A scan that the run repeats. Iterations are collected along the first
/// dimension: those of an output that runs backwards, from its end.
LogicalResult repeatScan(Node &node, const Scan &scan) {
  GraphBuilder &b = node.b;
  const bool isBackwards =
      !scan.outDirections.empty() && scan.outDirections[0] != 0;
  for (int64_t direction : scan.outDirections)
    if ((direction != 0) != isBackwards)
      return node.fail("scan outputs in both directions need a sequence of "
                       "known length, of at most " +
                       Twine(unrollLimit) + " elements" +
                       sizeRemedy(b, scan.length));
  LoopParts parts;
  parts.count = scan.length;
  parts.state = scan.state;
  auto body = [&](Expr number, ArrayRef<Tensor> state) -> FailureOr<Iteration> {
    TRY(auto arguments, argumentsOf(b, scan, number, state));
    TRY(auto values, node.importer.inlineGraph(*scan.body, arguments));
    TRY(auto given, tensorsOf(b, values, "an output of a scan's body"));
    auto all = ArrayRef<Tensor>(given);
    Iteration iteration{nullptr, llvm::to_vector(all.take_front(scan.carried)),
                        llvm::to_vector(all.drop_front(scan.carried))};
    if (isBackwards)
      iteration.position = b.sizes.sub(b.sizes.add(scan.length, -1), number);
    return iteration;
  };
  TRY(LoopResults results, repeat(b, parts, body));
  for (int64_t i = 0; i < node.numOutputs(); ++i) {
    if (i < scan.carried) {
      if (failed(node.set(i, results.state[i])))
        return failure();
      continue;
    }
    Tensor all = results.collected[i - scan.carried];
    TRY(int64_t axis, stackAxis(node, scan, i - scan.carried, all->rank() - 1));
    SmallVector<int64_t> order;
    for (int64_t d = 1; d < all->rank(); ++d)
      order.push_back(d);
    order.insert(order.begin() + axis, 0);
    TRY(all, transpose(b, all, order));
    if (failed(node.set(i, all)))
      return failure();
  }
  return success();
}

LogicalResult importScan(Node &node) {
  TRY(Scan scan, readScan(node));
  const int64_t nodes = std::max<int64_t>(std::ssize(scan.body->node), 1);
  const auto length = constantOf(scan.length);
  if (!length || *length > std::min(unrollLimit, mostUnrolledNodes / nodes))
    return repeatScan(node, scan);
  for (int64_t trip = 0; trip < *length; ++trip) {
    TRY(auto arguments,
        argumentsOf(node.b, scan, node.b.sizes.constant(trip), scan.state));
    TRY(auto values, node.importer.inlineGraph(*scan.body, arguments));
    TRY(auto results, tensorsOf(node.b, values, "an output of a scan's body"));
    for (int64_t i = 0; i < scan.carried; ++i)
      scan.state[i] = results[i];
    for (int64_t i = 0; i < scan.scans; ++i)
      scan.collected[i].push_back(results[scan.carried + i]);
  }
  return setUnrolled(node, scan);
}

} // namespace

void addControlOps(OpTable &t) {
  t.add("If", 1, importIf,
        "branches of different ranks: only if the condition compares sizes, "
        "which are taken to be equal");
  t.add("Loop", 1, importLoop,
        "carried values keep their type and rank, scan outputs their shape; "
        "short loops of known count are unrolled");
  t.add("Scan", 9, importScan,
        "carried values keep their type and rank; scan outputs in both "
        "directions: only of a short sequence of known length");
}

} // namespace tilewright::onnx
