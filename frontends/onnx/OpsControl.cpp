// Control flow: branches are inlined, loops with known counts unrolled.
#include "frontends/onnx/OpsCommon.h"
#include "frontends/onnx/Readers.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Constants.h"
#include "graph/build/KnownTensor.h"
#include "graph/build/Movement.h"
#include "graph/build/Remedy.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

/// Loops are unrolled up to this many iterations.
constexpr int64_t unrollLimit = 512;

/// One branch of an If.
FailureOr<SmallVector<Tensor>> branch(Node &node, bool condition) {
  TRY(const GraphProto *graph,
      node.attributes.graph(condition ? "then_branch" : "else_branch"));
  TRY(SmallVector<Tensor> results, node.importer.inlineGraph(*graph));
  if (int64_t(results.size()) < node.numOutputs())
    return node.fail("a branch has " + Twine(results.size()) + " outputs");
  return results;
}

/// Both branches, of which one is selected: they have the same shapes.
FailureOr<SmallVector<Tensor>> bothBranches(Node &node,
                                            const Tensor &condition) {
  GraphBuilder &b = node.b;
  llvm::SaveAndRestore conditional(b.isConditional, true);
  TRY(SmallVector<Tensor> taken, branch(node, true));
  TRY(SmallVector<Tensor> other, branch(node, false));
  for (int64_t i = 0; i < node.numOutputs(); ++i) {
    if (other[i]->dims != taken[i]->dims ||
        other[i]->element != taken[i]->element)
      return b.fail("the branches' shapes differ");
    Tensor scalar = rearrange(b, condition, {});
    auto body = [](Scalar &s, ArrayRef<Value> v) {
      return s.select(v[0], v[1], v[2]);
    };
    TRY(taken[i],
        elementwise(b, {scalar, taken[i], other[i]}, taken[i]->element, body,
                    /*widen=*/false));
  }
  return taken;
}

std::optional<bool> truthOf(const Tensor &condition) {
  if (!condition || !condition->content || condition->content->size() != 1)
    return std::nullopt;
  auto known = constantOf((*condition->content)[0]);
  return known ? std::optional<bool>(*known != 0) : std::nullopt;
}

/// A known condition takes its branch. With an unknown one both are computed;
/// where they differ in shape and the condition compares sizes, these are taken
/// to be equal, as in the export of a squeeze, and checked at run time.
FailureOr<SmallVector<Tensor>> importBranches(Node &node) {
  GraphBuilder &b = node.b;
  TRY(Tensor condition, knownInput(node, 0));
  if (!condition->element.isBool())
    return node.fail("the condition has type " + dtypeName(condition->element));
  if (auto truth = truthOf(condition))
    return branch(node, *truth);
  auto checks = b.checks;
  FailureOr<SmallVector<Tensor>> both = bothBranches(node, condition);
  if (succeeded(both))
    return both;
  // Checks of a branch that is not taken do not count.
  std::swap(checks, b.checks);
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
  TRY(SmallVector<Tensor> results, importBranches(node));
  for (int64_t i = 0; i < node.numOutputs(); ++i)
    if (failed(node.set(i, results[i])))
      return failure();
  return success();
}

/// One slice of dimension `axis` without it.
FailureOr<Tensor> sliceAt(GraphBuilder &b, const Tensor &x, int64_t axis,
                          int64_t at) {
  SmallVector<Expr> offsets(x->rank(), b.zero()), lengths(x->dims);
  offsets[axis] = b.sizes.constant(at);
  lengths[axis] = b.sizes.constant(1);
  SmallVector<int64_t> kept;
  for (int64_t i = 0; i < x->rank(); ++i)
    if (i != axis)
      kept.push_back(i);
  TRY(Tensor part,
      slice(b, x, offsets, lengths, SmallVector<int64_t>(x->rank(), 1)));
  return rearrange(b, part, kept);
}

/// Stacks tensors along a new dimension.
FailureOr<Tensor> stack(GraphBuilder &b, ArrayRef<Tensor> tensors,
                        int64_t axis) {
  SmallVector<Tensor> parts;
  for (const Tensor &tensor : tensors) {
    SmallVector<int64_t> kept;
    for (int64_t i = 0; i < tensor->rank(); ++i)
      kept.push_back(i);
    if (axis < 0 || axis > tensor->rank())
      return b.fail("axis " + Twine(axis) + " of a scan output does not fit");
    kept.insert(kept.begin() + axis, -1);
    parts.push_back(rearrange(b, tensor, kept));
  }
  return concat(b, parts, axis);
}

