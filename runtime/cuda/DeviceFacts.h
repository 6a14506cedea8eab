// What the driver says of a GPU.
#ifndef TILEWRIGHT_RUNTIME_CUDA_DEVICEFACTS_H
#define TILEWRIGHT_RUNTIME_CUDA_DEVICEFACTS_H

#include "runtime/cuda/Driver.h"

namespace tilewright::runtime::cuda {

/// What the hardware allows; the unit of memory is bytes.
struct DeviceLimits {
#define DEVICE_LIMIT(NAME, ATTRIBUTE) int NAME = 0;
#include "runtime/cuda/DeviceLimits.inc"
#undef DEVICE_LIMIT
  size_t memory = 0;
};

struct DeviceFacts {
  CUdevice handle = 0;
  /// "NVIDIA H100 80GB HBM3".
  std::string model;
  DeviceLimits limits;
};

/// Reads the facts of GPU number `ordinal`. Errors: there is no such GPU.
StatusOr<DeviceFacts> readFacts(const Driver &cuda, unsigned ordinal);

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_DEVICEFACTS_H
