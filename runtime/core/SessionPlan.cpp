#include "runtime/core/LaunchFormulas.h"
#include "runtime/core/SessionImpl.h"
#include "support/Format.h"

namespace tilewright::runtime {

namespace {
/// The number of cached plans, for models whose inputs change shape often.
constexpr size_t maximumPlans = 32;
} // namespace

Status Session::Impl::grow(std::shared_ptr<Buffer> &buffer, size_t bytes) {
  if (buffer && buffer->size() >= bytes)
    return {};
  buffer = nullptr; // Freed first: both need not fit.
  TILEWRIGHT_ASSIGN_OR_RETURN(buffer, model.device().allocate(bytes));
  ++generation;
  return {};
}

StatusOr<ExecutionPlan *> Session::Impl::plan() {
  const PackageManifest &manifest = model.manifest();
  std::vector<Shape> shapes;
  for (size_t i = 0; i < inputShapes.size(); ++i) {
    if (!inputShapes[i])
      return Status::invalidInput(
          format("input '{}' is not set\n  the model's inputs: {}",
                 {manifest.inputs[i].name, model.describeInputs()}));
    shapes.push_back(*inputShapes[i]);
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(
      Bindings symbols, bindSymbols(manifest, shapes, model.describeInputs()));
  std::vector<int64_t> key;
  for (const std::string &symbol : manifest.symbols)
    key.push_back(symbols.find(symbol)->second);
  if (auto found = plans.find(key); found != plans.end())
    return found->second.get();
  TILEWRIGHT_ASSIGN_OR_RETURN(ExecutionPlan made,
                              planExecution(manifest, std::move(symbols)));
  if (plans.size() >= maximumPlans) {
    plans.clear();
    lastRun = nullptr;
  }
  auto &slot = plans[key];
  slot = std::make_unique<ExecutionPlan>(std::move(made));
  return slot.get();
}

uint64_t Session::Impl::address(const ExecutionPlan &plan,
                                size_t buffer) const {
  const BufferStorage &storage = plan.storage[buffer];
  return storage.kind == StorageKind::arena
             ? arena->address() + storage.offset
             : plan.memory[storage.root]->address();
}

/// Where a bound output is written: by steps, or by the copy of what steps
/// wrote. An output that is only a part of what steps write is copied.
Status Session::Impl::placeOutput(ExecutionPlan &plan, size_t output) {
  const InterfaceTensor &tensor = model.manifest().outputs[output];
  const BufferStorage &storage = plan.storage[tensor.buffer];
  const bool isOwned = storage.kind == StorageKind::owned;
  std::optional<Binding> &bound = boundOutputs[output];
  if (bound && bound->memory.shape != plan.outputShapes[output])
    return Status::invalidInput(
        format("output '{}' is bound to memory of shape {}, this run gives {}",
               {tensor.name, printShape(bound->memory.shape),
                printShape(plan.outputShapes[output])}));
  if (!isOwned) {
    if (!bound || !bound->inPlace)
      return grow(copies[output], storage.bytes);
    return {};
  }
  if (!bound || !bound->inPlace)
    return {};
  Buffer *&memory = plan.memory[storage.root];
  const bool isWhole =
      bound->inPlace->size() >= plan.storage[storage.root].bytes;
  if (isWhole && !memory)
    memory = bound->inPlace.get();
  if (memory != bound->inPlace.get()) {
    bound->inPlace = nullptr;
    ++generation; // Other plans have it.
  }
  return {};
}

Status Session::Impl::placeMemory(ExecutionPlan &plan) {
  const PackageManifest &manifest = model.manifest();
  plan.memory.assign(plan.storage.size(), nullptr);
  for (size_t i = 0; i < manifest.outputs.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(placeOutput(plan, i));
  for (size_t i = 0; i < manifest.inputs.size(); ++i)
    if (const std::optional<Binding> &bound = boundInputs[i];
        bound && bound->inPlace)
      plan.memory[manifest.inputs[i].buffer] = bound->inPlace.get();
  for (size_t i = 0; i < plan.storage.size(); ++i) {
    const BufferStorage &storage = plan.storage[i];
    if (storage.root != i || storage.kind == StorageKind::arena ||
        plan.memory[i])
      continue;
    const std::optional<Binding> &weight = boundWeights[i];
    if (storage.kind == StorageKind::weight && !weight) {
      plan.memory[i] = model.weights[i].get();
    } else if (weight && weight->inPlace) {
      plan.memory[i] = weight->inPlace.get();
    } else {
      TILEWRIGHT_RETURN_IF_ERROR(grow(memory[i], storage.bytes));
      plan.memory[i] = memory[i].get();
    }
  }
  return {};
}

bool Session::Impl::stopInPlace(const ExecutionPlan &plan, size_t step) {
  bool stopped = false;
  auto stop = [&](std::optional<Binding> &bound, size_t root) {
    for (const StepArgument &argument : model.manifest().steps[step].arguments)
      if (bound && bound->inPlace && argument.buffer &&
          plan.storage[*argument.buffer].root == root) {
        bound->inPlace = nullptr;
        stopped = true;
      }
  };
  const PackageManifest &manifest = model.manifest();
  for (size_t i = 0; i < boundInputs.size(); ++i)
    stop(boundInputs[i], manifest.inputs[i].buffer);
  for (size_t i = 0; i < boundOutputs.size(); ++i)
    stop(boundOutputs[i], plan.storage[manifest.outputs[i].buffer].root);
  for (size_t i = 0; i < boundWeights.size(); ++i)
    stop(boundWeights[i], i);
  generation += stopped;
  return stopped;
}

Status Session::Impl::planStep(ExecutionPlan &plan, size_t step) {
  if (model.kernels[step].empty())
    return {}; // A copy.
  TILEWRIGHT_ASSIGN_OR_RETURN(
      plan.launches[step],
      planLaunch(model.kernels[step], plan.arguments[step]));
  return {};
}

/// Sets addresses and words of a step. Plans again where a word may change
/// sizes, or where nothing is planned yet.
Status Session::Impl::changeStep(ExecutionPlan &plan, size_t step) {
  const StepManifest &manifest = model.manifest().steps[step];
  std::vector<LaunchArgument> &arguments = plan.arguments[step];
  bool hasMoved = false, isOther = plan.generation == 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (std::optional<size_t> buffer = manifest.arguments[i].buffer) {
      const uint64_t now = address(plan, *buffer);
      hasMoved |= std::exchange(arguments[i].address, now) != now;
    } else if (std::optional<size_t> input = manifest.arguments[i].input) {
      isOther |=
          std::exchange(arguments[i].word, words[*input]) != words[*input];
    }
  }
  if (!hasMoved && !isOther)
    return {};
  return isOther ? planStep(plan, step)
                 : changeAddresses(model.kernels[step], arguments,
                                   plan.launches[step]);
}

Status Session::Impl::planLaunches(ExecutionPlan &plan) {
  const std::vector<StepManifest> &steps = model.manifest().steps;
  plan.launches.resize(steps.size());
  // It holds the addresses of before.
  plan.hasRun = false;
  plan.graph = nullptr;
  for (size_t s = 0; s < steps.size(); ++s)
    if (Status changed = changeStep(plan, s); !changed.ok()) {
      plan.generation = 0;
      // Memory of the session has any alignment, and overlaps with nothing.
      if (stopInPlace(plan, s))
        return prepare(plan);
      return changed.prefixed(format("step {} ({})", {s, steps[s].label}));
    }
  plan.generation = generation;
  return {};
}

Status Session::Impl::prepare(ExecutionPlan &plan) {
  TILEWRIGHT_RETURN_IF_ERROR(grow(arena, plan.arenaBytes));
  if (plan.generation == generation)
    return {};
  TILEWRIGHT_RETURN_IF_ERROR(placeMemory(plan));
  return planLaunches(plan);
}

} // namespace tilewright::runtime
