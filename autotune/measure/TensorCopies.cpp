#include "autotune/measure/TensorCopies.h"

#include "autotune/measure/Compare.h"
#include <algorithm>

namespace tilewright::autotune {

/// A tensor that is only written starts with what nobody writes.
static StatusOr<runtime::HostTensor> firstContents(const TaskTensor &tensor,
                                                   uint64_t seed) {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      runtime::HostTensor host,
      runtime::HostTensor::allocate(tensor.dtype, tensor.shape));
  if (tensor.isWritten && !tensor.isRead)
    fillAsUnwritten(host);
  else
    fillAtRandom(host, seed);
  return host;
}

StatusOr<TensorCopies>
TensorCopies::make(runtime::Device &device, runtime::Stream &stream,
                   const std::vector<TaskTensor> &tensors, uint64_t seed,
                   size_t coldBytes) {
  TensorCopies result;
  result.tensors = tensors;
  size_t bytes = 1;
  for (size_t i = 0; i < tensors.size(); ++i) {
    TILEWRIGHT_ASSIGN_OR_RETURN(runtime::HostTensor host,
                                firstContents(tensors[i], seed * 1000003 + i));
    bytes += host.bytes();
    result.initial.push_back(std::move(host));
  }
  // An odd number, so that both kernels of the pairs use all copies: their
  // addresses affect the time, too.
  constexpr size_t mostCopies = 63;
  size_t count = std::clamp<size_t>(coldBytes / bytes + 1, 1, mostCopies) | 1;
  for (size_t i = 0; i < count; ++i) {
    TILEWRIGHT_ASSIGN_OR_RETURN(TensorCopy copy, result.makeCopy(device));
    TILEWRIGHT_RETURN_IF_ERROR(result.reset(stream, copy));
    result.copies.push_back(std::move(copy));
  }
  return result;
}

StatusOr<TensorCopy> TensorCopies::makeCopy(runtime::Device &device) const {
  constexpr size_t page = 4096, line = 64;
  // No two of the offsets in a page come close to each other soon.
  constexpr size_t stride = 23;
  TensorCopy copy;
  for (const runtime::HostTensor &host : initial) {
    const size_t number = copies.size() * initial.size() + copy.size();
    ShiftedBuffer shifted;
    shifted.shift = number * stride * line % page;
    TILEWRIGHT_ASSIGN_OR_RETURN(shifted.buffer,
                                device.allocate(host.bytes() + page));
    copy.push_back(std::move(shifted));
  }
  return copy;
}

const TensorCopy &TensorCopies::next() {
  return copies[nextCopy++ % copies.size()];
}

Status TensorCopies::reset(runtime::Stream &stream,
                           const TensorCopy &copy) const {
  for (size_t i = 0; i < copy.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(stream.copyToDevice(
        *copy[i].buffer, copy[i].shift, initial[i].data(), initial[i].bytes()));
  return stream.synchronize();
}

StatusOr<std::vector<runtime::HostTensor>>
TensorCopies::written(runtime::Stream &stream, const TensorCopy &copy) const {
  std::vector<runtime::HostTensor> written;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].isWritten)
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(
        runtime::HostTensor host,
        runtime::HostTensor::allocate(tensors[i].dtype, tensors[i].shape));
    TILEWRIGHT_RETURN_IF_ERROR(stream.copyToHost(host.data(), *copy[i].buffer,
                                                 copy[i].shift, host.bytes()));
    written.push_back(std::move(host));
  }
  TILEWRIGHT_RETURN_IF_ERROR(stream.synchronize());
  return written;
}

runtime::LaunchArgument TensorCopies::view(const TensorCopy &copy,
                                           size_t number) const {
  const ShiftedBuffer &shifted = copy[number];
  auto view =
      runtime::LaunchArgument::view(*shifted.buffer, tensors[number].shape);
  view.address += shifted.shift;
  view.bytes -= shifted.shift;
  return view;
}

} // namespace tilewright::autotune
