//===- RunKernel.cpp - tilewright run K.ptx -------------------------------===//
#include "tools/tilewright/RunKernel.h"
#include "runtime/emulator/counters/Collector.h"
#include "runtime/emulator/device/Limits.h"
#include "runtime/emulator/device/LoadedModule.h"
#include "runtime/emulator/machine/Scheduler.h"
#include "support/Format.h"
#include "tilewright/runtime/MappedFile.h"
#include "tools/tilewright/KernelProgress.h"
#include "tools/tilewright/LaunchFile.h"
#include "tools/tilewright/RunReport.h"
#include "tools/tilewright/TimeLimit.h"

#include <chrono>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>

namespace tilewright::tool {

using emulator::Allocation;
using emulator::Fault;

namespace {

class KernelRunner {
public:
  explicit KernelRunner(const RunKernelArguments &arguments)
      : arguments(arguments) {}
  /// The launch succeeded; otherwise Fault has the reason.
  Status run();
  [[nodiscard]] const Fault *fault() const { return launch.fault.get(); }
  /// What to do about the fault; may be empty.
  [[nodiscard]] std::string advice() const;
  void report() const;

private:
  Status load();
  Status allocate();
  Status setParameters();
  Status takeOutputs();

  const RunKernelArguments &arguments;
  LaunchFile file;
  emulator::GlobalMemory memory;
  std::shared_ptr<emulator::LoadedModule> module;
  std::vector<std::shared_ptr<Allocation>> allocations;
  emulator::Launch launch;
  std::unique_ptr<emulator::Collector> collector;
  std::string summary;
  double milliseconds = 0;
  std::vector<ModelOutput> outputs;
};

Status KernelRunner::load() {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string text,
                              runtime::readFile(arguments.file));
  auto at = [&](const Status &status) {
    return Status(status.code(),
                  format("{}:{}", {arguments.file, status.message()}));
  };
  auto loaded = emulator::LoadedModule::load(memory, text);
  if (!loaded)
    return at(loaded.status());
  module = *loaded;
  auto program = module->program(file.entry);
  if (!program)
    return program.status().code() == StatusCode::notFound
               ? program.status().prefixed(arguments.file)
               : at(program.status());
  launch.program = *program;
  emulator::LaunchShape &shape = file.shape;
  if (shape.cluster == emulator::Dim3{1, 1, 1})
    shape.cluster = emulator::prescribedCluster(**program);
  TILEWRIGHT_RETURN_IF_ERROR(emulator::checkBlock(**program, shape));
  TILEWRIGHT_RETURN_IF_ERROR(emulator::checkGrid(shape));
  launch.grid = shape.grid;
  launch.block = shape.block;
  launch.cluster = shape.cluster;
  launch.dynamicShared = shape.dynamicShared;
  return {};
}

Status KernelRunner::allocate() {
  bool tracked = launch.options.checkInitialized;
  for (const LaunchBuffer &buffer : file.buffers) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        auto allocation, memory.allocate(buffer.tensor.bytes(), tracked));
    if (buffer.initialized) {
      if (buffer.tensor.bytes())
        std::memcpy(allocation->host, buffer.tensor.data(),
                    buffer.tensor.bytes());
      if (tracked)
        emulator::markWritten(allocation->written, 0, buffer.tensor.bytes());
    }
    allocations.push_back(std::move(allocation));
  }
  return {};
}

/// Section 7.1 of the PTX manual: parameters one behind another, aligned.
Status KernelRunner::setParameters() {
  const emulator::Function &kernel = launch.program->kernel();
  if (kernel.parameters.size() != file.arguments.size())
    return Status::invalidInput(
        format("{}: args: expected {} arguments ({}'s parameters), found {}",
               {arguments.launch, kernel.parameters.size(), kernel.name,
                file.arguments.size()}));
  launch.parameters.resize(kernel.parameterBytes);
  for (size_t i = 0; i < file.arguments.size(); ++i) {
    LaunchArgument &argument = file.arguments[i];
    const emulator::Parameter &parameter = kernel.parameters[i];
    if (argument.kind == LaunchArgument::Kind::buffer) {
      uint64_t address = allocations[argument.buffer]->address;
      argument.bytes.resize(8);
      std::memcpy(argument.bytes.data(), &address, 8);
    } else if (argument.kind == LaunchArgument::Kind::tensorMap) {
      argument.map.address = allocations[argument.buffer]->address;
      argument.bytes.resize(emulator::tensorMapBytes);
      emulator::write(
          argument.map,
          std::span<std::byte, emulator::tensorMapBytes>(argument.bytes));
    }
    if (argument.bytes.size() != parameter.bytes)
      return Status::invalidInput(
          format("{}: args[{}]: expected {} bytes for parameter '{}', found {}",
                 {arguments.launch, i, parameter.bytes, parameter.name,
                  argument.bytes.size()}));
    std::memcpy(launch.parameters.data() + parameter.offset,
                argument.bytes.data(), parameter.bytes);
  }
  return {};
}

Status KernelRunner::takeOutputs() {
  if (arguments.outputDirectory.empty())
    return {};
  for (size_t i = 0; i < file.buffers.size(); ++i) {
    LaunchBuffer &buffer = file.buffers[i];
    if (buffer.output.empty())
      continue;
    if (allocations[i]->bytes)
      std::memcpy(buffer.tensor.data(), allocations[i]->host,
                  allocations[i]->bytes);
    outputs.push_back({buffer.output, std::move(buffer.tensor)});
  }
  return writeOutputs(outputs, arguments.outputDirectory);
}

Status KernelRunner::run() {
  TILEWRIGHT_RETURN_IF_ERROR(emulator::checkHostThreads(arguments.threads));
  launch.options.checkInitialized =
      arguments.check.find("init") != std::string::npos;
  launch.options.maxInstructions = arguments.maxInstructions;
  launch.options.maxIdleInstructions = arguments.maxIdleInstructions;
  // So many MiB that bytes would not fit into a number are no limit, either.
  const bool isLimited =
      arguments.maxMemoryMiB && arguments.maxMemoryMiB <= UINT64_MAX >> 20;
  launch.options.maxMemory =
      isLimited ? arguments.maxMemoryMiB << 20 : UINT64_MAX;
  launch.options.threads = arguments.threads;
  launch.options.blocks = arguments.blocks;
  launch.options.seed = arguments.seed;
  launch.options.perturbs = arguments.seed != 0;
  launch.options.copiesLandLate = arguments.copiesLandLate;
  launch.options.interleave = arguments.interleave;
  TILEWRIGHT_ASSIGN_OR_RETURN(file, readLaunchFile(arguments.launch));
  TILEWRIGHT_RETURN_IF_ERROR(load());
  TILEWRIGHT_RETURN_IF_ERROR(allocate());
  TILEWRIGHT_RETURN_IF_ERROR(setParameters());
  launch.memory = memory.snapshot();
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
        {"warp_instructions", launch.executed.load()},
        {"findings", nlohmann::ordered_json::array()}};
    printObject(object);
    return;
  }
  for (const ModelOutput &output : outputs)
    print(output);
  std::printf("  run %.3f ms, %.3f M instructions of warps\n", milliseconds,
              double(launch.executed.load()) / 1e6);
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
