// Runs a schedule on real data, by the contract of docs/spatial.md alone.
#ifndef TILEWRIGHT_SPATIAL_SIMULATOR_SIMULATOR_H
#define TILEWRIGHT_SPATIAL_SIMULATOR_SIMULATOR_H

#include "spatial/program/Finding.h"
#include "spatial/program/Schedule.h"
#include "tilewright/runtime/Tensor.h"
#include <vector>

namespace tilewright::spatial {

struct SimulationOptions {
  /// The run ends after so many findings; at least one.
  size_t mostFindings = 20;
};

struct SimulationResult {
  /// By the order in which they show; empty if the machine can run the
  /// schedule.
  std::vector<Finding> findings;
  /// Counted (M11), not read from the manifest.
  int64_t cycles = 0;
  /// In the order of Schedule::outputs; none if there are findings.
  std::vector<runtime::HostTensor> outputs;
};

/// Places the inputs, runs all lines and reads the outputs. `inputs` are in the
/// order of Schedule::inputs. Errors: an input of another type or shape, an i64
/// that does not fit an i32.
TILEWRIGHT_PRIVATE_API StatusOr<SimulationResult>
simulate(const Schedule &schedule, std::span<const runtime::TensorView> inputs,
         const SimulationOptions &options = {});

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SIMULATOR_SIMULATOR_H
