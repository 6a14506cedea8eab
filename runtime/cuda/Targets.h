// Which targets a GPU runs.
#ifndef TILEWRIGHT_RUNTIME_CUDA_TARGETS_H
#define TILEWRIGHT_RUNTIME_CUDA_TARGETS_H

#include "runtime/cuda/Image.h"
#include "tilewright/support/Status.h"
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime::cuda {

/// A compute capability: 9.0 for sm_90.
struct Capability {
  int major = 0, minor = 0;
};

/// Whether a GPU of capability `device` runs code for `target`. From the CUDA
/// programming guide, "Application compatibility": code for sm_XYa runs on
/// exactly X.Y; PTX for sm_XY on X.Y and everything newer; a cubin for sm_XY
/// on X.Z with Z >= Y. The error says what was expected and found.
Status acceptsTarget(Capability device, std::string_view target,
                     ImageKind kind);

/// The targets whose PTX the GPU runs, best first.
std::vector<std::string> targetsOf(Capability device);

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_TARGETS_H
