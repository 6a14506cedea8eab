#include "runtime/core/LaunchFormulas.h"
#include "runtime/core/SessionImpl.h"
#include "support/Format.h"
#include <set>

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
  TILEWRIGHT_ASSIGN_OR_RETURN(
      ExecutionPlan made,
      planExecution(manifest, *model.tree, std::move(symbols)));
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
  const Place &place = plan.places[plan.storage[buffer].root];
  return (place.memory ? place.memory : arena.get())->address() + place.offset;
}

Status checkBoundShape(const InterfaceTensor &output,
                       const std::optional<Binding> &bound,
                       const Shape &shape) {
  if (!bound || bound->memory.shape == shape)
    return {};
  return Status::invalidInput(format(
      "output '{}' is bound to memory of shape {}, this run gives {}",
      {output.name, printShape(bound->memory.shape), printShape(shape)}));
}

/// Where a bound output is written: by steps, or by the copy of what steps
/// wrote. An output that is only a part of what steps write is copied.
Status Session::Impl::placeOutput(ExecutionPlan &plan, size_t output) {
  const InterfaceTensor &tensor = model.manifest().outputs[output];
  const BufferStorage &storage = plan.storage[tensor.buffer];
  const bool isOwned = storage.kind == StorageKind::owned;
  std::optional<Binding> &bound = boundOutputs[output];
  const std::optional<Shape> &shape = plan.outputShapes[output];
  if (shape)
    TILEWRIGHT_RETURN_IF_ERROR(checkBoundShape(tensor, bound, *shape));
  if (storage.sizing != Sizing::fixed || !shape) {
    // Its memory is known at the end.
    generation += bound && std::exchange(bound->inPlace, nullptr);
    return {};
  }
  if (!isOwned) {
    if (!bound || !bound->inPlace)
      return grow(copies[output], storage.bytes);
    return {};
  }
  if (!bound || !bound->inPlace)
    return {};
  Buffer *&memory = plan.places[storage.root].memory;
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
  plan.places.clear();
  for (const BufferStorage &storage : plan.storage)
    plan.places.push_back({nullptr, storage.offset});
  for (size_t i = 0; i < manifest.outputs.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(placeOutput(plan, i));
  for (size_t i = 0; i < manifest.inputs.size(); ++i)
    if (const std::optional<Binding> &bound = boundInputs[i];
        bound && bound->inPlace)
      plan.places[manifest.inputs[i].buffer].memory = bound->inPlace.get();
  for (size_t i = 0; i < plan.storage.size(); ++i) {
    const BufferStorage &storage = plan.storage[i];
    if (storage.root != i || storage.kind == StorageKind::arena ||
        plan.places[i].memory)
      continue;
    const std::optional<Binding> &weight = boundWeights[i];
    if (storage.kind == StorageKind::weight && !weight) {
      plan.places[i].memory = model.weights[i].get();
    } else if (weight && weight->inPlace) {
      plan.places[i].memory = weight->inPlace.get();
    } else {
      TILEWRIGHT_RETURN_IF_ERROR(grow(memory[i], storage.bytes));
      plan.places[i].memory = memory[i].get();
    }
  }
  return {};
}

bool Session::Impl::stopInPlace(const ExecutionPlan &plan, size_t step) {
  const StepManifest &manifest = *model.tree->nodes[step].step;
  std::set<size_t> roots;
  for (const StepArgument &argument : manifest.arguments)
    if (argument.buffer)
      roots.insert(plan.storage[*argument.buffer].root);
  if (manifest.loop)
    for (const LoopManifest::Carried &carried : manifest.loop->carried)
      if (carried.swaps)
        roots.insert(carried.buffer);
  bool stopped = false;
  auto stop = [&](std::optional<Binding> &bound, size_t root) {
    if (bound && bound->inPlace && roots.contains(root)) {
      bound->inPlace = nullptr;
      stopped = true;
    }
  };
  const PackageManifest &package = model.manifest();
  for (size_t i = 0; i < boundInputs.size(); ++i)
    stop(boundInputs[i], package.inputs[i].buffer);
  for (size_t i = 0; i < boundOutputs.size(); ++i)
    stop(boundOutputs[i], plan.storage[package.outputs[i].buffer].root);
  for (size_t i = 0; i < boundWeights.size(); ++i)
    stop(boundWeights[i], i);
  generation += stopped;
  return stopped;
}

Status Session::Impl::planStep(const ExecutionPlan &plan, size_t step,
                               PreparedLaunch &launch) const {
  const StepManifest &manifest = *model.tree->nodes[step].step;
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const std::optional<size_t> &buffer = manifest.arguments[i].buffer;
    if (!buffer)
      continue;
    const size_t root = plan.storage[*buffer].root;
    if (plan.storage[root].sizing == Sizing::open)
      launch.arguments[i].bytes = plan.places[root].memory->size();
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(
      launch.plan, planLaunch(model.kernels[step], launch.arguments));
  return {};
}

Status Session::Impl::changeStep(const ExecutionPlan &plan, size_t step,
                                 PreparedLaunch &launch, bool isNew) const {
  const StepManifest &manifest = *model.tree->nodes[step].step;
  std::vector<LaunchArgument> &arguments = launch.arguments;
  bool hasMoved = false, isOther = isNew;
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
  return isOther ? planStep(plan, step, launch)
                 : changeAddresses(model.kernels[step], arguments, launch.plan);
}

Status Session::Impl::planFixed(ExecutionPlan &plan, size_t step) {
  const StepNode &node = model.tree->nodes[step];
  std::vector<PreparedLaunch> &launches = plan.launches[step];
  const bool isNew = launches.empty() || plan.generation == 0;
  launches.resize(1); // The others have old addresses.
  if (launches.front().arguments.empty()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        launches.front().arguments,
        evaluateArguments(*node.step, plan, plan.symbols, node.name));
  }
  Status changed = changeStep(plan, step, launches.front(), isNew);
  return changed.ok() ? changed : changed.prefixed(node.name);
}

Status Session::Impl::planLaunches(ExecutionPlan &plan) {
  // It holds the addresses of before.
  plan.hasRun = false;
  plan.graph = nullptr;
  for (size_t s = 0; s < model.tree->nodes.size(); ++s) {
    const StepNode &node = model.tree->nodes[s];
    const bool isFixed = node.step->isLaunch() && node.symbols.empty();
    Status planned = isFixed ? planFixed(plan, s) : Status();
    if (planned.ok() && isFixed)
      continue;
    plan.generation = 0;
    // Memory of the session has any alignment, and overlaps with nothing: as
    // it must where launches are planned in a run.
    if (stopInPlace(plan, s))
      return prepare(plan);
    TILEWRIGHT_RETURN_IF_ERROR(planned);
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
