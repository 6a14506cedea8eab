//===- ScheduleFile.cpp - Schedules, X.tws: run and verify ----------------===//
#include "tools/tilewright/ScheduleFile.h"

#include "spatial/program/Schedule.h"
#include "spatial/simulator/Simulator.h"
#include "support/Format.h"
#include "tools/tilewright/ModelInputs.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/RunReport.h"
#include "tools/tilewright/TensorFile.h"
#include "tools/tilewright/TimeLimit.h"
#include "tools/tilewright/Usage.h"
#include "verify/spatial/VerifySchedule.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>

namespace tilewright::tool {

using nlohmann::ordered_json;
using spatial::Finding;
using spatial::Schedule;

bool isScheduleFile(const std::filesystem::path &path) {
  return spatial::isSchedule(path);
}

void requireScheduleOptions(const CLI::App &command,
                            std::initializer_list<std::string_view> options) {
  for (const CLI::Option *option : command.get_options()) {
    const bool isPositional = option->get_lnames().empty();
    const std::string name =
        isPositional ? option->get_name(true) : option->get_name();
    if (option->count() && std::ranges::find(options, name) == options.end())
      throw UsageError(format("{} is not for a schedule\n"
                              "  of a schedule there are {}",
                              {name, joined(options)}));
  }
}

//===--- Findings ---------------------------------------------------------===//

/// More are of little use: the first one explains them.
static constexpr size_t mostFindings = 20;

static ordered_json toJson(const std::vector<Finding> &findings) {
  ordered_json list = ordered_json::array();
  for (const Finding &finding : findings)
    list.push_back({{"code", spatial::findingName(finding.code)},
                    {"cycle", finding.cycle},
                    {"chip", finding.chip},
                    {"queue", finding.queue},
                    {"file", finding.file},
                    {"line", finding.line},
                    {"message", finding.message}});
  return list;
}

/// Prints them, with --json on the standard output, too.
static int failFindings(std::vector<Finding> findings,
                        const std::filesystem::path &path, bool json) {
  if (json)
    printObject({{"findings", toJson(findings)}});
  for (Finding &finding : findings) {
    finding.file = (path / finding.file).string();
    std::cerr << printable(spatial::printFinding(finding)) << "\n";
  }
  if (findings.size() >= mostFindings)
    std::cerr << "  there may be more than these " << mostFindings << "\n";
  return exitFinding;
}

static std::string describeLength(const Schedule &schedule, int64_t cycles) {
  return format(
      "{} on {}, {} us at {} MHz",
      {counted(cycles, "cycle"), schedule.machine.name,
       formatGeneral(double(cycles) / schedule.machine.clockHz * 1e6, 4),
       formatGeneral(schedule.machine.clockHz * 1e-6, 6)});
}

//===--- run --------------------------------------------------------------===//

namespace {
struct ScheduleInputs {
  std::vector<runtime::HostTensor> tensors;
  /// Whether one is random.
  bool isRandom = false;
};
} // namespace

/// Checks that each name on the command line is an input.
static Status checkNames(const Schedule &schedule,
                         const std::map<std::string, std::string> &given,
                         const char *option) {
  std::vector<std::string> known;
  for (const spatial::Interface &input : schedule.inputs)
    known.push_back(input.name);
  for (const auto &[name, text] : given)
    if (std::ranges::find(known, name) == known.end())
      return Status::notFound(
          format("{}: there is no input '{}'{}\n  the inputs are {}",
                 {option, name, didYouMean(name, known), joined(known)}));
  return {};
}

/// The tensor of one file, which must be the input's.
static StatusOr<runtime::HostTensor> readInput(const spatial::Interface &input,
                                               const std::string &file) {
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::HostTensor tensor, readTensor(file));
  TILEWRIGHT_ASSIGN_OR_RETURN(tensor, takenAs(input.dtype, tensor));
  if (tensor.dtype() == input.dtype && tensor.shape() == input.shape)
    return tensor;
  return Status::invalidInput(format(
      "{}: input '{}': expected {} {}, found {} {}",
      {file, input.name, runtime::dtypeName(input.dtype),
       runtime::printShape(input.shape), runtime::dtypeName(tensor.dtype()),
       runtime::printShape(tensor.shape())}));
}

