#include "tilewright/compiler/DeviceTensor.h"
#include "support/Format.h"

namespace tilewright {

using runtime::HostTensor;

StatusOr<DeviceTensor> DeviceTensor::allocate(runtime::Device &device,
                                              runtime::DType dtype,
                                              runtime::Shape shape) {
  DeviceTensor tensor;
  TILEWRIGHT_ASSIGN_OR_RETURN(tensor.bytes, runtime::denseBytes(dtype, shape));
  TILEWRIGHT_ASSIGN_OR_RETURN(tensor.memory, device.allocate(tensor.bytes));
  tensor.type = dtype;
  tensor.sizes = std::move(shape);
  return tensor;
}

StatusOr<DeviceTensor>
DeviceTensor::over(std::shared_ptr<runtime::Buffer> memory,
                   runtime::DType dtype, runtime::Shape shape) {
  DeviceTensor tensor;
  TILEWRIGHT_ASSIGN_OR_RETURN(tensor.bytes, runtime::denseBytes(dtype, shape));
  tensor.memory = std::move(memory);
  tensor.type = dtype;
  tensor.sizes = std::move(shape);
  return tensor;
}

StatusOr<DeviceTensor> DeviceTensor::copyOf(runtime::Device &device,
                                            runtime::Stream &stream,
                                            const runtime::TensorView &source) {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      DeviceTensor tensor,
      allocate(device, source.dtype,
               runtime::Shape(source.shape.begin(), source.shape.end())));
  if (source.data.size() != tensor.bytes)
    return Status::invalidInput(format(
        "a tensor of shape {} takes {} bytes, found {}",
        {runtime::printShape(tensor.sizes), tensor.bytes, source.data.size()}));
  TILEWRIGHT_RETURN_IF_ERROR(
      stream.copyToDevice(*tensor.memory, 0, source.data.data(), tensor.bytes));
  TILEWRIGHT_RETURN_IF_ERROR(stream.synchronize());
  return tensor;
}

StatusOr<HostTensor> DeviceTensor::read(runtime::Stream &stream) const {
  if (!memory)
    return Status::invalidInput("an empty tensor is read");
  TILEWRIGHT_ASSIGN_OR_RETURN(HostTensor host,
                              HostTensor::allocate(type, sizes));
  TILEWRIGHT_RETURN_IF_ERROR(stream.copyToHost(host.data(), *memory, 0, bytes));
  TILEWRIGHT_RETURN_IF_ERROR(stream.synchronize());
  return host;
}

} // namespace tilewright
