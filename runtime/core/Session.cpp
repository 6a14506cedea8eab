#include "runtime/core/ExecutionPlan.h"
#include "support/Format.h"
#include "tilewright/runtime/Model.h"
#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

namespace tilewright::runtime {

namespace {
/// The number of cached plans, for models whose inputs change shape often.
constexpr size_t maximumPlans = 32;
} // namespace

/// The memory, the plans and the stream of a session.
struct Session::Impl {
  explicit Impl(const Model &model) : model(model) {}

  /// Sets `buffer` to memory of at least `bytes` bytes.
  Status grow(std::shared_ptr<Buffer> &buffer, size_t bytes);
  /// Finds or makes the plan for the current inputs.
  StatusOr<ExecutionPlan *> plan();
  /// Makes the session's memory large enough and the launches up to date.
  Status prepare(ExecutionPlan &plan);
  [[nodiscard]] uint64_t address(const BufferStorage &storage) const;
  /// Runs the plan's steps and waits, also after a failure. With `times`,
  /// waits after each step and appends its time.
  Status runSteps(ExecutionPlan &plan, std::vector<StepTime> *times);
  /// Enqueues the steps: first one by one, then as a graph.
  Status enqueue(ExecutionPlan &plan);
  Status enqueueSteps(const ExecutionPlan &plan, std::vector<StepTime> *times);
  Status launchStep(const ExecutionPlan &plan, size_t step);
  Status measure(const ExecutionPlan &plan, size_t step,
                 std::vector<StepTime> &times);
  /// Copies the initial contents of outputs that are changed in place.
  Status copyInitial(const ExecutionPlan &plan);
  /// Copies outputs that are aliases of inputs or weights.
  Status copyOutputs(const ExecutionPlan &plan);
  [[nodiscard]] const Buffer &outputMemory(const ExecutionPlan &plan,
                                           size_t output) const;

