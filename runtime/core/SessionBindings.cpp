#include "runtime/core/SessionImpl.h"
#include "support/Format.h"

namespace tilewright::runtime {

static std::string_view roleName(TensorRole role) {
  return role == TensorRole::input    ? "input"
         : role == TensorRole::output ? "output"
                                      : "weight";
}

//===----------------------------------------------------------------------===//
// Session
//===----------------------------------------------------------------------===//

/// The buffer of a weight by the name of its tensor.
static StatusOr<size_t> findWeight(const PackageManifest &manifest,
                                   std::string_view name) {
  std::string known;
  for (size_t i = 0; i < manifest.buffers.size(); ++i) {
    const BufferManifest &buffer = manifest.buffers[i];
    if (buffer.kind != BufferManifest::Kind::weight || buffer.alias)
      continue;
    if (buffer.weight == name)
      return i;
    known += (known.empty() ? "" : ", ") + buffer.weight;
  }
  return Status::notFound(
      format("the model has no weight '{}'\n  the model's weights: {}",
             {name, known.empty() ? "none" : known}));
}

static Status checkOutput(const InterfaceTensor &output,
                          const TensorMemory &memory, const std::string &what) {
  bool fits = memory.dtype == output.dtype &&
              memory.shape.size() == output.shape.size();
  for (size_t d = 0; fits && d < memory.shape.size(); ++d)
    fits =
        output.shape[d].constant().value_or(memory.shape[d]) == memory.shape[d];
  if (fits)
    return {};
  return Status::invalidInput(
      format("{} is {}, found memory of {}{}",
             {what, printTensorType(output.dtype, output.shape),
              dtypeName(memory.dtype), printShape(memory.shape)}));
}

static Status checkWeight(const BufferManifest &weight,
                          const TensorMemory &memory, const std::string &what) {
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t bytes,
                              denseBytes(memory.dtype, memory.shape));
  const size_t expected = size_t(weight.bytes.constant().value_or(0));
  if (memory.dtype == weight.dtype && bytes == expected)
    return {};
  return Status::invalidInput(
      format("{} has {} bytes of {}, found {} bytes of {}{}",
             {what, expected, dtypeName(weight.dtype), bytes,
              dtypeName(memory.dtype), printShape(memory.shape)}));
}

Status Session::bind(TensorRole role, std::string_view name,
                     TensorMemory memory) {
  const PackageManifest &manifest = owner->manifest();
  const std::string what = format("{} '{}'", {roleName(role), name});
  TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<Binding> * slot,
                              impl->findSlot(role, name));
  Binding bound{std::move(memory), nullptr};
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t extent, bound.extent(what));
  size_t index = 0;
  if (role == TensorRole::input) {
    index = size_t(slot - impl->boundInputs.data());
    TILEWRIGHT_RETURN_IF_ERROR(
        checkInput(manifest.inputs[index], bound.memory.dtype,
                   bound.memory.shape, "", owner->describeInputs()));
  } else if (role == TensorRole::output) {
    index = size_t(slot - impl->boundOutputs.data());
    TILEWRIGHT_RETURN_IF_ERROR(
        checkOutput(manifest.outputs[index], bound.memory, what));
    if (bound.overlapsItself())
      return Status::invalidInput(
          format("{}: elements of its memory overlap: shape {}, strides {}",
                 {what, printShape(bound.memory.shape),
                  printShape(bound.allStrides())}));
  } else {
    index = size_t(slot - impl->boundWeights.data());
    TILEWRIGHT_RETURN_IF_ERROR(
        checkWeight(manifest.buffers[index], bound.memory, what));
  }
  TILEWRIGHT_RETURN_IF_ERROR(impl->checkOverlaps(*slot, bound, what));
  const auto address = reinterpret_cast<uintptr_t>(bound.memory.data.data());
  if (extent && bound.isContiguous() &&
      address % dtypeBytes(bound.memory.dtype) == 0) {
    auto inPlace =
        owner->device().inPlace(bound.memory.data, bound.memory.owner);
    if (inPlace.ok())
      bound.inPlace = *std::move(inPlace);
    else if (inPlace.status().code() != StatusCode::unsupported)
      return inPlace.status().prefixed(what);
  }
  ++impl->inputCount;
  if (role == TensorRole::input)
    impl->inputShapes[index] = bound.memory.shape;
  else if (role == TensorRole::output)
    impl->lastRun = nullptr; // It has what was bound before.
  *slot = std::move(bound);
  ++impl->generation;
  return {};
}

Status Session::unbind(TensorRole role, std::string_view name) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<Binding> * slot,
                              impl->findSlot(role, name));
  if (!*slot)
    return {};
  slot->reset();
  ++impl->generation;
  impl->lastRun = nullptr;
  if (role == TensorRole::input)
    impl->inputShapes[size_t(slot - impl->boundInputs.data())].reset();
  return {};
}

BoundCopies Session::boundCopies() const { return impl->boundCopies; }

