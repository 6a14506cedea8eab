// Clusters that are about to run.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_BLOCKS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_BLOCKS_H

#include "runtime/emulator/machine/Warp.h"

namespace tilewright::emulator {

inline uint32_t volume(const Dim3 &dims) { return dims[0] * dims[1] * dims[2]; }

/// The cluster with this linear index, whose warps are at their start. Null:
/// there is no memory.
std::unique_ptr<Cluster> makeCluster(Launch &launch, uint64_t linear,
                                     Observer *observer);

/// Bytes that a cluster takes at its start.
uint64_t bytesOfCluster(const Launch &launch);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_BLOCKS_H
