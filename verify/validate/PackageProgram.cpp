#include "verify/validate/PackageProgram.h"

#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/FindingSource.h"
#include "tilewright/runtime/Model.h"
#include "verify/device/InterpreterDevice.h"
#include "verify/validate/Elements.h"
#include "verify/validate/FunctionBounds.h"

namespace tilewright::verify {

using namespace runtime;

namespace {

/// The package on one device, which executes it in one way.
struct Way {
  std::shared_ptr<Device> device;
  std::shared_ptr<const Model> model;
  std::unique_ptr<Session> session;
};

class PackageProgram : public Program {
public:
  PackageProgram(std::shared_ptr<const Package> package, Hints hints,
                 RunTime mostTime, int64_t mostPrograms)
      : package(std::move(package)), mostTime(mostTime),
        mostPrograms(mostPrograms) {
    near = std::move(hints);
  }
  Status begin();
  unsigned orderCount() const override { return unsigned(ways.size()); }
  bool hasFreedom() const override { return isInterpreted(); }
  StatusOr<Outcome> run(std::span<const HostTensor> inputs, unsigned order,
                        reference::Freedom freedom) override;

private:
  bool isInterpreted() const {
    return ways.front().device->info().name == interpreterName;
  }
  StatusOr<Outcome> runIn(Way &way, std::span<const HostTensor> inputs);
  Status openFree(reference::Freedom freedom);
  void addPermitted(Device &device, Outcome &outcome) const;
  void addWritten(Device &device, Outcome &outcome) const;

  std::shared_ptr<const Package> package;
  const RunTime mostTime;
  /// Of a launch; 0: all.
  int64_t mostPrograms;
  std::vector<Way> ways;
  /// That in which other results are permitted, and what it permits.
  Way free;
  reference::Freedom freeWith = reference::Freedom::none;
};

} // namespace

static std::string deviceFor(const PackageManifest &manifest) {
  if (manifest.kernels.empty())
    return "cpu";
  const std::string &target = manifest.kernels.front().target;
  return target == "cpu" || target == "interpreter" ? target : "emulator";
}

/// Whether kernels may write what only other kernels read, or nobody: poison
/// there is no fault. A single kernel writes outputs.
static bool hasMemoryBetween(const PackageManifest &manifest) {
  return manifest.steps.size() != 1;
}

/// The device for a package, once for each order of programs or warps and time
/// at which copies land.
static StatusOr<std::vector<std::shared_ptr<Device>>>
openDevices(const std::string &name, RunTime mostTime, int64_t mostPrograms,
            bool holdsPoison) {
  std::vector<std::shared_ptr<Device>> devices;
  for (uint64_t seed : {0, 1, 2, 3}) {
    const bool landsLate = seed % 2 != 0;
    if (name == interpreterName) {
      devices.push_back(makeInterpreterDevice({.orderSeed = seed / 2,
                                               .mostPrograms = mostPrograms,
                                               .copiesLandLate = landsLate,
                                               .holdsPoison = holdsPoison,
                                               .timeLimit = mostTime}));
      continue;
    }
    DeviceOptions options;
    options.threads = 1;
    options.copiesLandLate = landsLate;
    if (seed > 1)
      options.interleave = seed;
    TILEWRIGHT_ASSIGN_OR_RETURN(devices.emplace_back(),
                                openDevice(name, options));
    // The programs of a CPU do not see each other.
    if (name == "cpu")
      break;
  }
  return devices;
}

Port portOf(const InterfaceTensor &tensor) {
  Port port{tensor.name, tensor.dtype, {}};
  for (const Expression &size : tensor.shape) {
    StatusOr<int64_t> known = size.evaluate(Bindings());
    port.shape.push_back(known.ok() ? *known : -1);
    port.sizeNames.emplace_back(size.name().value_or(""));
  }
  return port;
}

Status PackageProgram::begin() {
  title = package->path().string();
  const PackageManifest &manifest = package->manifest();
  for (const InterfaceTensor &input : manifest.inputs)
    ports.inputs.push_back(portOf(input));
  for (const InterfaceTensor &output : manifest.outputs)
    ports.outputs.push_back(portOf(output));
  // What a second kernel reads all programs of the first have written.
  const std::string device = deviceFor(manifest);
  if (device != interpreterName || manifest.steps.size() != 1 ||
      !manifest.steps.front().isLaunch())
    mostPrograms = 0;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto devices,
      openDevices(device, mostTime, mostPrograms, hasMemoryBetween(manifest)));
  for (std::shared_ptr<Device> &device : devices) {
    Way &way = ways.emplace_back();
    way.device = std::move(device);
    TILEWRIGHT_ASSIGN_OR_RETURN(way.model, Model::load(way.device, package));
  }
  return {};
}