  const Model &model;
  /// By input: its shape, once set.
  std::vector<std::optional<Shape>> inputShapes;
  /// By input: its scalar value for kernels that take it as one.
  std::vector<uint64_t> words;
  /// By buffer id: the memory of inputs and of owned storage.
  std::vector<std::shared_ptr<Buffer>> memory;
  /// By output: memory for a copy, where one is needed.
  std::vector<std::shared_ptr<Buffer>> copies;
  std::shared_ptr<Buffer> arena;
  /// Counts changes of addresses and words. Plans start at 0, which is never
  /// valid.
  uint64_t generation = 1;
  /// By the values of the symbols in the manifest's order.
  std::map<std::vector<int64_t>, std::unique_ptr<ExecutionPlan>> plans;
  /// The plan of the last complete run.
  const ExecutionPlan *lastRun = nullptr;
  /// Whether the device failed to make a graph.
  bool hasNoGraphs = false;
  /// The last member, so that it is destroyed first: it waits for work in the
  /// memory.
  std::unique_ptr<Stream> stream;
};

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

uint64_t Session::Impl::address(const BufferStorage &storage) const {
  switch (storage.kind) {
  case StorageKind::weight:
    return model.weights[storage.root]->address();
  case StorageKind::arena:
    return arena->address() + storage.offset;
  case StorageKind::input:
  case StorageKind::owned:
    break;
  }
  return memory[storage.root]->address();
}

Status Session::Impl::prepare(ExecutionPlan &plan) {
  TILEWRIGHT_RETURN_IF_ERROR(grow(arena, plan.arenaBytes));
  for (const BufferStorage &storage : plan.storage)
    if (storage.kind == StorageKind::owned ||
        storage.kind == StorageKind::input)
      TILEWRIGHT_RETURN_IF_ERROR(
          grow(memory[storage.root], plan.storage[storage.root].bytes));
  if (plan.generation == generation)
    return {};
  const std::vector<StepManifest> &steps = model.manifest().steps;
  plan.launches.clear();
  plan.hasRun = false;
  plan.graph = nullptr;
  for (size_t s = 0; s < steps.size(); ++s) {
    std::vector<LaunchArgument> arguments = plan.arguments[s];
    for (size_t i = 0; i < arguments.size(); ++i)
      if (std::optional<size_t> buffer = steps[s].arguments[i].buffer)
        arguments[i].address = address(plan.storage[*buffer]);
      else if (std::optional<size_t> input = steps[s].arguments[i].input)
        arguments[i].word = words[*input];
    StatusOr<VariantPlan> launch = planLaunch(model.kernels[s], arguments);
    if (!launch.ok())
      return launch.status().prefixed(
          format("step {} ({})", {s, steps[s].label}));
    plan.launches.push_back(*std::move(launch));
  }
  plan.generation = generation;
  return {};
}

Status Session::Impl::measure(const ExecutionPlan &plan, size_t step,
                              std::vector<StepTime> &times) {
  using Clock = std::chrono::steady_clock;
  TILEWRIGHT_ASSIGN_OR_RETURN(auto start, model.device().createEvent());
  TILEWRIGHT_ASSIGN_OR_RETURN(auto end, model.device().createEvent());
  Clock::time_point before = Clock::now();
  TILEWRIGHT_RETURN_IF_ERROR(stream->record(*start));
  TILEWRIGHT_RETURN_IF_ERROR(launchStep(plan, step));
  TILEWRIGHT_RETURN_IF_ERROR(stream->record(*end));
  TILEWRIGHT_RETURN_IF_ERROR(stream->synchronize());
  std::chrono::nanoseconds time = Clock::now() - before;
  auto measured = end->since(*start);
  if (measured.ok())
    time = *measured; // Without the way to the device and back.
  else if (measured.status().code() != StatusCode::unsupported)
    return measured.status();
  const StepManifest &manifest = model.manifest().steps[step];
  times.push_back({manifest.kernel, manifest.label, time});
  return {};
}

Status Session::Impl::launchStep(const ExecutionPlan &plan, size_t step) {
  const auto &[variant, launch] = plan.launches[step];
  return runtime::launch(*stream, *model.kernels[step][variant], launch);
}

Status Session::Impl::enqueueSteps(const ExecutionPlan &plan,
                                   std::vector<StepTime> *times) {
  TILEWRIGHT_RETURN_IF_ERROR(copyInitial(plan));
  for (size_t step = 0; step < plan.launches.size(); ++step)
    TILEWRIGHT_RETURN_IF_ERROR(times ? measure(plan, step, *times)
                                     : launchStep(plan, step));
  return copyOutputs(plan);
}

Status Session::Impl::enqueue(ExecutionPlan &plan) {
  if (plan.graph)
    return stream->launch(*plan.graph);
  bool captures = plan.hasRun && !hasNoGraphs;
  plan.hasRun = true;
  if (captures) {
    Status begun = stream->beginCapture();
    if (!begun.ok() && begun.code() != StatusCode::unsupported)
      return begun;
    hasNoGraphs = !begun.ok();
    captures = begun.ok();
  }
  Status enqueued = enqueueSteps(plan, nullptr);
  if (!captures)
    return enqueued;
  StatusOr<std::shared_ptr<Graph>> graph = stream->endCapture();
  TILEWRIGHT_RETURN_IF_ERROR(enqueued);
  TILEWRIGHT_ASSIGN_OR_RETURN(plan.graph, std::move(graph));
  return stream->launch(*plan.graph);
}

Status Session::Impl::runSteps(ExecutionPlan &plan,
                               std::vector<StepTime> *times) {
  Status enqueued = times ? enqueueSteps(plan, times) : enqueue(plan);
  Status finished = stream->synchronize();
  return enqueued.ok() ? finished : enqueued;
}

Status Session::Impl::copyInitial(const ExecutionPlan &plan) {
  const std::vector<BufferManifest> &buffers = model.manifest().buffers;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (std::optional<size_t> from = buffers[i].initial)
      TILEWRIGHT_RETURN_IF_ERROR(stream->copy(*memory[i], 0, *memory[*from], 0,
                                              plan.storage[i].bytes));
  return {};
}

Status Session::Impl::copyOutputs(const ExecutionPlan &plan) {
  const std::vector<InterfaceTensor> &outputs = model.manifest().outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const BufferStorage &storage = plan.storage[outputs[i].buffer];
    if (storage.kind == StorageKind::owned)
      continue;
    const Buffer &source = storage.kind == StorageKind::weight
                               ? *model.weights[storage.root]
                               : *memory[storage.root];
    TILEWRIGHT_RETURN_IF_ERROR(grow(copies[i], storage.bytes));
    TILEWRIGHT_RETURN_IF_ERROR(
        stream->copy(*copies[i], 0, source, 0, storage.bytes));
  }
  return {};
}

const Buffer &Session::Impl::outputMemory(const ExecutionPlan &plan,
                                          size_t output) const {
  const BufferStorage &storage =
      plan.storage[model.manifest().outputs[output].buffer];
  return storage.kind == StorageKind::owned ? *memory[storage.root]
                                            : *copies[output];
}

//===----------------------------------------------------------------------===//
// Session
//===----------------------------------------------------------------------===//

