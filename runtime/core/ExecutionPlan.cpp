#include "runtime/core/ExecutionPlan.h"
#include "support/Format.h"
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

namespace {

/// Builds one ExecutionPlan; each step is one method.
class Planner {
public:
  Planner(const PackageManifest &manifest, Bindings symbols)
      : manifest(manifest) {
    plan.symbols = std::move(symbols);
  }

  StatusOr<ExecutionPlan> run() {
    TILEWRIGHT_RETURN_IF_ERROR(checks());
    TILEWRIGHT_RETURN_IF_ERROR(storage());
    placeTransients();
    TILEWRIGHT_RETURN_IF_ERROR(inputs());
    TILEWRIGHT_RETURN_IF_ERROR(initialContents());
    TILEWRIGHT_RETURN_IF_ERROR(outputs());
    TILEWRIGHT_RETURN_IF_ERROR(steps());
    return std::move(plan);
  }

private:
  Status checks() {
    for (const CheckManifest &check : manifest.checks) {
      TILEWRIGHT_ASSIGN_OR_RETURN(int64_t that,
                                  check.that.evaluate(plan.symbols));
      TILEWRIGHT_ASSIGN_OR_RETURN(int64_t equals,
                                  check.equals.evaluate(plan.symbols));
      if (that != equals)
        return Status::invalidInput(
            format("{}\n  {} is {}, expected {} = {} ({})",
                   {check.message, check.that.str(), that, check.equals.str(),
                    equals, printBindings(plan.symbols)}));
    }
    return {};
  }

  /// A size that must not be negative; `where` describes it.
  StatusOr<size_t> size(const Expression &expression,
                        const std::string &where) {
    StatusOr<int64_t> value = expression.evaluate(plan.symbols);
    if (!value.ok())
      return value.status().prefixed(where);
    if (*value < 0)
      return Status::invalidInput(
          format("{}: {} is {} ({})", {where, expression.str(), *value,
                                       printBindings(plan.symbols)}));
    return size_t(*value);
  }

  Status storage() {
    size_t count = manifest.buffers.size();
    plan.storage.resize(count);
    std::vector<bool> hasOutput(count, false);
    const std::vector<size_t> roots = rootsOf(manifest.buffers);
    for (size_t i = 0; i < count; ++i) {
      const size_t root = roots[i];
      plan.storage[i].root = root;
      TILEWRIGHT_ASSIGN_OR_RETURN(
          plan.storage[i].bytes,
          size(manifest.buffers[i].bytes, format("buffer {}", {i})));
      if (manifest.buffers[i].kind == BufferManifest::Kind::output)
        hasOutput[root] = true;
    }
    for (size_t i = 0; i < count; ++i) {
      BufferStorage &storage = plan.storage[i];
      if (storage.bytes > plan.storage[storage.root].bytes)
        return Status::invalidInput(
            format("buffer {} has {} bytes, its alias {} only {}",
                   {i, storage.bytes, storage.root,
                    plan.storage[storage.root].bytes}));
      switch (manifest.buffers[storage.root].kind) {
      case BufferManifest::Kind::input:
        storage.kind = StorageKind::input;
        break;
      case BufferManifest::Kind::weight:
        storage.kind = StorageKind::weight;
        break;
      case BufferManifest::Kind::state:
        storage.kind = StorageKind::state;
        break;
      case BufferManifest::Kind::output:
      case BufferManifest::Kind::transient:
        storage.kind =
            hasOutput[storage.root] ? StorageKind::owned : StorageKind::arena;
      }
    }
    return {};
  }

