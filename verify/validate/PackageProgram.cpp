#include "verify/validate/PackageProgram.h"

#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/FindingSource.h"
#include "tilewright/runtime/Model.h"
#include "verify/device/InterpreterDevice.h"

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
  PackageProgram(std::shared_ptr<const Package> package, Hints hints)
      : package(std::move(package)) {
    near = std::move(hints);
  }
  Status begin();
  unsigned orderCount() const override { return unsigned(ways.size()); }
  StatusOr<Outcome> run(std::span<const HostTensor> inputs, unsigned order,
                        reference::Freedom freedom) override;

private:
  StatusOr<Outcome> runIn(Way &way, std::span<const HostTensor> inputs);

  std::shared_ptr<const Package> package;
  std::vector<Way> ways;
};

/// A run in which nobody's patience is left.
constexpr std::chrono::seconds mostTime(20);

} // namespace

static std::string deviceFor(const PackageManifest &manifest) {
  if (manifest.kernels.empty())
    return "cpu";
  const std::string &target = manifest.kernels.front().target;
  return target == "cpu" || target == "interpreter" ? target : "emulator";
}

/// The device for a package, once for each order of programs or warps and time
/// at which copies land.
static StatusOr<std::vector<std::shared_ptr<Device>>>
openDevices(const std::string &name) {
  std::vector<std::shared_ptr<Device>> devices;
  for (uint64_t seed : {0, 1, 2, 3}) {
    const bool landsLate = seed % 2 != 0;
    if (name == interpreterName) {
      devices.push_back(makeInterpreterDevice(
          {.orderSeed = seed / 2, .copiesLandLate = landsLate}));
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

static Port portOf(const InterfaceTensor &tensor) {
  Port port{tensor.name, tensor.dtype, {}};
  for (const Expression &size : tensor.shape) {
    StatusOr<int64_t> known = size.evaluate(Bindings());
    port.shape.push_back(known.ok() ? *known : -1);
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
  TILEWRIGHT_ASSIGN_OR_RETURN(auto devices, openDevices(deviceFor(manifest)));
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
  // A failed run may leave anything behind.
  if (!way.session) {
    TILEWRIGHT_ASSIGN_OR_RETURN(way.session, way.model->createSession());
    way.session->setTimeLimit(mostTime);
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
    TILEWRIGHT_ASSIGN_OR_RETURN(outcome.outputs.emplace_back(),
                                way.session->output(output.name));
  }
  return outcome;
}

StatusOr<Outcome> PackageProgram::run(std::span<const HostTensor> inputs,
                                      unsigned order, reference::Freedom) {
  return runIn(ways[order], inputs);
}

StatusOr<std::unique_ptr<Program>>
makePackageProgram(std::shared_ptr<const Package> package, Hints hints) {
  auto program =
      std::make_unique<PackageProgram>(std::move(package), std::move(hints));
  TILEWRIGHT_RETURN_IF_ERROR(program->begin());
  return std::unique_ptr<Program>(std::move(program));
}

} // namespace tilewright::verify
