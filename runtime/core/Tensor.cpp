#include "tilewright/runtime/Tensor.h"
#include "support/Format.h"
#include <cstdlib>
#include <cstring>
#include <memory>

namespace tilewright::runtime {

std::string printShape(std::span<const int64_t> shape) {
  return format("[{}]", {joined(shape)});
}

StatusOr<size_t> denseBytes(DType dtype, std::span<const int64_t> shape) {
  size_t bytes = dtypeBytes(dtype);
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return Status::invalidInput(
          format("shape {} has a negative dimension", {printShape(shape)}));
    empty |= size == 0;
    if (size > 0 && __builtin_mul_overflow(bytes, size_t(size), &bytes))
      return Status::invalidInput(
          format("shape {} has more bytes than 64 bits can count",
                 {printShape(shape)}));
  }
  if (bytes > size_t(PTRDIFF_MAX))
    return Status::invalidInput(
        format("shape {} is too large", {printShape(shape)}));
  return empty ? 0 : bytes;
}

StatusOr<HostTensor> HostTensor::allocate(DType dtype, Shape shape) {
  TILEWRIGHT_ASSIGN_OR_RETURN(size_t bytes, denseBytes(dtype, shape));
  size_t rounded =
      (bytes / tensorAlignment + 1) * tensorAlignment; // never 0 bytes
  // Not aligned_alloc and zeros: of what calloc takes from the system, only
  // what is touched needs memory and time.
  void *block = std::calloc(rounded / tensorAlignment + 1, tensorAlignment);
  void *memory = block;
  size_t space = rounded + tensorAlignment;
  if (!block || !std::align(tensorAlignment, rounded, memory, space))
    return Status::resourceExhausted(
        format("no memory for a tensor of {} bytes", {bytes}));
  HostTensor tensor;
  tensor.type = dtype;
  tensor.sizes = std::move(shape);
  tensor.byteCount = bytes;
  tensor.storage = std::shared_ptr<std::byte>(
      static_cast<std::byte *>(memory), [block](void *) { std::free(block); });
  return tensor;
}

StatusOr<HostTensor> HostTensor::copyOf(const TensorView &view) {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      HostTensor tensor,
      allocate(view.dtype, Shape(view.shape.begin(), view.shape.end())));
  if (view.data.size() != tensor.bytes())
    return Status::invalidInput(
        format("a {} tensor of shape {} has {} bytes, found {}",
               {dtypeName(view.dtype), printShape(view.shape), tensor.bytes(),
                view.data.size()}));
  if (!view.data.empty())
    std::memcpy(tensor.data(), view.data.data(), view.data.size());
  return tensor;
}

StatusOr<HostTensor> HostTensor::reinterpretAs(DType dtype) const {
  if (dtypeBytes(dtype) != dtypeBytes(type))
    return Status::invalidInput(
        format("cannot read a tensor of {} as {}: the widths differ",
               {dtypeName(type), dtypeName(dtype)}));
  HostTensor result = *this;
  result.type = dtype;
  return result;
}

} // namespace tilewright::runtime
