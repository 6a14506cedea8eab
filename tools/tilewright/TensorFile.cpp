//===- TensorFile.cpp - Tensors in files and at random --------------------===//
#include "tools/tilewright/TensorFile.h"

#include "runtime/core/Npy.h"
#include "tools/tilewright/Compiler.h"

namespace tilewright::tool {

StatusOr<runtime::HostTensor> readTensor(const std::filesystem::path &path) {
  if (path.extension() == ".pb")
    return readProto(path);
  if (path.extension() == ".npy")
    return runtime::readNpy(path);
  return Status::invalidInput(path.string() +
                              ": expected a .npy or .pb file, found '" +
                              path.extension().string() + "'");
}

StatusOr<runtime::HostTensor> randomTensor(runtime::DType dtype,
                                           const runtime::Shape &shape,
                                           std::mt19937_64 &generator) {
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::HostTensor tensor,
                              runtime::HostTensor::allocate(dtype, shape));
  std::uniform_real_distribution<double> uniform(-1, 1);
  switch (dtype) {
  case runtime::DType::F32:
    for (float &value : tensor.as<float>())
      value = static_cast<float>(uniform(generator));
    return tensor;
  case runtime::DType::F64:
    for (double &value : tensor.as<double>())
      value = uniform(generator);
    return tensor;
  case runtime::DType::F16:
  case runtime::DType::BF16: {
    // Random signs and fractions of numbers in [1/2, 1).
    uint16_t base = dtype == runtime::DType::F16 ? 0x3800 : 0x3f00;
    uint16_t mask = dtype == runtime::DType::F16 ? 0x83ff : 0x807f;
    for (uint16_t &value : tensor.as<uint16_t>())
      value = base | (generator() & mask);
    return tensor;
  }
  default: {
    size_t width = runtime::dtypeBytes(dtype);
    for (size_t i = 0; i < tensor.size(); ++i)
      tensor.data()[i * width] = static_cast<std::byte>(generator() & 1);
    return tensor;
  }
  }
}

} // namespace tilewright::tool
