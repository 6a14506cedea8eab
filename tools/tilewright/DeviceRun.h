//===- DeviceRun.h - One run of a package on one device ---------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_DEVICERUN_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_DEVICERUN_H

#include "runtime/emulator/counters/Counters.h"
#include "tilewright/runtime/FindingSource.h"
#include "tilewright/runtime/Model.h"
#include "tools/tilewright/Compiler.h"
#include "tools/tilewright/RunModel.h"

#include <nlohmann/json.hpp>

namespace tilewright::tool {

/// The command line's values of a model's inputs, by name.
struct UserInputs {
  RunInputs data;
  /// The files of the tensors, for messages.
  std::map<std::string, std::string> files;
  /// As they were written.
  std::map<std::string, std::string> scalars;
};

/// One package on one device.
class DeviceRun {
public:
  DeviceRun(const RunArguments &arguments, const UserInputs &given,
            std::shared_ptr<runtime::Device> device)
      : arguments(arguments), given(given), device(std::move(device)) {}

  /// Loads, sets the inputs, runs and takes the outputs.
  Status run(const std::filesystem::path &package);
  /// Compares the outputs with those of the first device.
  void compare(const DeviceRun &first);
  /// Writes the outputs into `directory`, which is made.
  Status writeOutputs(const std::filesystem::path &directory);
  /// Writes the reports of what was executed.
  Status writeCounters();

  [[nodiscard]] nlohmann::ordered_json json() const;
  void print() const;
  [[nodiscard]] const std::string &name() const { return device->info().name; }
  [[nodiscard]] const runtime::Device &target() const { return *device; }
  /// Whether the inputs fit the model, as it is declared: run() may have failed
  /// later.
  [[nodiscard]] bool tookInputs() const { return inputsAreSet; }
  /// What the device found that a kernel does wrong; run() has failed then.
  [[nodiscard]] const std::vector<runtime::Finding> &found() const {
    return findings;
  }

private:
  Status checkNames() const;
  Status setGiven(const runtime::InterfaceTensor &input,
                  const runtime::HostTensor &given);
  StatusOr<runtime::Shape> randomShape(const runtime::InterfaceTensor &input);
  Status setInputs();
  Status measure();
  Status takeOutputs();

  const RunArguments &arguments;
  const UserInputs &given;
  std::shared_ptr<runtime::Device> device;
  std::shared_ptr<const runtime::Model> model;
  std::unique_ptr<runtime::Session> session;
  std::vector<runtime::Finding> findings;
  std::vector<emulator::KernelTotal> totals;
  std::vector<double> runMs;
  std::vector<runtime::StepTime> profile;
  std::vector<runtime::HostTensor> outputs;
  /// By output: its file, and how it differs from the first device's.
  std::vector<std::string> outputFiles, differences;
  size_t peakBytes = 0;
  bool usedSeed = false, inputsAreSet = false;
};

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_DEVICERUN_H
