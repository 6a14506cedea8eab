//===- RunModel.cpp - tilewright run MODEL | KERNEL | PACKAGE -------------===//
#include "tools/tilewright/RunModel.h"

#include "support/Format.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/RunReport.h"
#include "tools/tilewright/RunStop.h"
#include "tools/tilewright/TemporaryFolder.h"
#include "tools/tilewright/TensorFile.h"
#include "tools/tilewright/Usage.h"

#include <algorithm>
#include <chrono>
#include <iostream>

namespace tilewright::tool {

namespace {
class Runner {
public:
  /// Before the devices, whose threads must not get its signals.
  explicit Runner(const RunArguments &arguments)
      : arguments(arguments), stop([this] { removeTemporary(); }) {}
  /// Errors: what is wrong with the input, or what a device found.
  Status run() {
    Status status = runUnlessStopped();
    Status stopped = stop.finish();
    return status.ok() ? stopped : status;
  }
  [[nodiscard]] const std::vector<runtime::Finding> &found() const {
    return findings;
  }

private:
  Status runUnlessStopped();
  Status readInputs();
  Status readElements(const std::string &name, const std::string &file);
  Status openDevices();
  StatusOr<std::vector<std::vector<std::string>>> targets() const;
  Status compileOnce(const std::filesystem::path &package);
  Status compile();
  Status runDevices();
  Status writeResults();
  void report();
  void removeTemporary() const {
    if (temporary)
      temporary->remove();
  }

  const RunArguments &arguments;
  UserInputs given;
  /// Of a model's package; null for what is compiled already.
  std::unique_ptr<TemporaryFolder> temporary;
  std::filesystem::path package;
  std::vector<std::shared_ptr<runtime::Device>> devices;
  std::vector<DeviceRun> runs;
  std::vector<runtime::Finding> findings;
  double compileMs = 0;
  RunStop stop;
};
} // namespace

/// The tensors in a file are the elements "x[0]", "x[1]", .. of "x[]".
Status Runner::readElements(const std::string &name, const std::string &file) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<runtime::HostTensor> tensors,
                              readSequence(file));
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::string element =
        format("{}{}]", {name.substr(0, name.size() - 1), i});
    if (given.files.count(element))
      throw UsageError(
          format("--input {} gives what --input {} gives too; leave one out",
                 {name, element}));
    given.data.tensors[element] = std::move(tensors[i]);
    given.files[element] = file;
  }
  given.data.shapes[name] = {int64_t(tensors.size())};
  return {};
}

