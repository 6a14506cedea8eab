// Launch limits of the emulated GPUs.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_DEVICE_LIMITS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_DEVICE_LIMITS_H

#include "runtime/emulator/machine/Warp.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"

namespace tilewright::emulator {

/// Whether clusters exist there: from sm_90 on.
[[nodiscard]] bool hasClusters(std::string_view target);

/// Threads of the host that run a launch: 0, all cores, to 4096.
TILEWRIGHT_PRIVATE_API Status checkHostThreads(unsigned threads);

/// The dimensions of a launch.
struct LaunchShape {
  Dim3 grid = {1, 1, 1}, block = {1, 1, 1}, cluster = {1, 1, 1};
  uint32_t dynamicShared = 0;
};

/// Checks a launch against the target of the file and the kernel's requirements
/// (.reqntid, .maxntid, .reqnctapercluster). Errors: one line with what was
/// expected and what was found.
TILEWRIGHT_PRIVATE_API Status checkBlock(const Program &program,
                                         const LaunchShape &shape);
TILEWRIGHT_PRIVATE_API Status checkGrid(const LaunchShape &shape);

/// The cluster that the kernel prescribes, if it does; else 1, 1, 1.
[[nodiscard]] TILEWRIGHT_PRIVATE_API Dim3
prescribedCluster(const Program &program);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_DEVICE_LIMITS_H
