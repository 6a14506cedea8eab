//===- RunKernel.cpp - tilewright run K.ptx -------------------------------===//
#include "tools/tilewright/RunKernel.h"
#include "runtime/emulator/counters/Collector.h"
#include "runtime/emulator/device/Limits.h"
#include "runtime/emulator/machine/Scheduler.h"
#include "support/Format.h"
#include "tilewright/runtime/MappedFile.h"
#include "tools/tilewright/KernelProgress.h"
#include "tools/tilewright/PtxLaunch.h"
#include "tools/tilewright/RunReport.h"
#include "tools/tilewright/TimeLimit.h"

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

namespace tilewright::tool {

using emulator::Fault;

namespace {

class KernelRunner {
public:
  explicit KernelRunner(const RunKernelArguments &arguments)
      : arguments(arguments) {}
  /// The launch succeeded; otherwise Fault has the reason.
  Status run();
  [[nodiscard]] const Fault *fault() const {
    return kernel->launch.fault.get();
  }
  /// What to do about the fault; may be empty.
  [[nodiscard]] std::string advice() const;
  void report() const;

private:
  emulator::LaunchOptions options() const;
  Status load();
  Status takeOutputs();

  const RunKernelArguments &arguments;
  /// There is one as soon as run() has read its files.
  std::optional<PtxLaunch> kernel;
  std::unique_ptr<emulator::Collector> collector;
  std::string summary;
  double milliseconds = 0;
  std::vector<ModelOutput> outputs;
};

Status KernelRunner::takeOutputs() {
  if (arguments.outputDirectory.empty())
    return {};
  for (size_t i = 0; i < kernel->file.buffers.size(); ++i) {
    LaunchBuffer &buffer = kernel->file.buffers[i];
    if (buffer.output.empty())
      continue;
    kernel->takeContents(i);
    outputs.push_back({buffer.output, std::move(buffer.tensor)});
  }
  return writeOutputs(outputs, arguments.outputDirectory);
}

emulator::LaunchOptions KernelRunner::options() const {
  emulator::LaunchOptions options;
  options.checkInitialized = arguments.check.find("init") != std::string::npos;
  options.maxInstructions = arguments.maxInstructions;
  options.maxIdleInstructions = arguments.maxIdleInstructions;
  // So many MiB that bytes would not fit into a number are no limit, either.
  const bool isLimited =
      arguments.maxMemoryMiB && arguments.maxMemoryMiB <= UINT64_MAX >> 20;
  options.maxMemory = isLimited ? arguments.maxMemoryMiB << 20 : UINT64_MAX;
  options.threads = arguments.threads;
  options.blocks = arguments.blocks;
  options.seed = arguments.seed;
  options.perturbs = arguments.seed != 0;
  options.copiesLandLate = arguments.copiesLandLate;
  options.interleave = arguments.interleave;
  return options;
}

Status KernelRunner::load() {
  TILEWRIGHT_RETURN_IF_ERROR(emulator::checkHostThreads(arguments.threads));
  TILEWRIGHT_ASSIGN_OR_RETURN(LaunchFile file,
                              readLaunchFile(arguments.launch));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string text,
                              runtime::readFile(arguments.file));
  kernel.emplace(arguments.file, arguments.launch, std::move(file), options());
  return kernel->load(text);
}

Status KernelRunner::run() {
  TILEWRIGHT_RETURN_IF_ERROR(load());
  emulator::Launch &launch = kernel->launch;
  if (arguments.counters.any())
    collector = std::make_unique<emulator::Collector>(launch);
  launch.prints = kernelPrints(arguments.json);
  TILEWRIGHT_ASSIGN_OR_RETURN(std::unique_ptr<TimeLimit> limit,
                              TimeLimit::call(arguments.timeLimit, [&] {
                                launch.interrupt(
                                    TimeLimit::message(arguments.timeLimit));
                              }));
  auto start = std::chrono::steady_clock::now();
  {
    KernelProgress shown;
    launch.progress = [&](const emulator::LaunchProgress &progress) {
      shown.update(progress);
    };
    emulator::run(launch);
  }
  limit.reset();
  launch.endPrints();
  milliseconds = std::chrono::duration<double, std::milli>(
                     std::chrono::steady_clock::now() - start)
                     .count();
  if (launch.fault)
    return {};
  TILEWRIGHT_RETURN_IF_ERROR(takeOutputs());
  if (!collector)
    return {};
  const emulator::KernelCounters counters = collector->counters();
  summary = emulator::summaryText(counters);
  return writeReports(arguments.counters, counters);
}

std::string KernelRunner::advice() const {
  const emulator::Launch &launch = kernel->launch;
  const bool hasRunFar =
      arguments.maxInstructions && launch.executed > arguments.maxInstructions;
  if (fault()->code != emulator::FaultCode::limit || hasRunFar ||
      launch.interrupted)
    return "";
  return "  a kernel that computes for so long needs a larger "
         "--max-idle-instructions\n";
}

void KernelRunner::report() const {
  if (arguments.json) {
    nlohmann::ordered_json object = {
        {"outputs", toJson(outputs)},
        {"run_ms", milliseconds},
        {"warp_instructions", kernel->launch.executed.load()},
        {"findings", nlohmann::ordered_json::array()}};
    printObject(object);
    return;
  }
  for (const ModelOutput &output : outputs)
    print(output);
  std::printf("  run %.3f ms, %.3f M instructions of warps\n", milliseconds,
              double(kernel->launch.executed.load()) / 1e6);
  if (arguments.counters.summary)
    std::printf("%s", summary.c_str());
}

int reportFault(const RunKernelArguments &arguments, const Fault &fault) {
  std::string code(emulator::faultName(fault.code));
  if (arguments.json) {
    nlohmann::ordered_json finding = {{"code", code},
                                      {"message", fault.message},
                                      {"file", arguments.file},
                                      {"line", fault.at.line},
                                      {"column", fault.at.column},
                                      {"source_file", fault.sourceFile},
                                      {"source_line", fault.sourceLine},
                                      {"source_column", fault.sourceColumn},
                                      {"function", fault.function},
                                      {"block", fault.block},
                                      {"warp", fault.warp},
                                      {"lane", fault.lane},
                                      {"address", fault.address}};
    printObject({{"findings", {finding}}});
  }
  // At the source line from `.loc`, if any.
  auto location = [](const std::string &file, uint32_t line, uint32_t column) {
    return format("{}:{}:{}", {file, line, column});
  };
  const std::string ptx =
      location(arguments.file, fault.at.line, fault.at.column);
  const bool hasSource = !fault.sourceFile.empty();
  const std::string where =
      hasSource
          ? location(fault.sourceFile, fault.sourceLine, fault.sourceColumn)
          : ptx;
  std::cerr << printable(format("{}: error: {}: {}\n  {}{}\n",
                                {where, code, fault.message,
                                 hasSource ? ptx + ", " : "", fault.where()}));
  return isFinding(fault.code) ? exitFinding : exitInput;
}
} // namespace

int runKernel(const RunKernelArguments &arguments) {
  KernelRunner runner(arguments);
  if (Status status = runner.run(); !status.ok())
    return fail(status);
  if (runner.fault()) {
    const int code = reportFault(arguments, *runner.fault());
    std::cerr << runner.advice();
    return code;
  }
  runner.report();
  return exitGood;
}

} // namespace tilewright::tool