static StatusOr<ScheduleInputs> takeInputs(const Schedule &schedule,
                                           const RunArguments &arguments) {
  auto files = parseAssignments(arguments.inputs, "--input");
  auto scalars = parseAssignments(arguments.scalars, "--scalar");
  TILEWRIGHT_RETURN_IF_ERROR(checkNames(schedule, files, "--input"));
  TILEWRIGHT_RETURN_IF_ERROR(checkNames(schedule, scalars, "--scalar"));
  std::mt19937_64 generator(arguments.seed);
  ScheduleInputs inputs;
  for (const spatial::Interface &input : schedule.inputs) {
    auto file = files.find(input.name);
    auto scalar = scalars.find(input.name);
    if (file != files.end() && scalar != scalars.end())
      throw UsageError(format("--input {} gives what --scalar {} gives too; "
                              "leave one out",
                              {input.name, input.name}));
    if (scalar != scalars.end() && !input.shape.empty())
      return Status::invalidInput(format(
          "--scalar {}: the input is a tensor, {}; give --input {}=FILE.npy",
          {input.name, runtime::printShape(input.shape), input.name}));
    auto take = [&]() -> StatusOr<runtime::HostTensor> {
      if (file != files.end())
        return readInput(input, file->second);
      if (scalar != scalars.end())
        return scalarTensor(input.name, input.dtype, scalar->second);
      inputs.isRandom = true;
      return randomTensor(input.dtype, input.shape, generator);
    };
    TILEWRIGHT_ASSIGN_OR_RETURN(inputs.tensors.emplace_back(), take());
  }
  return inputs;
}

/// What a run says, as text or as JSON.
static void reportRun(const Schedule &schedule, const RunArguments &arguments,
                      const spatial::SimulationResult &result,
                      const std::vector<ModelOutput> &outputs, bool isRandom,
                      double ms) {
  if (arguments.json) {
    ordered_json object = {{"cycles", result.cycles},
                           {"interval", schedule.interval},
                           {"outputs", toJson(outputs)},
                           {"ms", ms}};
    if (isRandom)
      object["seed"] = arguments.seed;
    printObject(object);
    return;
  }
  if (isRandom)
    std::printf("  random input, seed %llu\n",
                static_cast<unsigned long long>(arguments.seed));
  for (const ModelOutput &output : outputs)
    print(output);
  std::printf("  %s; simulated in %.1f ms\n",
              printable(describeLength(schedule, result.cycles)).c_str(), ms);
}

static StatusOr<int> simulateFile(const RunArguments &arguments) {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      std::unique_ptr<TimeLimit> limit,
      TimeLimit::start(arguments.timeLimit, arguments.model, [] {}));
  TILEWRIGHT_ASSIGN_OR_RETURN(Schedule schedule,
                              spatial::readSchedule(arguments.model));
  TILEWRIGHT_ASSIGN_OR_RETURN(ScheduleInputs inputs,
                              takeInputs(schedule, arguments));
  std::vector<runtime::TensorView> views(inputs.tensors.begin(),
                                         inputs.tensors.end());
  auto start = std::chrono::steady_clock::now();
  spatial::SimulationOptions options;
  options.mostFindings = mostFindings;
  TILEWRIGHT_ASSIGN_OR_RETURN(spatial::SimulationResult result,
                              spatial::simulate(schedule, views, options));
  const double ms = std::chrono::duration<double, std::milli>(
                        std::chrono::steady_clock::now() - start)
                        .count();
  limit.reset(); // What is written, is written whole.
  if (!result.findings.empty())
    return failFindings(std::move(result.findings), arguments.model,
                        arguments.json);
  std::vector<ModelOutput> outputs;
  for (size_t i = 0; i < result.outputs.size(); ++i)
    outputs.push_back({schedule.outputs[i].name, result.outputs[i]});
  if (!arguments.outputDirectory.empty())
    TILEWRIGHT_RETURN_IF_ERROR(
        writeOutputs(outputs, arguments.outputDirectory));
  reportRun(schedule, arguments, result, outputs, inputs.isRandom, ms);
  return exitGood;
}

int runSchedule(const CLI::App &command, const RunArguments &arguments) {
  requireScheduleOptions(command, {"MODEL", "--input", "--scalar", "--seed",
                                   "--output-dir", "--time-limit", "--json"});
  StatusOr<int> code = simulateFile(arguments);
  return code.ok() ? *code : fail(code.status());
}

//===--- verify -----------------------------------------------------------===//

int verifySchedule(const std::filesystem::path &path, bool json,
                   double timeLimit) {
  StatusOr<std::unique_ptr<TimeLimit>> limit =
      TimeLimit::start(timeLimit, path.string(), [] {});
  if (!limit.ok())
    return fail(limit.status());
  StatusOr<Schedule> schedule = spatial::readSchedule(path);
  if (!schedule.ok())
    return fail(schedule.status());
  verify::ScheduleVerdict verdict =
      verify::verifySchedule(*schedule, mostFindings);
  if (!verdict.findings.empty())
    return failFindings(std::move(verdict.findings), path, json);
  if (json)
    printObject({{"findings", ordered_json::array()},
                 {"cycles", verdict.cycles},
                 {"interval", schedule->interval}});
  else
    std::printf("  the machine can run it on any data: %s\n",
                printable(describeLength(*schedule, verdict.cycles)).c_str());
  return exitGood;
}

} // namespace tilewright::tool
