#include "runtime/core/SessionImpl.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::runtime {

Status Session::Impl::resetState(size_t buffer) {
  const BufferManifest &state = model.manifest().buffers[buffer];
  const size_t bytes = size_t(state.bytes.constant().value_or(0));
  Buffer &target = *memory[buffer];
  if (state.initial)
    return stream->copy(target, 0, *model.weights[*state.initial], 0, bytes);
  constexpr size_t most = size_t{1} << 20;
  const std::vector<std::byte> zeros(std::min(bytes, most));
  for (size_t offset = 0; offset < bytes; offset += most)
    TILEWRIGHT_RETURN_IF_ERROR(stream->copyToDevice(
        target, offset, zeros.data(), std::min(bytes - offset, most)));
  return stream->synchronize(); // The zeros end here.
}

Status Session::resetStates() {
  if (owner->manifest().states.empty())
    return {};
  for (const InterfaceTensor &state : owner->manifest().states)
    TILEWRIGHT_RETURN_IF_ERROR(impl->resetState(state.buffer));
  return impl->stream->synchronize();
}

/// A shape of constants.
static Shape constantShape(const InterfaceTensor &state) {
  Shape shape;
  for (const Expression &size : state.shape)
    shape.push_back(size.constant().value_or(0));
  return shape;
}

StatusOr<HostTensor> Session::state(std::string_view name) const {
  const std::vector<InterfaceTensor> &states = owner->manifest().states;
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t index, findTensor(states, name, "state"));
  const InterfaceTensor &state = states[index];
  TILEWRIGHT_ASSIGN_OR_RETURN(
      HostTensor tensor,
      HostTensor::allocate(state.dtype, constantShape(state)));
  TILEWRIGHT_RETURN_IF_ERROR(impl->stream->copyToHost(
      tensor.data(), *impl->memory[state.buffer], 0, tensor.bytes()));
  TILEWRIGHT_RETURN_IF_ERROR(impl->stream->synchronize());
  return tensor;
}

Status Session::setState(std::string_view name, const TensorView &tensor) {
  const std::vector<InterfaceTensor> &states = owner->manifest().states;
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t index, findTensor(states, name, "state"));
  const InterfaceTensor &state = states[index];
  const Shape shape = constantShape(state);
  if (tensor.dtype != state.dtype || !std::ranges::equal(tensor.shape, shape))
    return Status::invalidInput(
        format("state '{}' is {}, found {}{}",
               {name, printTensorType(state.dtype, state.shape),
                dtypeName(tensor.dtype), printShape(tensor.shape)}));
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t bytes, denseBytes(state.dtype, shape));
  if (tensor.data.size() != bytes)
    return Status::invalidInput(
        format("state '{}' of shape {} needs {} bytes, found {}",
               {name, printShape(shape), bytes, tensor.data.size()}));
  TILEWRIGHT_RETURN_IF_ERROR(impl->stream->copyToDevice(
      *impl->memory[state.buffer], 0, tensor.data.data(), bytes));
  return impl->stream->synchronize();
}

Status Session::copyStates(const Session &other) {
  if (owner != other.owner)
    return Status::invalidInput(
        format("expected a session of the same model to copy states from, "
               "found one of another model ('{}', this is '{}')",
               {other.owner->manifest().name, owner->manifest().name}));
  for (const InterfaceTensor &state : owner->manifest().states) {
    Buffer &target = *impl->memory[state.buffer];
    const Buffer &source = *other.impl->memory[state.buffer];
    TILEWRIGHT_RETURN_IF_ERROR(
        impl->stream->copy(target, 0, source, 0, target.size()));
  }
  return impl->stream->synchronize();
}

} // namespace tilewright::runtime