/// The results of a body that no iteration runs, for their types and sizes. The
/// operations that it leaves are dead.
FailureOr<SmallVector<Tensor>>
resultsOfNone(Node &node, const GraphProto &body,
              const llvm::StringMap<Tensor> &arguments) {
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

/// A loop while it is unrolled.
struct Loop {
  const GraphProto *body;
  int64_t carried, scans;
  SmallVector<Tensor> state;
  SmallVector<SmallVector<Tensor>> collected;
  /// Whether iterations still run, if known only at run time: a scalar; null
  /// while they are known to run.
  Tensor running;
};

/// Keeps the state of a finished loop.
LogicalResult keepEnded(GraphBuilder &b, const Loop &loop,
                        MutableArrayRef<Tensor> next) {
  for (auto [fresh, old] : llvm::zip(next, loop.state)) {
    if (fresh->dims != old->dims || fresh->element != old->element)
      return b.fail("the loop's condition is known at run time only, and a "
                    "carried value changes its shape from " +
                    b.sizes.str(old->dims) + " to " + b.sizes.str(fresh->dims));
    auto body = [](Scalar &s, ArrayRef<Value> v) {
      return s.select(v[0], v[1], v[2]);
    };
    TRY(fresh, elementwise(b, {loop.running, fresh, old}, fresh->element, body,
                           /*widen=*/false));
  }
  return success();
}

/// What the body gets in an iteration.
llvm::StringMap<Tensor> argumentsOf(GraphBuilder &b, const Loop &loop,
                                    int64_t trip) {
  llvm::StringMap<Tensor> arguments;
  arguments[loop.body->input[0].name] =
      integerTensor(b, {b.sizes.constant(trip)}, {}, i64(b));
  arguments[loop.body->input[1].name] =
      integerTensor(b, {b.sizes.constant(1)}, {}, boolean(b));
  for (int64_t i = 0; i < loop.carried; ++i)
    arguments[loop.body->input[i + 2].name] = loop.state[i];
  return arguments;
}

/// One iteration; whether another one follows.
FailureOr<bool> iterate(Node &node, Loop &loop, int64_t trip) {
  GraphBuilder &b = node.b;
  llvm::SaveAndRestore conditional(b.isConditional,
                                   b.isConditional || loop.running);
  TRY(auto results,
      node.importer.inlineGraph(*loop.body, argumentsOf(b, loop, trip)));
  MutableArrayRef<Tensor> next =
      MutableArrayRef<Tensor>(results).slice(1, loop.carried);
  if (loop.running && failed(keepEnded(b, loop, next)))
    return failure();
  loop.state.assign(next.begin(), next.end());
  for (int64_t i = 0; i < loop.scans; ++i)
    loop.collected[i].push_back(results[i + 1 + loop.carried]);
  Tensor condition = evaluate(b, results[0]);
  if (auto truth = truthOf(condition))
    return *truth;
  if (loop.scans > 0 || !node.hasInput(0))
    return failUnknown(
        b,
        "the loop's condition must be known when the model is "
        "imported, because the loop has " +
            Twine(loop.scans ? "scan outputs" : "no greatest count"),
        results[0]);
  Tensor more = rearrange(b, results[0], {});
  if (loop.running) {
    TRY(more, elementwise(b, {loop.running, more}, boolean(b),
                          [](Scalar &s, ArrayRef<Value> v) {
                            return s.logicalAnd(v[0], v[1]);
                          }));
  }
  loop.running = more;
  return true;
}

/// The state at the end, and what the iterations gave.
LogicalResult setResults(Node &node, const Loop &loop) {
  GraphBuilder &b = node.b;
  SmallVector<Tensor> none;
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
        TRY(none, resultsOfNone(node, *loop.body, argumentsOf(b, loop, 0)));
      }
      TRY(result, stackOfNone(b, none[i + 1], 0));
    }
    if (failed(node.set(i, result)))
      return failure();
  }
  return success();
}

