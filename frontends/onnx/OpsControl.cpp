// If and Loop: what is known at import is resolved, the rest is the run's.
#include "frontends/onnx/Readers.h"
#include "frontends/onnx/Subgraphs.h"
#include "graph/build/Constants.h"
#include "graph/build/KnownTensor.h"
#include "graph/build/Movement.h"
#include "graph/build/Regions.h"
#include "graph/build/Remedy.h"

using namespace mlir;

namespace tilewright::onnx {
namespace {

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

/// The types of a result that has one type in one branch and another one in the
/// other, which no condition mends; empty: there is none.
std::string differentTypes(GraphBuilder &b, ArrayRef<NamedValue> first,
                           ArrayRef<NamedValue> second) {
  auto typeOf = [&](const Tensor &tensor) {
    return dtypeName(tensor->element) + b.sizes.str(tensor->dims);
  };
  for (const auto &[x, y] : llvm::zip(first, second))
    if (x.tensor && y.tensor && x.tensor->element != y.tensor->element)
      return typeOf(x.tensor) + " in one branch and " + typeOf(y.tensor) +
             " in the other";
  return "";
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
  std::string types;
  auto side = [&](bool truth) -> FailureOr<SmallVector<Tensor>> {
    TRY(auto results, branch(node, truth));
    results.resize(size_t(node.numOutputs()));
    if (!truth && !areAlike(results, pattern))
      return b.fail("a result is a sequence of one length in one branch, and "
                    "of another, or a tensor, in the other");
    if (!truth)
      types = differentTypes(b, pattern, results);
    pattern = results;
    return flattened(b, results, "a result of a branch");
  };
  auto either = build::branch(
      b, condition, [&] { return side(true); }, [&] { return side(false); });
  if (succeeded(either))
    return likeThose(pattern, *either);
  std::string error = std::exchange(b.error, "");
  if (!types.empty())
    return node.fail("expected results of one type, found " + types);
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
  const int64_t most = mostUnrolled(*loop.body);
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
    Iteration iteration{given[0], llvm::to_vector(states), {}};
    for (const Tensor &scan : ArrayRef(given).drop_front(1 + carried))
      iteration.collected.push_back({scan});
    return iteration;
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
  if (trips && *trips <= 0)
    runs = false; // Whatever the condition says.
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

} // namespace

void addControlOps(OpTable &t) {
  t.add("If", 1, importIf,
        "branches of different ranks: only if the condition compares sizes, "
        "which are taken to be equal");
  t.add("Loop", 1, importLoop,
        "carried values keep their type and rank, scan outputs their shape; "
        "short loops of known count are unrolled");
}

} // namespace tilewright::onnx
