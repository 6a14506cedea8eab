#include "runtime/core/SessionImpl.h"
#include "support/Format.h"
#include <algorithm>
#include <cstring>

namespace tilewright::runtime {

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
  impl.boundInputs.resize(manifest().inputs.size());
  impl.boundOutputs.resize(manifest().outputs.size());
  impl.boundWeights.resize(manifest().buffers.size());
  for (const InterfaceTensor &state : manifest().states) {
    const BufferManifest &buffer = manifest().buffers[state.buffer];
    TILEWRIGHT_RETURN_IF_ERROR(
        impl.grow(impl.memory[state.buffer],
                  size_t(buffer.bytes.constant().value_or(0))));
  }
  TILEWRIGHT_RETURN_IF_ERROR(session->resetStates());
  return session;
}

uint64_t wordOf(DType dtype, std::span<const std::byte> data) {
  const DTypeInfo &type = dtypeInfo(dtype);
  uint64_t word = 0;
  std::memcpy(&word, data.data(), std::min(data.size(), sizeof(word)));
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

Status checkValue(const InterfaceTensor &input,
                  std::span<const std::byte> data) {
  if (input.value.empty() || input.value == hexadecimal(data))
    return {};
  return Status::invalidInput(
      format("input '{}' has other elements than those that the package was "
             "compiled for\n"
             "  the model's shapes depend on them: compile it again for these",
             {input.name}));
}

Status checkInput(const InterfaceTensor &input, DType dtype,
                  std::span<const int64_t> shape, std::string_view origin,
                  const std::string &describeInputs) {
  std::string expected = printTensorType(input.dtype, input.shape);
  std::string note = "\n  the model's inputs: " + describeInputs;
  if (dtype != input.dtype)
    return Status::invalidInput(format(
        "input '{}' has dtype {}, the model expects {}{}{}",
        {input.name, dtypeName(dtype), dtypeName(input.dtype),
         origin.empty() ? "" : "\n  it is in " + std::string(origin), note}));
  std::string head = format(
      "input '{}' has shape {}, the model expects {}\n  {}{}",
      {input.name, printShape(shape), expected.substr(expected.find('[')),
       origin, origin.empty() ? "" : ": "});
  if (shape.size() != input.shape.size())
    return Status::invalidInput(
        format("{}rank is {}, expected {}{}",
               {head, shape.size(), input.shape.size(), note}));
  for (size_t d = 0; d < input.shape.size(); ++d) {
    std::optional<int64_t> size = input.shape[d].constant();
    if (size && *size != shape[d])
      return Status::invalidInput(format("{}dimension {} is {}, expected {}{}",
                                         {head, d, shape[d], *size, note}));
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
  TILEWRIGHT_RETURN_IF_ERROR(checkInput(*found, tensor.dtype, tensor.shape,
                                        origin, owner->describeInputs()));
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t bytes,
                              denseBytes(tensor.dtype, tensor.shape));
  if (bytes != tensor.data.size())
    return Status::invalidInput(
        format("input '{}' of shape {} needs {} bytes, found {}",
               {name, printShape(tensor.shape), bytes, tensor.data.size()}));
  TILEWRIGHT_RETURN_IF_ERROR(checkValue(*found, tensor.data));
  const size_t index = size_t(found - inputs.begin());
  ++impl->inputCount;
  if (uint64_t word =
          tensor.shape.empty() ? wordOf(tensor.dtype, tensor.data) : 0,
      &known = impl->words[index];
      word != known) {
    known = word;
    ++impl->generation;
  }
  if (impl->boundInputs[index]) {
    impl->boundInputs[index].reset();
    ++impl->generation;
  }
  std::shared_ptr<Buffer> &memory = impl->memory[found->buffer];
  std::optional<Shape> &shape = impl->inputShapes[index];
  shape.reset();
  TILEWRIGHT_RETURN_IF_ERROR(impl->grow(memory, bytes));
  TILEWRIGHT_RETURN_IF_ERROR(
      impl->stream->copyToDevice(*memory, 0, tensor.data.data(), bytes));
  TILEWRIGHT_RETURN_IF_ERROR(impl->stream->synchronize());
  shape = Shape(tensor.shape.begin(), tensor.shape.end());
  return {};
}

Status Session::run() { return impl->run(nullptr); }

void Session::cancel() { impl->isCancelled = true; }

void Session::setTimeLimit(std::optional<std::chrono::nanoseconds> limit) {
  impl->timeLimit = limit;
}

void Session::setStopCheck(std::function<bool()> isStopped) {
  impl->isStopped = std::move(isStopped);
}

StatusOr<std::vector<StepTime>> Session::profile() {
  std::vector<StepTime> times;
  TILEWRIGHT_RETURN_IF_ERROR(impl->run(&times));
  return times;
}

StatusOr<size_t> findTensor(const std::vector<InterfaceTensor> &list,
                            std::string_view name, std::string_view kind) {
  std::string known;
  for (size_t i = 0; i < list.size(); ++i) {
    const InterfaceTensor &tensor = list[i];
    if (tensor.name == name)
      return i;
    known += format("{}{}: {}", {i ? ", " : "", tensor.name,
                                 printTensorType(tensor.dtype, tensor.shape)});
  }
  return Status::notFound(
      format("the model has no {} '{}'\n  the model's {}s: "
             "{}",
             {kind, name, kind, known.empty() ? "none" : known}));
}

StatusOr<HostTensor> Session::output(std::string_view name) const {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      size_t index, findTensor(owner->manifest().outputs, name, "output"));
  if (!impl->lastRun)
    return Status::invalidInput(
        format("output '{}': the session has not run", {name}));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      HostTensor tensor,
      HostTensor::allocate(owner->manifest().outputs[index].dtype,
                           impl->outputShapes[index]));
  TILEWRIGHT_RETURN_IF_ERROR(impl->stream->copyToHost(
      tensor.data(), impl->outputMemory(*impl->lastRun, index), 0,
      tensor.bytes()));
  TILEWRIGHT_RETURN_IF_ERROR(impl->stream->synchronize());
  return tensor;
}

StatusOr<Shape> Session::outputShape(std::string_view name) {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      size_t index, findTensor(owner->manifest().outputs, name, "output"));
  TILEWRIGHT_ASSIGN_OR_RETURN(ExecutionPlan * plan, impl->plan());
  if (const std::optional<Shape> &shape = plan->outputShapes[index])
    return *shape;
  if (impl->lastRun && impl->lastInputs == impl->inputCount)
    return impl->outputShapes[index];
  const InterfaceTensor &output = owner->manifest().outputs[index];
  return Status::invalidInput(
      format("output '{}': its shape {} depends on data: run the model first",
             {name, printTensorType(output.dtype, output.shape)}));
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
    else if (storage.kind == StorageKind::state)
      use.states += storage.bytes;
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
  TILEWRIGHT_ASSIGN_OR_RETURN(
      ExecutionPlan plan,
      planExecution(manifest, StepTree(manifest), std::move(symbols)));
  return memoryOf(plan);
}

} // namespace tilewright::runtime