StatusOr<std::optional<Binding> *>
Session::Impl::findSlot(TensorRole role, std::string_view name) {
  const PackageManifest &manifest = model.manifest();
  if (role == TensorRole::weight) {
    TILEWRIGHT_ASSIGN_OR_RETURN(size_t buffer, findWeight(manifest, name));
    return &boundWeights[buffer];
  }
  const bool isInput = role == TensorRole::input;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      size_t index, findTensor(isInput ? manifest.inputs : manifest.outputs,
                               name, roleName(role)));
  return isInput ? &boundInputs[index] : &boundOutputs[index];
}

/// Whether an output is the new value of an input (BufferManifest::initial).
static bool overwrites(const PackageManifest &manifest, size_t output,
                       size_t input) {
  return manifest.buffers[manifest.outputs[output].buffer].initial ==
         manifest.inputs[input].buffer;
}

Status Session::Impl::checkOverlaps(const std::optional<Binding> &slot,
                                    const Binding &bound,
                                    const std::string &what) const {
  const PackageManifest &manifest = model.manifest();
  auto indexIn = [&](const auto &bindings) -> std::optional<size_t> {
    for (size_t i = 0; i < bindings.size(); ++i)
      if (&bindings[i] == &slot)
        return i;
    return std::nullopt;
  };
  const std::optional<size_t> input = indexIn(boundInputs);
  const std::optional<size_t> output = indexIn(boundOutputs);
  auto check = [&](const std::optional<Binding> &other, TensorRole role,
                   const std::string &name, bool isAllowed) -> Status {
    if (!other || &other == &slot || (isAllowed && other->isSame(bound)) ||
        !other->sharesMemory(bound))
      return {};
    return Status::invalidInput(format(
        "{}: its memory overlaps that of {} '{}', which is bound; what is "
        "written must be in memory of its own",
        {what, roleName(role), name}));
  };
  for (size_t i = 0; i < boundOutputs.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(check(boundOutputs[i], TensorRole::output,
                                     manifest.outputs[i].name,
                                     input && overwrites(manifest, i, *input)));
  if (!output)
    return {};
  for (size_t i = 0; i < boundInputs.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(check(boundInputs[i], TensorRole::input,
                                     manifest.inputs[i].name,
                                     overwrites(manifest, *output, i)));
  for (size_t i = 0; i < boundWeights.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(check(boundWeights[i], TensorRole::weight,
                                     manifest.buffers[i].weight, false));
  return {};
}

Status Session::Impl::readBoundWords() {
  const std::vector<InterfaceTensor> &inputs = model.manifest().inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!boundInputs[i] ||
        (!inputs[i].shape.empty() && inputs[i].value.empty()))
      continue;
    std::vector<std::byte> storage;
    const std::span<const std::byte> data = boundInputs[i]->gather(storage);
    TILEWRIGHT_RETURN_IF_ERROR(checkValue(inputs[i], data));
    if (!inputs[i].shape.empty())
      continue;
    const uint64_t word = wordOf(inputs[i].dtype, data);
    generation += std::exchange(words[i], word) != word;
  }
  return {};
}

Status Session::Impl::copyBoundIn(const ExecutionPlan &plan) {
  const std::vector<InterfaceTensor> &inputs = model.manifest().inputs;
  auto copy = [&](const std::optional<Binding> &bound,
                  size_t buffer) -> Status {
    if (!bound || bound->inPlace || bound->bytes() == 0)
      return {};
    std::vector<std::byte> storage;
    const std::span<const std::byte> data = bound->gather(storage);
    boundCopies.count += 1;
    boundCopies.bytes += data.size();
    TILEWRIGHT_RETURN_IF_ERROR(stream->copyToDevice(
        *plan.places[buffer].memory, 0, data.data(), data.size()));
    return stream->synchronize(); // The storage ends here.
  };
  for (size_t i = 0; i < inputs.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(copy(boundInputs[i], inputs[i].buffer));
  for (size_t i = 0; i < boundWeights.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(copy(boundWeights[i], i));
  return {};
}

Status Session::Impl::copyBoundOut(const ExecutionPlan &plan) {
  for (size_t i = 0; i < boundOutputs.size(); ++i) {
    const std::optional<Binding> &bound = boundOutputs[i];
    const size_t bytes = bound ? bound->bytes() : 0;
    if (!bound || bound->inPlace || bytes == 0)
      continue;
    boundCopies.count += 1;
    boundCopies.bytes += bytes;
    const bool isDirect = bound->isContiguous();
    std::vector<std::byte> storage(isDirect ? 0 : bytes);
    TILEWRIGHT_RETURN_IF_ERROR(stream->copyToHost(
        isDirect ? bound->memory.data.data() : storage.data(),
        outputMemory(plan, i), 0, bytes));
    TILEWRIGHT_RETURN_IF_ERROR(stream->synchronize());
    if (!isDirect)
      bound->scatter(storage);
  }
  return {};
}

} // namespace tilewright::runtime