  void placeTransients() {
    std::map<size_t, ArenaRequest> lifetimes; // By root.
    auto use = [&](size_t buffer, size_t step) {
      const BufferStorage &storage = plan.storage[buffer];
      if (storage.kind != StorageKind::arena)
        return;
      size_t bytes = plan.storage[storage.root].bytes;
      auto [entry, isNew] =
          lifetimes.emplace(storage.root, ArenaRequest{bytes, step, step});
      entry->second.last = step;
    };
    for (size_t s = 0; s < manifest.steps.size(); ++s) {
      const StepManifest &step = manifest.steps[s];
      for (const StepArgument &argument : step.arguments)
        if (argument.buffer)
          use(*argument.buffer, s);
      if (step.copy) {
        use(step.copy->from, s);
        use(step.copy->to, s);
      }
    }
    std::vector<ArenaRequest> requests;
    for (const auto &[root, request] : lifetimes)
      requests.push_back(request);
    ArenaPlan arena = planArena(requests);
    plan.arenaBytes = arena.bytes;
    plan.arenaLiveBytes = arena.liveBytes;
    size_t next = 0;
    for (const auto &[root, request] : lifetimes)
      plan.storage[root].offset = arena.offsets[next++];
    for (BufferStorage &storage : plan.storage)
      storage.offset = plan.storage[storage.root].offset;
  }

  /// The shape of an input or output, and the bytes of its elements.
  StatusOr<Shape> interfaceShape(const InterfaceTensor &tensor,
                                 const std::string &where, size_t &bytes) {
    Shape shape;
    for (const Expression &expression : tensor.shape) {
      TILEWRIGHT_ASSIGN_OR_RETURN(size_t value, size(expression, where));
      shape.push_back(int64_t(value));
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(bytes, denseBytes(tensor.dtype, shape));
    return shape;
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
      size_t bytes = 0;
      TILEWRIGHT_ASSIGN_OR_RETURN(Shape shape,
                                  interfaceShape(input, where, bytes));
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
      size_t bytes = 0;
      TILEWRIGHT_ASSIGN_OR_RETURN(Shape shape,
                                  interfaceShape(output, where, bytes));
      if (bytes > plan.storage[output.buffer].bytes)
        return wrongBytes(where, shape, bytes,
                          plan.storage[output.buffer].bytes);
      plan.outputShapes.push_back(std::move(shape));
    }
    return {};
  }

  StatusOr<LaunchArgument> argument(const StepArgument &given,
                                    const std::string &where) {
    if (given.input)
      return LaunchArgument(); // Its word is the session's.
    if (!given.buffer) {
      StatusOr<int64_t> value = given.scalar.evaluate(plan.symbols);
      if (!value.ok())
        return value.status().prefixed(where);
      return LaunchArgument::integer(*value);
    }
    LaunchArgument view;
    view.isView = true;
    view.bytes = plan.storage[*given.buffer].bytes;
    for (const Expression &dim : given.dims) {
      TILEWRIGHT_ASSIGN_OR_RETURN(size_t value, size(dim, where));
      view.dims.push_back(int64_t(value));
    }
    for (const Expression &stride : given.strides) {
      TILEWRIGHT_ASSIGN_OR_RETURN(size_t value, size(stride, where));
      view.strides.push_back(int64_t(value));
    }
    return view;
  }

  Status steps() {
    for (size_t s = 0; s < manifest.steps.size(); ++s) {
      const StepManifest &step = manifest.steps[s];
      if (step.copy && plan.storage[step.copy->from].bytes !=
                           plan.storage[step.copy->to].bytes)
        return Status::invalidInput(
            format("step {} ({}): copies {} bytes to {} bytes",
                   {s, step.label, plan.storage[step.copy->from].bytes,
                    plan.storage[step.copy->to].bytes}));
      std::vector<LaunchArgument> arguments;
      for (const StepArgument &given : step.arguments) {
        TILEWRIGHT_ASSIGN_OR_RETURN(
            LaunchArgument value,
            argument(given, format("step {} ({})", {s, step.label})));
        arguments.push_back(std::move(value));
      }
      plan.arguments.push_back(std::move(arguments));
    }
    return {};
  }

  const PackageManifest &manifest;
  ExecutionPlan plan;
};

} // namespace

StatusOr<ExecutionPlan> planExecution(const PackageManifest &manifest,
                                      Bindings symbols) {
  return Planner(manifest, std::move(symbols)).run();
}

} // namespace tilewright::runtime
