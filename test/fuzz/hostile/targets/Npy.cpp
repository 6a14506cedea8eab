// Tensors in NumPy's format: what was read is written and read again.
#include "tilewright/runtime/Npy.h"
#include "targets/Target.h"
#include <cstring>

using namespace tilewright;
using namespace tilewright::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StatusOr<HostTensor> tensor = parseNpy(fuzz::bytesOf(data, size), "x.npy");
  if (!tensor.ok())
    return 0;
  StatusOr<std::vector<std::byte>> printed = printNpy(tensor->view());
  if (!printed.ok()) // A header that is too long.
    return 0;
  StatusOr<HostTensor> again = parseNpy(*printed, "printed");
  fuzz::require(again.ok(), "a written tensor is read",
                again.status().message());
  fuzz::require(
      again->dtype() == tensor->dtype() && again->shape() == tensor->shape() &&
          again->bytes() == tensor->bytes() &&
          (tensor->bytes() == 0 ||
           std::memcmp(again->data(), tensor->data(), tensor->bytes()) == 0),
      "a tensor is read as it was written");
  return 0;
}