/// Body outputs: condition, carried values, scan outputs. Iterations behind a
/// condition that is known at run time only leave the state as it is.
LogicalResult importLoop(Node &node) {
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
  int64_t trips = unrollLimit + 1;
  if (node.hasInput(0)) {
    TRY(trips, oneIntegerOf(node, 0, "the trip count"));
  }
  bool runs = true;
  if (node.hasInput(1)) {
    TRY(int64_t condition, oneIntegerOf(node, 1, "the condition"));
    runs = condition != 0;
  }
  for (int64_t i = 0; i < loop.carried; ++i) {
    TRY(Tensor initial, node.input(i + 2));
    loop.state.push_back(initial);
  }
  loop.collected.resize(loop.scans);
  for (int64_t trip = 0; trip < trips && runs; ++trip) {
    if (trip >= unrollLimit)
      return node.fail("the loop runs more than " + Twine(unrollLimit) +
                       " times");
    TRY(runs, iterate(node, loop, trip));
  }
  return setResults(node, loop);
}

/// A per-operand list attribute of Scan, zero by default.
FailureOr<SmallVector<int64_t>> scanList(Node &node, StringRef name,
                                         int64_t count) {
  TRY(SmallVector<int64_t> values, node.attributes.integers(name));
  values.resize(std::max<size_t>(values.size(), count), 0);
  return values;
}

/// A scan while it is unrolled.
struct Scan {
  const GraphProto *body;
  int64_t carried, scanned, scans, length = 0;
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
    auto length = constantOf(tensor->dims[axis]);
    if (!length || *length > unrollLimit)
      return node.fail(
          "a scanned input has shape " + b.sizes.str(tensor->dims) +
          ", its sequence must be static and of at most " + Twine(unrollLimit) +
          " elements" + sizeRemedy(node.b, tensor->dims[axis]));
    if (!scan.sequences.empty() && *length != scan.length)
      return node.fail("scanned inputs differ in length");
    scan.length = *length;
    scan.sequences.push_back(tensor);
  }
  return scan;
}

/// What the body gets in an iteration; without a number, what has the types and
/// sizes of that.
FailureOr<llvm::StringMap<Tensor>>
argumentsOf(GraphBuilder &b, const Scan &scan, std::optional<int64_t> trip) {
  llvm::StringMap<Tensor> arguments;
  for (int64_t i = 0; i < scan.carried; ++i)
    arguments[scan.body->input[i].name] = scan.state[i];
  for (int64_t i = 0; i < scan.scanned; ++i) {
    const Tensor &sequence = scan.sequences[i];
    Tensor &argument = arguments[scan.body->input[scan.carried + i].name];
    if (trip) {
      int64_t at = scan.directions[i] ? scan.length - 1 - *trip : *trip;
      TRY(argument, sliceAt(b, sequence, scan.axes[i], at));
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
LogicalResult setResults(Node &node, Scan &scan) {
  GraphBuilder &b = node.b;
  SmallVector<Tensor> none;
  if (scan.length == 0 && node.numOutputs() > scan.carried) {
    TRY(auto arguments, argumentsOf(b, scan, std::nullopt));
    TRY(none, resultsOfNone(node, *scan.body, arguments));
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

LogicalResult importScan(Node &node) {
  TRY(Scan scan, readScan(node));
  for (int64_t trip = 0; trip < scan.length; ++trip) {
    TRY(auto arguments, argumentsOf(node.b, scan, trip));
    TRY(auto results, node.importer.inlineGraph(*scan.body, arguments));
    for (int64_t i = 0; i < scan.carried; ++i)
      scan.state[i] = results[i];
    for (int64_t i = 0; i < scan.scans; ++i)
      scan.collected[i].push_back(results[scan.carried + i]);
  }
  return setResults(node, scan);
}

} // namespace

void addControlOps(OpTable &t) {
  t.add("If", 1, importIf,
        "condition known at import, or a comparison of sizes, or branches of "
        "the same shapes");
  t.add("Loop", 1, importLoop,
        "count known at import, conditions too if there are scan outputs; "
        "unrolled, at most 512 times");
  t.add("Scan", 9, importScan, "unrolled, at most 512 times");
}

} // namespace tilewright::onnx
