// Where the warps of a launch are that makes no progress.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_WAITS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_WAITS_H

#include "runtime/emulator/machine/Warp.h"
#include <deque>

namespace tilewright::emulator {

/// Clusters that run, the first of the grid first.
using Residents = std::deque<std::unique_ptr<Cluster>>;

/// Forgets what the warps looked at, so that reportWaits() tells only of looks
/// that come after.
void forgetLooks(const Residents &clusters);

/// Ends the launch with a fault. Its message is `why`, where each warp is, and
/// what it looked at; the fault is at the first look, or else at the first
/// warp. `behind` ends the message.
void reportWaits(const Residents &clusters, FaultCode code, std::string why,
                 const std::string &behind = "");

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_WAITS_H