Status Runner::readInputs() {
  given.scalars = parseAssignments(arguments.scalars, "--scalar");
  TILEWRIGHT_ASSIGN_OR_RETURN(
      given.data.shapes, parseShapes(arguments.shapes, OpenSizes::Rejected));
  for (const auto &[name, file] :
       parseAssignments(arguments.inputs, "--input")) {
    for (const bool isTwice :
         {given.data.shapes.count(name) > 0, given.scalars.count(name) > 0})
      if (isTwice)
        throw UsageError(format("--input {} gives what --input-shape or "
                                "--scalar {} gives too; leave one out",
                                {name, name}));
    if (isLength(name)) {
      TILEWRIGHT_RETURN_IF_ERROR(readElements(name, file));
      continue;
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(given.data.tensors[name], readTensor(file));
    given.files[name] = file;
  }
  for (const auto &[name, text] : given.scalars)
    if (given.data.shapes.count(name))
      throw UsageError(format(
          "--scalar {} gives what --input-shape {} gives too; leave one out",
          {name, name}));
  return {};
}

Status Runner::openDevices() {
  runtime::DeviceOptions options;
  options.threads = arguments.threads;
  options.prints = kernelPrints(arguments.json);
  options.copiesLandLate = arguments.landing == "late";
  options.interleave = arguments.interleave;
  for (const std::string &name : arguments.devices) {
    const std::string kind = name.substr(0, name.find(':'));
    std::vector<std::string> kinds = runtime::DeviceRegistry::builtin().kinds();
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
      throw UsageError(
          format("--device: there is no device '{}'{}\n  the devices are {}",
                 {name, didYouMean(kind, kinds), joined(kinds)}));
    TILEWRIGHT_ASSIGN_OR_RETURN(devices.emplace_back(),
                                runtime::openDevice(name, options));
  }
  return {};
}

/// A device does not list targets that it may run and plug-ins add.
static bool runsAdded(const runtime::Device &device,
                      const RunArguments &arguments) {
  runtime::KernelManifest smallest;
  smallest.target = arguments.target;
  smallest.image = "kernel.ptx";
  return addsTarget(arguments.plugins.get(), arguments.target) &&
         device.accepts(smallest).ok();
}

/// For each device the targets that it runs, best first; --target is the only
/// one of the devices that run it.
StatusOr<std::vector<std::vector<std::string>>> Runner::targets() const {
  std::vector<std::vector<std::string>> all;
  bool isRun = arguments.target.empty();
  std::vector<std::string> known;
  for (const auto &device : devices) {
    const std::vector<std::string> &own = device->info().targets;
    known.insert(known.end(), own.begin(), own.end());
    const bool takes =
        std::find(own.begin(), own.end(), arguments.target) != own.end() ||
        runsAdded(*device, arguments);
    isRun |= takes;
    all.push_back(takes ? std::vector{arguments.target} : own);
  }
  if (!isRun)
    throw UsageError(
        format("--target: no device here runs '{}'{}\n"
               "  the targets of {} are {}",
               {arguments.target, didYouMean(arguments.target, known),
                joined(arguments.devices), joined(known)}));
  return all;
}

Status Runner::compileOnce(const std::filesystem::path &output) {
  CompileForRun how;
  TILEWRIGHT_ASSIGN_OR_RETURN(how.targets, targets());
  how.plugins = arguments.plugins;
  how.fastMath = arguments.fastMath;
  how.precision = arguments.precision;
  const bool isKernel = isKernelFile(arguments.model, arguments.plugins.get());
  how.kernel = isKernel ? arguments.kernel : "";
  // The emulator's findings and counters use the source's lines.
  for (const auto &device : devices)
    how.lineInfo |= device->info().name.starts_with("emulator");
  auto start = std::chrono::steady_clock::now();
  Status compiled = compileForRun(arguments.model, output, how, given.data);
  compileMs += std::chrono::duration<double, std::milli>(
                   std::chrono::steady_clock::now() - start)
                   .count();
  return compiled;
}

/// Compiles the model into a temporary package, if it is none.
Status Runner::compile() {
  package = arguments.model;
  if (isPackage(package))
    return {};
  package = temporary->path /
            (given.data.fixShapes ? "model-for-shapes.twp" : "model.twp");
  return compileOnce(package);
}

Status Runner::runDevices() {
  runs.clear();
  for (const auto &device : devices) {
    DeviceRun &run = runs.emplace_back(DeviceRun{.device = device});
    Status status = runPackage(package, arguments, given, stop, run);
    findings = run.findings;
    if (status.code() == StatusCode::unsupported && !temporary)
      return Status::unsupported(
          format("{}\n  compile it for the device: --target {}",
                 {status.message(), device->info().targets.front()}));
    TILEWRIGHT_RETURN_IF_ERROR(status);
    if (runs.size() > 1)
      compareOutputs(run, runs.front());
  }
  return {};
}

/// Outputs of several devices have a folder each.
Status Runner::writeResults() {
  for (DeviceRun &run : runs) {
    std::filesystem::path directory = arguments.outputDirectory;
    if (runs.size() > 1)
      directory /= fileName(run.name());
    if (!arguments.outputDirectory.empty())
      TILEWRIGHT_RETURN_IF_ERROR(writeOutputs(run.outputs, directory));
    TILEWRIGHT_RETURN_IF_ERROR(writeCounters(run, arguments));
  }
  return {};
}

void Runner::report() {
  if (arguments.json) {
    nlohmann::ordered_json object = toJson(runs.front());
    if (runs.size() > 1) {
      object = {{"devices", nlohmann::ordered_json::array()}};
      for (const DeviceRun &run : runs)
        object["devices"].push_back(toJson(run));
    }
    object["compile_ms"] = compileMs;
    printObject(object);
    return;
  }
  if (compileMs > 0)
    std::printf("  compile %.0f ms\n", compileMs);
  for (const DeviceRun &run : runs) {
    if (runs.size() > 1)
      std::printf("%s\n", run.name().c_str());
    print(run, arguments.counters.summary);
  }
}

Status Runner::runUnlessStopped() {
  TILEWRIGHT_RETURN_IF_ERROR(readInputs());
  if (!isPackage(arguments.model)) {
    TILEWRIGHT_ASSIGN_OR_RETURN(temporary, TemporaryFolder::create());
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(std::unique_ptr<TimeLimit> limit,
                              TimeLimit::start(arguments.timeLimit,
                                               arguments.model,
                                               [this] { removeTemporary(); }));
  TILEWRIGHT_RETURN_IF_ERROR(openDevices());
  auto start = [&]() -> Status {
    TILEWRIGHT_RETURN_IF_ERROR(compile());
    return runDevices();
  };
  Status started = start();
  // A model that cannot be compiled for all shapes, or does not hold for these,
  // is compiled for these.
  const bool isForShapes = runs.empty() || runs.back().tookInputs;
  if (!started.ok() && stop.check().ok() && findings.empty() &&
      !given.data.tensors.empty() && isForShapes &&
      needsShapes(arguments.model, arguments.plugins.get())) {
    given.data.fixShapes = true;
    started = start();
  }
  TILEWRIGHT_RETURN_IF_ERROR(started);
  limit.reset(); // What is written, is written whole.
  TILEWRIGHT_RETURN_IF_ERROR(stop.finish());
  TILEWRIGHT_RETURN_IF_ERROR(writeResults());
  report();
  return {};
}

static nlohmann::ordered_json toJson(const runtime::Finding &finding) {
  return {{"code", finding.code},
          {"message", finding.message},
          {"kernel", finding.kernel},
          {"line", finding.line},
          {"column", finding.column},
          {"source_file", finding.source.file},
          {"source_line", finding.source.line},
          {"source_column", finding.source.column},
          {"function", finding.function},
          {"block", finding.block},
          {"warp", finding.warp},
          {"lane", finding.lane},
          {"address", finding.address}};
}

int runModel(const RunArguments &arguments) {
  Runner runner(arguments);
  Status status = runner.run();
  if (status.ok())
    return exitGood;
  if (runner.found().empty())
    return fail(status);
  if (arguments.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const runtime::Finding &finding : runner.found())
      list.push_back(toJson(finding));
    printObject({{"findings", list}});
  }
  fail(status);
  return exitFinding;
}

} // namespace tilewright::tool