/// What a failed run was.
static Outcome failure(const Status &status, Device &device, bool tookInputs) {
  Outcome outcome;
  outcome.message = status.message();
  outcome.kind = tookInputs ? Outcome::Kind::faulted : Outcome::Kind::rejected;
  if (auto *source = dynamic_cast<FreedomSource *>(&device)) {
    const std::string what = source->takeUndetermined();
    if (!what.empty())
      return {Outcome::Kind::undetermined, what, {}};
    if (source->takeUnfinished())
      return {Outcome::Kind::unfinished, status.message(), {}};
  }
  std::vector<Finding> findings;
  if (FindingSource *source = findingSource(device))
    findings = source->takeFindings();
  if (status.code() == StatusCode::cancelled)
    outcome.kind = Outcome::Kind::unfinished;
  else if (!findings.empty() &&
           findings.front().code.find("race") != std::string::npos)
    outcome.kind = Outcome::Kind::raced;
  else if (findings.empty() && status.code() == StatusCode::invalidInput)
    outcome.kind = Outcome::Kind::rejected;
  return outcome;
}

StatusOr<Outcome> PackageProgram::runIn(Way &way,
                                        std::span<const HostTensor> inputs) {
  // A failed run may leave anything behind; and what the interpreter has not
  // written this time, it has not written.
  if (!way.session || isInterpreted()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(way.session, way.model->createSession());
    way.session->setTimeLimit(
        std::chrono::duration_cast<std::chrono::nanoseconds>(mostTime));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    Status set = way.session->setInput(ports.inputs[i].name, inputs[i]);
    if (!set.ok())
      return failure(set, *way.device, /*tookInputs=*/false);
  }
  TILEWRIGHT_RETURN_IF_ERROR(way.session->resetStates());
  Status ran = way.session->run();
  if (!ran.ok()) {
    way.session.reset();
    return failure(ran, *way.device, /*tookInputs=*/true);
  }
  Outcome outcome;
  for (const Port &output : ports.outputs) {
    StatusOr<HostTensor> tensor = way.session->output(output.name);
    if (!tensor.ok())
      return failure(tensor.status().prefixed("output '" + output.name + "'"),
                     *way.device, /*tookInputs=*/true);
    outcome.outputs.push_back(*std::move(tensor));
  }
  if (isInterpreted())
    addWritten(*way.device, outcome);
  outcome.isSample = mostPrograms > 0;
  return outcome;
}

void PackageProgram::addWritten(Device &device, Outcome &outcome) const {
  const auto &source = dynamic_cast<FreedomSource &>(device);
  for (const HostTensor &output : outcome.outputs) {
    std::vector<bool> &written = outcome.written.emplace_back();
    const size_t bytes = dtypeBytes(output.dtype());
    for (size_t i = 0; i < output.size(); ++i)
      written.push_back(source.isWritten(output.data() + i * bytes, bytes));
  }
}

StatusOr<Outcome> PackageProgram::run(std::span<const HostTensor> inputs,
                                      unsigned order,
                                      reference::Freedom freedom) {
  if (freedom == reference::Freedom::none)
    return runIn(ways[order], inputs);
  TILEWRIGHT_RETURN_IF_ERROR(openFree(freedom));
  TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome, runIn(free, inputs));
  if (outcome.kind == Outcome::Kind::completed)
    addPermitted(*free.device, outcome);
  return outcome;
}

Status PackageProgram::openFree(reference::Freedom freedom) {
  if (free.device && freeWith == freedom)
    return {};
  freeWith = freedom;
  free = {};
  free.device = makeInterpreterDevice(
      {.mostPrograms = mostPrograms,
       .holdsPoison = hasMemoryBetween(package->manifest()),
       .freedom = freedom,
       .functions = functionBounds(),
       .timeLimit = mostTime});
  TILEWRIGHT_ASSIGN_OR_RETURN(free.model, Model::load(free.device, package));
  return {};
}

void PackageProgram::addPermitted(Device &device, Outcome &outcome) const {
  const auto &source = dynamic_cast<FreedomSource &>(device);
  for (const HostTensor &output : outcome.outputs) {
    std::vector<reference::Permitted> &sets = outcome.permitted.emplace_back();
    const size_t bytes = dtypeBytes(output.dtype());
    for (size_t i = 0; i < output.size(); ++i)
      sets.push_back(
          source.permitted(output.data() + i * bytes, int64_t(bytes),
                           toDouble(output.dtype(), bitsOf(output, i))));
  }
}

StatusOr<std::unique_ptr<Program>>
makePackageProgram(std::shared_ptr<const Package> package, Hints hints,
                   RunTime mostTime, int64_t mostPrograms) {
  auto program = std::make_unique<PackageProgram>(
      std::move(package), std::move(hints), mostTime, mostPrograms);
  TILEWRIGHT_RETURN_IF_ERROR(program->begin());
  return std::unique_ptr<Program>(std::move(program));
}

} // namespace tilewright::verify
