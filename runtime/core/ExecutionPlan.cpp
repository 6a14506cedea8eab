#include "runtime/core/ExecutionPlan.h"
#include "runtime/abi/Interval.h"
#include "support/Format.h"
#include <algorithm>
#include <map>

namespace tilewright::runtime {

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

static std::string printBindings(const Bindings &symbols) {
  return joined(symbols, ", ", [](const auto &symbol) {
    return format("{} = {}", {symbol.first, symbol.second});
  });
}

static std::string expectedShape(const InterfaceTensor &input) {
  std::string type = printTensorType(input.dtype, input.shape);
  return type.substr(type.find('['));
}

static std::string inputsNote(std::string_view describeInputs) {
  return "\n  the model's inputs: " + std::string(describeInputs);
}

StatusOr<Bindings> bindSymbols(const PackageManifest &manifest,
                               std::span<const Shape> shapes,
                               std::string_view describeInputs) {
  Bindings symbols;
  std::map<std::string, std::string, std::less<>> origin;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const InterfaceTensor &input = manifest.inputs[i];
    for (size_t d = 0; d < shapes[i].size(); ++d) {
      std::optional<std::string_view> name = input.shape[d].name();
      if (!name)
        continue;
      int64_t size = shapes[i][d];
      std::string here =
          format("dimension {} of input '{}' is {}", {d, input.name, size});
      auto [entry, isNew] = symbols.emplace(*name, size);
      if (isNew)
        origin.emplace(*name, here);
      else if (entry->second != size)
        return Status::invalidInput(
            format("the inputs disagree on {}\n  {}\n  {}{}",
                   {*name, origin.find(*name)->second, here,
                    inputsNote(describeInputs)}));
    }
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    const InterfaceTensor &input = manifest.inputs[i];
    for (size_t d = 0; d < shapes[i].size(); ++d) {
      StatusOr<int64_t> expected = input.shape[d].evaluate(symbols);
      if (!expected.ok())
        return expected.status().prefixed(format("input '{}'", {input.name}));
      if (*expected != shapes[i][d])
        return Status::invalidInput(
            format("input '{}' has shape {}, the model expects {}\n"
                   "  dimension {} is {}, expected {} ({}){}",
                   {input.name, printShape(shapes[i]), expectedShape(input), d,
                    shapes[i][d], *expected, printBindings(symbols),
                    inputsNote(describeInputs)}));
    }
  }
  return symbols;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Of each buffer, the one at the end of its aliases, which end. Each buffer is
/// passed once.
static std::vector<size_t> rootsOf(std::span<const BufferManifest> buffers) {
  std::vector<std::optional<size_t>> roots(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    std::vector<size_t> passed;
    size_t at = i;
    for (; !roots[at] && buffers[at].alias; at = *buffers[at].alias)
      passed.push_back(at);
    const size_t root = roots[at].value_or(at);
    for (size_t alias : passed)
      roots[alias] = root;
    roots[at] = root;
  }
  std::vector<size_t> result;
  for (std::optional<size_t> root : roots)
    result.push_back(*root);
  return result;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

Status runCheck(const CheckManifest &check, const Bindings &symbols) {
  TILEWRIGHT_ASSIGN_OR_RETURN(int64_t that, check.that.evaluate(symbols));
  TILEWRIGHT_ASSIGN_OR_RETURN(int64_t equals, check.equals.evaluate(symbols));
  if (that == equals)
    return {};
  return Status::invalidInput(
      format("{}\n  {} is {}, expected {} = {} ({})",
             {check.message, check.that.str(), that, check.equals.str(), equals,
              printBindings(symbols)}));
}

StatusOr<size_t> evaluateSize(const Expression &expression,
                              const Bindings &symbols, std::string_view where) {
  StatusOr<int64_t> value = expression.evaluate(symbols);
  if (!value.ok())
    return value.status().prefixed(std::string(where));
  if (*value < 0)
    return Status::invalidInput(
        format("{}: {} is {} ({})",
               {where, expression.str(), *value, printBindings(symbols)}));
  return size_t(*value);
}

StatusOr<Shape> evaluateShape(const InterfaceTensor &tensor,
                              const Bindings &symbols, std::string_view where) {
  Shape shape;
  for (const Expression &expression : tensor.shape) {
    TILEWRIGHT_ASSIGN_OR_RETURN(size_t value,
                                evaluateSize(expression, symbols, where));
    shape.push_back(int64_t(value));
  }
  return shape;
}

static StatusOr<LaunchArgument> evaluateArgument(const StepArgument &given,
                                                 const ExecutionPlan &plan,
                                                 const Bindings &symbols,
                                                 std::string_view where) {
  if (given.input)
    return LaunchArgument(); // Its word is the session's.
  if (!given.buffer) {
    StatusOr<int64_t> value = given.scalar.evaluate(symbols);
    if (!value.ok())
      return value.status().prefixed(std::string(where));
    return LaunchArgument::integer(*value);
  }
  LaunchArgument view;
  view.isView = true;
  view.bytes = plan.storage[plan.storage[*given.buffer].root].bytes;
  for (const Expression &dim : given.dims) {
    TILEWRIGHT_ASSIGN_OR_RETURN(size_t value,
                                evaluateSize(dim, symbols, where));
    view.dims.push_back(int64_t(value));
  }
  for (const Expression &stride : given.strides) {
    TILEWRIGHT_ASSIGN_OR_RETURN(size_t value,
                                evaluateSize(stride, symbols, where));
    view.strides.push_back(int64_t(value));
  }
  return view;
}

StatusOr<std::vector<LaunchArgument>>
evaluateArguments(const StepManifest &step, const ExecutionPlan &plan,
                  const Bindings &symbols, std::string_view where) {
  std::vector<LaunchArgument> arguments;
  for (const StepArgument &given : step.arguments) {
    TILEWRIGHT_ASSIGN_OR_RETURN(LaunchArgument value,
                                evaluateArgument(given, plan, symbols, where));
    arguments.push_back(std::move(value));
  }
  return arguments;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

using Intervals = std::map<std::string, Interval, std::less<>>;

static Interval intersection(Interval a, Interval b) {
  return {std::max(a.least, b.least), std::min(a.most, b.most)};
}

static Interval hull(Interval a, Interval b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

/// What a symbol that a step binds may be, before its own expressions.
static Interval limitsOf(const StepSymbol &symbol, const Intervals &known) {
  Interval limits;
  limits.least = intervalOf(symbol.least, known).least;
  if (symbol.greatest)
    limits.most = intervalOf(*symbol.greatest, known).most;
  return limits;
}

/// Adds to `known` between which values the symbols lie that `steps` bind.
static void bindBounds(const std::vector<StepManifest> &steps,
                       Intervals &known) {
  for (const StepManifest &step : steps) {
    if (step.read)
      known[step.read->symbol.name] = limitsOf(step.read->symbol, known);
    if (step.branch) {
      bindBounds(step.branch->first, known);
      bindBounds(step.branch->second, known);
      for (const StepSymbol &symbol : step.branch->symbols)
        known[symbol.name] = intersection(
            limitsOf(symbol, known), hull(intervalOf(symbol.first, known),
                                          intervalOf(symbol.second, known)));
    }
    if (!step.loop)
      continue;
    for (const StepSymbol &symbol : step.loop->symbols) {
      Interval value = limitsOf(symbol, known);
      if (symbol.second.name() == symbol.name)
        value = intersection(value, intervalOf(symbol.first, known));
      known[symbol.name] = value;
    }
    bindBounds(step.loop->steps, known);
  }
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

namespace {

/// Builds one ExecutionPlan; each part is one method.
class Planner {
public:
  Planner(const PackageManifest &manifest, const StepTree &tree,
          Bindings symbols)
      : manifest(manifest), tree(tree), roots(rootsOf(manifest.buffers)) {
    plan.symbols = std::move(symbols);
  }

  StatusOr<ExecutionPlan> run() {
    for (const CheckManifest &check : manifest.checks)
      TILEWRIGHT_RETURN_IF_ERROR(runCheck(check, plan.symbols));
    TILEWRIGHT_RETURN_IF_ERROR(storage());
    placeTransients();
    TILEWRIGHT_RETURN_IF_ERROR(inputs());
    TILEWRIGHT_RETURN_IF_ERROR(initialContents());
    TILEWRIGHT_RETURN_IF_ERROR(outputs());
    TILEWRIGHT_RETURN_IF_ERROR(copies());
    plan.launches.resize(tree.nodes.size());
    plan.segments.resize(tree.segments.size());
    return std::move(plan);
  }

private:
  /// What is larger has memory of its own, if it is as large as steps say: few
  /// runs need the greatest size.
  static constexpr int64_t mostBounded = int64_t{1} << 28;

  [[nodiscard]] bool isOfInputs(const Expression &expression) const {
    return std::ranges::all_of(
        expression.names(),
        [&](const std::string &name) { return plan.symbols.contains(name); });
  }

  Status sizeOf(size_t buffer, const Intervals &bounds) {
    BufferStorage &storage = plan.storage[buffer];
    const Expression &bytes = manifest.buffers[buffer].bytes;
    if (isOfInputs(bytes)) {
      TILEWRIGHT_ASSIGN_OR_RETURN(
          storage.bytes,
          evaluateSize(bytes, plan.symbols, format("buffer {}", {buffer})));
      return {};
    }
    const Interval range = intervalOf(bytes, bounds);
    storage.sizing = range.most <= mostBounded ? Sizing::bounded : Sizing::open;
    if (storage.sizing == Sizing::bounded)
      storage.bytes = size_t(std::max<int64_t>(range.most, 0));
    return {};
  }

  /// Both of what change places have room for either. Both grow, or none does.
  Status sizeOfSwapped() {
    for (const StepNode &node : tree.nodes)
      if (node.step->loop)
        for (const LoopManifest::Carried &carried : node.step->loop->carried) {
          if (!carried.swaps)
            continue;
          BufferStorage &a = plan.storage[carried.buffer],
                        &b = plan.storage[carried.next];
          if ((a.sizing == Sizing::fixed) != (b.sizing == Sizing::fixed))
            return Status::invalidInput(
                format("{}: buffers {} and {} change places, and the size of "
                       "only one depends on steps",
                       {node.name, carried.buffer, carried.next}));
          a.sizing = b.sizing = std::max(a.sizing, b.sizing);
          a.bytes = b.bytes =
              a.sizing == Sizing::open ? 0 : std::max(a.bytes, b.bytes);
        }
    return {};
  }

  Status storage() {
    size_t count = manifest.buffers.size();
    plan.storage.resize(count);
    std::vector<bool> hasOutput(count, false);
    Intervals bounds;
    if (tree.hasDecisions) {
      for (const auto &[name, value] : plan.symbols)
        bounds[name] = Interval::of(value);
      bindBounds(manifest.steps, bounds);
    }
    for (size_t i = 0; i < count; ++i) {
      plan.storage[i].root = roots[i];
      TILEWRIGHT_RETURN_IF_ERROR(sizeOf(i, bounds));
      if (manifest.buffers[i].kind == BufferManifest::Kind::output)
        hasOutput[roots[i]] = true;
    }
    TILEWRIGHT_RETURN_IF_ERROR(sizeOfSwapped());
    for (size_t i = 0; i < count; ++i) {
      BufferStorage &storage = plan.storage[i];
      const BufferStorage &root = plan.storage[storage.root];
      if (storage.sizing == Sizing::fixed && root.sizing == Sizing::fixed &&
          storage.bytes > root.bytes)
        return Status::invalidInput(
            format("buffer {} has {} bytes, its alias {} only {}",
                   {i, storage.bytes, storage.root, root.bytes}));
      storage.kind = kindOf(storage.root, hasOutput[storage.root]);
    }
    return {};
  }

  [[nodiscard]] StorageKind kindOf(size_t root, bool hasOutput) const {
    switch (manifest.buffers[root].kind) {
    case BufferManifest::Kind::input:
      return StorageKind::input;
    case BufferManifest::Kind::weight:
      return StorageKind::weight;
    case BufferManifest::Kind::state:
      return StorageKind::state;
    case BufferManifest::Kind::output:
    case BufferManifest::Kind::transient:
      break;
    }
    return hasOutput || plan.storage[root].sizing == Sizing::open
               ? StorageKind::owned
               : StorageKind::arena;
  }

  void placeTransients() {
    std::map<size_t, ArenaRequest> lifetimes = lifetimesOf(tree, roots);
    std::erase_if(lifetimes, [&](const auto &entry) {
      return plan.storage[entry.first].kind != StorageKind::arena;
    });
    std::vector<ArenaRequest> requests;
    for (auto &[root, request] : lifetimes) {
      request.bytes = plan.storage[root].bytes;
      requests.push_back(request);
    }
    ArenaPlan arena = planArena(requests);
    plan.arenaBytes = arena.bytes;
    plan.arenaLiveBytes = arena.liveBytes;
    size_t next = 0;
    for (const auto &[root, request] : lifetimes)
      plan.storage[root].offset = arena.offsets[next++];
    for (BufferStorage &storage : plan.storage)
      storage.offset = plan.storage[storage.root].offset;
  }

  static Status wrongBytes(const std::string &where, const Shape &shape,
                           size_t bytes, size_t found) {
    return Status::invalidInput(
        format("{} of shape {} needs {} bytes, its buffer has {}",
               {where, printShape(shape), bytes, found}));
  }

  Status inputs() {
    for (const InterfaceTensor &input : manifest.inputs) {
      std::string where = format("input '{}'", {input.name});
      TILEWRIGHT_ASSIGN_OR_RETURN(Shape shape,
                                  evaluateShape(input, plan.symbols, where));
      TILEWRIGHT_ASSIGN_OR_RETURN(size_t bytes, denseBytes(input.dtype, shape));
      if (bytes != plan.storage[input.buffer].bytes)
        return wrongBytes(where, shape, bytes,
                          plan.storage[input.buffer].bytes);
    }
    return {};
  }

  Status initialContents() {
    for (size_t i = 0; i < manifest.buffers.size(); ++i)
      if (std::optional<size_t> from = manifest.buffers[i].initial;
          from && manifest.buffers[i].kind == BufferManifest::Kind::output &&
          plan.storage[i].bytes != plan.storage[*from].bytes)
        return Status::invalidInput(format(
            "buffer {} has {} bytes, the input that it begins with has {}",
            {i, plan.storage[i].bytes, plan.storage[*from].bytes}));
    return {};
  }

  Status outputs() {
    for (const InterfaceTensor &output : manifest.outputs) {
      std::string where = format("output '{}'", {output.name});
      if (!std::ranges::all_of(output.shape, [&](const Expression &size) {
            return isOfInputs(size);
          })) {
        plan.outputShapes.emplace_back();
        continue;
      }
      TILEWRIGHT_ASSIGN_OR_RETURN(Shape shape,
                                  evaluateShape(output, plan.symbols, where));
      TILEWRIGHT_ASSIGN_OR_RETURN(size_t bytes,
                                  denseBytes(output.dtype, shape));
      const BufferStorage &storage = plan.storage[output.buffer];
      if (storage.sizing == Sizing::fixed && bytes > storage.bytes)
        return wrongBytes(where, shape, bytes, storage.bytes);
      plan.outputShapes.emplace_back(std::move(shape));
    }
    return {};
  }

  /// Those of other sizes are checked when they run.
  Status copies() {
    for (const StepNode &node : tree.nodes) {
      if (!node.step->copy)
        continue;
      const BufferStorage &from = plan.storage[node.step->copy->from],
                          &to = plan.storage[node.step->copy->to];
      if (from.sizing == Sizing::fixed && to.sizing == Sizing::fixed &&
          from.bytes != to.bytes)
        return Status::invalidInput(format("{}: copies {} bytes to {} bytes",
                                           {node.name, from.bytes, to.bytes}));
    }
    return {};
  }

  const PackageManifest &manifest;
  const StepTree &tree;
  std::vector<size_t> roots;
  ExecutionPlan plan;
};

} // namespace

StatusOr<ExecutionPlan> planExecution(const PackageManifest &manifest,
                                      const StepTree &tree, Bindings symbols) {
  return Planner(manifest, tree, std::move(symbols)).run();
}

} // namespace tilewright::runtime
