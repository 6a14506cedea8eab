#include "runtime/cuda/DeviceFacts.h"
#include "support/Format.h"

namespace tilewright::runtime::cuda {

static Status findDevice(const Driver &cuda, unsigned ordinal,
                         CUdevice &device) {
  int count = 0;
  TILEWRIGHT_RETURN_IF_ERROR(cuda.status(cuda.cuDeviceGetCount(&count)));
  if (ordinal < unsigned(count))
    return cuda.status(cuda.cuDeviceGet(&device, int(ordinal)));
  if (count == 0)
    return Status::notFound("the CUDA driver sees no GPU: see nvidia-smi and "
                            "CUDA_VISIBLE_DEVICES");
  return Status::notFound(
      format("there is no cuda:{}; the devices are {}",
             {ordinal, count == 1 ? std::string("cuda:0")
                                  : format("cuda:0 to cuda:{}", {count - 1})}));
}

StatusOr<DeviceFacts> readFacts(const Driver &cuda, unsigned ordinal) {
  DeviceFacts facts;
  TILEWRIGHT_RETURN_IF_ERROR(findDevice(cuda, ordinal, facts.handle));
  char text[256] = {};
  TILEWRIGHT_RETURN_IF_ERROR(
      cuda.status(cuda.cuDeviceGetName(text, sizeof text - 1, facts.handle)));
  facts.model = text;
#define DEVICE_LIMIT(NAME, ATTRIBUTE)                                          \
  TILEWRIGHT_RETURN_IF_ERROR(cuda.status(cuda.cuDeviceGetAttribute(            \
      &facts.limits.NAME, ATTRIBUTE, facts.handle)));
#include "runtime/cuda/DeviceLimits.inc"
#undef DEVICE_LIMIT
  TILEWRIGHT_RETURN_IF_ERROR(cuda.status(
      cuda.cuDeviceTotalMem_v2(&facts.limits.memory, facts.handle)));
  return facts;
}

} // namespace tilewright::runtime::cuda
