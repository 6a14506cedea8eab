//===- DeviceRun.cpp - One run of a package on one device -----------------===//
#include "tools/tilewright/DeviceRun.h"

#include "runtime/emulator/device/KernelTotals.h"
#include "tools/tilewright/TensorFile.h"
#include "tools/tilewright/Usage.h"

#include <chrono>

namespace tilewright::tool {

using runtime::HostTensor;
using runtime::InterfaceTensor;

static Status measure(runtime::Session &session, const RunArguments &arguments,
                      RunStop &stop, DeviceRun &run) {
  const RunStop::Watch watch(stop, session);
  using Clock = std::chrono::steady_clock;
  // The first of several runs is counted.
  emulator::KernelTotals *counters =
      arguments.counters.any() ? emulator::kernelTotals(*run.device) : nullptr;
  for (unsigned i = 0; i < arguments.repeat; ++i) {
    if (counters)
      counters->setSumming(i == 0);
    TILEWRIGHT_RETURN_IF_ERROR(stop.check());
    // Each run begins with the initial states, as the first one does.
    TILEWRIGHT_RETURN_IF_ERROR(session.resetStates());
    auto start = Clock::now();
    TILEWRIGHT_RETURN_IF_ERROR(session.run());
    run.runMs.push_back(
        std::chrono::duration<double, std::milli>(Clock::now() - start)
            .count());
  }
  if (counters) {
    counters->setSumming(false);
    run.totals = counters->takeTotals();
  }
  if (arguments.profile) {
    TILEWRIGHT_RETURN_IF_ERROR(session.resetStates());
    TILEWRIGHT_ASSIGN_OR_RETURN(run.profile, session.profile());
  }
  return {};
}

static Status takeOutputs(runtime::Session &session, DeviceRun &run) {
  for (const InterfaceTensor &output : session.model().manifest().outputs) {
    TILEWRIGHT_ASSIGN_OR_RETURN(HostTensor tensor, session.output(output.name));
    run.outputs.push_back({output.name, std::move(tensor)});
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::MemoryUse memory, session.memoryUse());
  run.peakBytes =
      memory.interface + memory.weights + memory.arena + memory.states;
  return {};
}

Status runPackage(const std::filesystem::path &package,
                  const RunArguments &arguments, const UserInputs &given,
                  RunStop &stop, DeviceRun &run) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<const runtime::Model> model,
                              runtime::Model::load(run.device, package));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::unique_ptr<runtime::Session> session,
                              model->createSession());
  TILEWRIGHT_ASSIGN_OR_RETURN(bool isRandom,
                              setInputs(*session, given, arguments.seed));
  if (isRandom)
    run.seed = arguments.seed;
  else if (arguments.seedGiven)
    throw UsageError("--seed has no effect here: each input is given");
  run.tookInputs = true;
  Status measured = measure(*session, arguments, stop, run);
  if (runtime::FindingSource *source = runtime::findingSource(*run.device))
    run.findings = source->takeFindings();
  TILEWRIGHT_RETURN_IF_ERROR(measured);
  return takeOutputs(*session, run);
}

void compareOutputs(DeviceRun &run, const DeviceRun &first) {
  for (size_t i = 0; i < run.outputs.size(); ++i)
    run.outputs[i].difference = describeDifference(
        run.outputs[i].tensor, first.outputs[i].tensor, first.name());
}

} // namespace tilewright::tool