Session::Session(std::shared_ptr<const Model> model)
    : owner(std::move(model)), impl(std::make_unique<Impl>(*owner)) {}
Session::~Session() = default;

StatusOr<std::unique_ptr<Session>> Model::createSession() const {
  auto session = std::unique_ptr<Session>(new Session(shared_from_this()));
  Session::Impl &impl = *session->impl;
  TILEWRIGHT_ASSIGN_OR_RETURN(impl.stream, device().createStream());
  impl.inputShapes.resize(manifest().inputs.size());
  impl.words.resize(manifest().inputs.size());
  impl.memory.resize(manifest().buffers.size());
  impl.copies.resize(manifest().outputs.size());
  return session;
}

/// The only element as a kernel takes it: see KernelArgument.
static uint64_t wordOf(const TensorView &tensor) {
  const DTypeInfo &type = dtypeInfo(tensor.dtype);
  uint64_t word = 0;
  std::memcpy(&word, tensor.data.data(),
              std::min(tensor.data.size(), sizeof(word)));
  const unsigned unused = 64 - 8 * unsigned(std::min<size_t>(type.bytes, 8));
  if (type.kind == DTypeKind::signedInteger)
    word = uint64_t(int64_t(word << unused) >> unused);
  return word;
}

static std::string hexadecimal(std::span<const std::byte> data) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::byte byte : data) {
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

/// Checks dtype, rank and static dimensions.
static Status checkInput(const InterfaceTensor &input, const TensorView &tensor,
                         std::string_view origin,
                         const std::string &describeInputs) {
  std::string expected = printTensorType(input.dtype, input.shape);
  std::string note = "\n  the model's inputs: " + describeInputs;
  if (tensor.dtype != input.dtype)
    return Status::invalidInput(format(
        "input '{}' has dtype {}, the model expects {}{}{}",
        {input.name, dtypeName(tensor.dtype), dtypeName(input.dtype),
         origin.empty() ? "" : "\n  it is in " + std::string(origin), note}));
  std::string head =
      format("input '{}' has shape {}, the model expects {}\n  {}{}",
             {input.name, printShape(tensor.shape),
              expected.substr(expected.find('[')), origin,
              origin.empty() ? "" : ": "});
  if (tensor.shape.size() != input.shape.size())
    return Status::invalidInput(
        format("{}rank is {}, expected {}{}",
               {head, tensor.shape.size(), input.shape.size(), note}));
  for (size_t d = 0; d < input.shape.size(); ++d) {
    std::optional<int64_t> size = input.shape[d].constant();
    if (size && *size != tensor.shape[d])
      return Status::invalidInput(
          format("{}dimension {} is {}, expected {}{}",
                 {head, d, tensor.shape[d], *size, note}));
  }
  return {};
}

Status Session::setInput(std::string_view name, const TensorView &tensor,
                         std::string_view origin) {
  const std::vector<InterfaceTensor> &inputs = owner->manifest().inputs;
  auto found = std::find_if(
      inputs.begin(), inputs.end(),
      [&](const InterfaceTensor &input) { return input.name == name; });
  if (found == inputs.end())
    return Status::notFound(
        format("the model has no input '{}'\n  the model's inputs: {}",
               {name, owner->describeInputs()}));
  TILEWRIGHT_RETURN_IF_ERROR(
      checkInput(*found, tensor, origin, owner->describeInputs()));
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t bytes,
                              denseBytes(tensor.dtype, tensor.shape));
  if (bytes != tensor.data.size())
    return Status::invalidInput(
        format("input '{}' of shape {} needs {} bytes, found {}",
               {name, printShape(tensor.shape), bytes, tensor.data.size()}));
  if (!found->value.empty() && found->value != hexadecimal(tensor.data))
    return Status::invalidInput(format(
        "input '{}' has other elements than those that the package was "
        "compiled for\n"
        "  the model's shapes depend on them: compile it again for these",
        {name}));
  if (uint64_t word = tensor.shape.empty() ? wordOf(tensor) : 0,
      &known = impl->words[size_t(found - inputs.begin())];
      word != known) {
    known = word;
    ++impl->generation;
  }
  std::shared_ptr<Buffer> &memory = impl->memory[found->buffer];
  std::optional<Shape> &shape =
      impl->inputShapes[size_t(found - inputs.begin())];
  shape.reset();
  TILEWRIGHT_RETURN_IF_ERROR(impl->grow(memory, bytes));
  TILEWRIGHT_RETURN_IF_ERROR(
      impl->stream->copyToDevice(*memory, 0, tensor.data.data(), bytes));
  TILEWRIGHT_RETURN_IF_ERROR(impl->stream->synchronize());
  shape = Shape(tensor.shape.begin(), tensor.shape.end());
  return {};
}

