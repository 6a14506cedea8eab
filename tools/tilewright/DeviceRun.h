//===- DeviceRun.h - One run of a package on one device ---------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_DEVICERUN_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_DEVICERUN_H

#include "runtime/emulator/counters/Counters.h"
#include "tilewright/runtime/FindingSource.h"
#include "tools/tilewright/ModelInputs.h"
#include "tools/tilewright/RunModel.h"
#include "tools/tilewright/RunStop.h"
#include <optional>

namespace tilewright::tool {

struct ModelOutput {
  std::string name;
  runtime::HostTensor tensor;
  /// Where it was written; empty: nowhere.
  std::string file = {};
  /// How it differs from the first device's; empty: it is that.
  std::string difference = {};
};

/// A run of a package on one device, and what came of it.
struct DeviceRun {
  std::shared_ptr<runtime::Device> device;
  /// Whether the inputs fit the model, as it is declared: the run may have
  /// failed later.
  bool tookInputs = false;
  /// That of the inputs that are random; none where all were given.
  std::optional<uint64_t> seed = {};
  /// What the device found that a kernel does wrong; the run has failed then.
  std::vector<runtime::Finding> findings = {};
  std::vector<emulator::KernelTotal> totals = {};
  std::vector<double> runMs = {};
  std::vector<runtime::StepTime> profile = {};
  std::vector<ModelOutput> outputs = {};
  size_t peakBytes = 0;

  [[nodiscard]] const std::string &name() const { return device->info().name; }
};

/// Loads, sets the inputs, runs and takes the outputs. On an error `run` has
/// what came before it. `stop` cancels the runs.
Status runPackage(const std::filesystem::path &package,
                  const RunArguments &arguments, const UserInputs &given,
                  RunStop &stop, DeviceRun &run);

/// Compares the outputs with those of the first device.
void compareOutputs(DeviceRun &run, const DeviceRun &first);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_DEVICERUN_H
