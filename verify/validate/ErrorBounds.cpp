#include "verify/validate/ErrorBounds.h"

#include "library/model/ModelLevels.h"
#include "tilewright/runtime/Model.h"
#include "verify/device/InterpreterDevice.h"
#include "verify/validate/FunctionBounds.h"
#include "verify/validate/PackageProgram.h"

namespace tilewright::verify {

using namespace runtime;

/// The first pass that expands functions to arithmetic with tricks on bits.
static constexpr const char *kFirstUnbounded = "lower-math";

/// Runs the passes before that one.
static Status lowerToOrder(ModelLevels &levels) {
  while (levels.position() < levels.passes().size()) {
    if (levels.passes().flag(levels.position()) == kFirstUnbounded)
      return {};
    TILEWRIGHT_RETURN_IF_ERROR(levels.advance().status());
  }
  return Status::unsupported(
      levels.name() +
      ": bounds of errors are those of a CPU or a GPU, and its compilation has "
      "no pass lower-math");
}

static InterpreterOptions optionsWithErrors(const BoundOptions &given,
                                            bool areOwn) {
  InterpreterOptions options;
  options.errors = true;
  options.ownErrors = areOwn;
  options.exactLaunches = given.exactLaunches;
  options.timeLimit = given.mostTime;
  options.functions = functionBounds();
  return options;
}

namespace {
/// A device with what ran on it.
struct BoundedRun {
  std::shared_ptr<Device> device;
  std::shared_ptr<const Model> model;
  std::unique_ptr<Session> session;
  std::string undetermined;

  [[nodiscard]] ErrorSource &source() const {
    return dynamic_cast<ErrorSource &>(*device);
  }
};

class BoundedPackage : public BoundedProgram {
public:
  explicit BoundedPackage(std::shared_ptr<const Package> package)
      : package(std::move(package)) {
    for (const InterfaceTensor &input : this->package->manifest().inputs)
      ports.inputs.push_back(portOf(input));
    for (const InterfaceTensor &output : this->package->manifest().outputs)
      ports.outputs.push_back(portOf(output));
  }
  const Signature &signature() const override { return ports; }
  StatusOr<ErrorBounds> run(std::span<const HostTensor> inputs,
                            const BoundOptions &options) override;
  StatusOr<std::vector<KernelErrorBound>>
  runByKernel(std::span<const HostTensor> inputs,
              const BoundOptions &options) override;

private:
  StatusOr<BoundedRun> runOn(InterpreterOptions options,
                             std::span<const HostTensor> inputs);

  std::shared_ptr<const Package> package;
  Signature ports;
};
} // namespace

StatusOr<BoundedRun> BoundedPackage::runOn(InterpreterOptions options,
                                           std::span<const HostTensor> inputs) {
  BoundedRun run;
  run.device = makeInterpreterDevice(std::move(options));
  TILEWRIGHT_ASSIGN_OR_RETURN(run.model, Model::load(run.device, package));
  TILEWRIGHT_ASSIGN_OR_RETURN(run.session, run.model->createSession());
  for (size_t i = 0; i < inputs.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(
        run.session->setInput(ports.inputs[i].name, inputs[i]));
  TILEWRIGHT_RETURN_IF_ERROR(run.session->resetStates());
  const Status ran = run.session->run();
  run.undetermined =
      dynamic_cast<FreedomSource &>(*run.device).takeUndetermined();
  if (run.undetermined.empty())
    TILEWRIGHT_RETURN_IF_ERROR(ran);
  return run;
}

StatusOr<std::vector<KernelErrorBound>>
BoundedPackage::runByKernel(std::span<const HostTensor> inputs,
                            const BoundOptions &options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(BoundedRun run,
                              runOn(optionsWithErrors(options, true), inputs));
  std::vector<KernelErrorBound> bounds;
  if (run.undetermined.empty())
    for (auto &[kernel, bound] : run.source().takeOwnErrors())
      bounds.push_back({kernel, bound});
  return bounds;
}

StatusOr<ErrorBounds> BoundedPackage::run(std::span<const HostTensor> inputs,
                                          const BoundOptions &options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(BoundedRun run,
                              runOn(optionsWithErrors(options, false), inputs));
  ErrorBounds result;
  result.undetermined = run.undetermined;
  if (!result.undetermined.empty())
    return result;
  result.launches = run.source().launches();
  for (const Port &port : ports.outputs) {
    TILEWRIGHT_ASSIGN_OR_RETURN(HostTensor tensor,
                                run.session->output(port.name));
    BoundedOutput &output = result.outputs.emplace_back();
    const size_t bytes = dtypeBytes(tensor.dtype());
    for (size_t i = 0; i < tensor.size(); ++i)
      output.bounds.push_back(
          run.source().errorBound(tensor.data() + i * bytes, bytes));
    output.computed = std::move(tensor);
  }
  return result;
}

StatusOr<std::unique_ptr<BoundedProgram>>
BoundedProgram::open(const ModelSource &model, CompileModelOptions compile,
                     const Hook &hook) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto levels,
                              ModelLevels::open(model, std::move(compile)));
  levels->setHook(hook);
  if (levels->targets().size() > 1)
    return Status::invalidInput(
        levels->name() + ": bounds of errors are those of one target, found " +
        std::to_string(levels->targets().size()));
  TILEWRIGHT_RETURN_IF_ERROR(lowerToOrder(*levels));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto package, levels->package());
  return std::unique_ptr<BoundedProgram>(
      std::make_unique<BoundedPackage>(std::move(package)));
}

} // namespace tilewright::verify