Status Session::run() {
  impl->lastRun = nullptr;
  TILEWRIGHT_ASSIGN_OR_RETURN(ExecutionPlan * plan, impl->plan());
  TILEWRIGHT_RETURN_IF_ERROR(impl->prepare(*plan));
  TILEWRIGHT_RETURN_IF_ERROR(impl->runSteps(*plan, nullptr));
  impl->lastRun = plan;
  return {};
}

StatusOr<std::vector<StepTime>> Session::profile() {
  impl->lastRun = nullptr;
  TILEWRIGHT_ASSIGN_OR_RETURN(ExecutionPlan * plan, impl->plan());
  TILEWRIGHT_RETURN_IF_ERROR(impl->prepare(*plan));
  std::vector<StepTime> times;
  TILEWRIGHT_RETURN_IF_ERROR(impl->runSteps(*plan, &times));
  impl->lastRun = plan;
  return times;
}

/// The index of an output. The error lists the outputs.
static StatusOr<size_t> findOutput(const PackageManifest &manifest,
                                   std::string_view name) {
  std::string known;
  for (size_t i = 0; i < manifest.outputs.size(); ++i) {
    const InterfaceTensor &output = manifest.outputs[i];
    if (output.name == name)
      return i;
    known += format("{}{}: {}", {i ? ", " : "", output.name,
                                 printTensorType(output.dtype, output.shape)});
  }
  return Status::notFound(
      format("the model has no output '{}'\n  the model's outputs: {}",
             {name, known}));
}

StatusOr<HostTensor> Session::output(std::string_view name) const {
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t index,
                              findOutput(owner->manifest(), name));
  if (!impl->lastRun)
    return Status::invalidInput(
        format("output '{}': the session has not run", {name}));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      HostTensor tensor,
      HostTensor::allocate(owner->manifest().outputs[index].dtype,
                           impl->lastRun->outputShapes[index]));
  TILEWRIGHT_RETURN_IF_ERROR(impl->stream->copyToHost(
      tensor.data(), impl->outputMemory(*impl->lastRun, index), 0,
      tensor.bytes()));
  TILEWRIGHT_RETURN_IF_ERROR(impl->stream->synchronize());
  return tensor;
}

StatusOr<Shape> Session::outputShape(std::string_view name) {
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t index,
                              findOutput(owner->manifest(), name));
  TILEWRIGHT_ASSIGN_OR_RETURN(ExecutionPlan * plan, impl->plan());
  return plan->outputShapes[index];
}

static MemoryUse memoryOf(const ExecutionPlan &plan) {
  MemoryUse use;
  use.arena = plan.arenaBytes;
  use.arenaLive = plan.arenaLiveBytes;
  for (size_t i = 0; i < plan.storage.size(); ++i) {
    const BufferStorage &storage = plan.storage[i];
    if (storage.root != i)
      continue;
    if (storage.kind == StorageKind::weight)
      use.weights += storage.bytes;
    else if (storage.kind != StorageKind::arena)
      use.interface += storage.bytes;
  }
  return use;
}

StatusOr<MemoryUse> Session::memoryUse() {
  TILEWRIGHT_ASSIGN_OR_RETURN(ExecutionPlan * plan, impl->plan());
  return memoryOf(*plan);
}

StatusOr<MemoryUse> planMemory(const PackageManifest &manifest,
                               std::span<const Shape> inputShapes) {
  if (inputShapes.size() != manifest.inputs.size())
    return Status::invalidInput(
        format("the model has {} inputs, shapes are given of {}",
               {manifest.inputs.size(), inputShapes.size()}));
  std::string inputs;
  for (size_t i = 0; i < inputShapes.size(); ++i) {
    const InterfaceTensor &input = manifest.inputs[i];
    if (inputShapes[i].size() != input.shape.size())
      return Status::invalidInput(
          format("input '{}' has shape {}, the model expects {} dimensions",
                 {input.name, printShape(inputShapes[i]), input.shape.size()}));
    inputs += format("{}{}: {}", {inputs.empty() ? "" : ", ", input.name,
                                  printTensorType(input.dtype, input.shape)});
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(Bindings symbols,
                              bindSymbols(manifest, inputShapes, inputs));
  TILEWRIGHT_ASSIGN_OR_RETURN(ExecutionPlan plan,
                              planExecution(manifest, std::move(symbols)));
  return memoryOf(plan);
}

} // namespace tilewright::runtime
