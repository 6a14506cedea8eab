//===- RunReport.cpp - What a run shows and writes ------------------------===//
#include "tools/tilewright/RunReport.h"

#include "runtime/emulator/device/KernelTotals.h"
#include "support/Format.h"
#include "tilewright/runtime/Npy.h"
#include "tools/tilewright/Usage.h"

#include <algorithm>
#include <cstdio>

namespace tilewright::tool {

Status writeOutputs(std::vector<ModelOutput> &outputs,
                    const std::filesystem::path &directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    return Status::ioError(format("{}: cannot be created: {}",
                                  {directory.string(), error.message()}));
  std::vector<std::string> names;
  for (const ModelOutput &output : outputs)
    names.push_back(output.name);
  TILEWRIGHT_RETURN_IF_ERROR(checkFileNames(names));
  for (ModelOutput &output : outputs) {
    std::filesystem::path file = directory / (fileName(output.name) + ".npy");
    TILEWRIGHT_RETURN_IF_ERROR(runtime::writeNpy(file, output.tensor));
    output.file = file.string();
  }
  return {};
}

/// Drops the counters of all other kernels.
static Status keepKernel(std::vector<emulator::KernelTotal> &totals,
                         const std::string &kernel) {
  std::vector<std::string> names;
  for (const emulator::KernelTotal &total : totals)
    names.push_back(total.counters.program->kernel().name);
  std::erase_if(totals, [&](const emulator::KernelTotal &total) {
    return total.counters.program->kernel().name != kernel;
  });
  if (!totals.empty())
    return {};
  return Status::notFound(
      format("--kernel: no kernel '{}' was launched{}\n"
             "  the kernels are {}",
             {kernel, didYouMean(kernel, names), joined(names)}));
}

Status writeCounters(DeviceRun &run, const RunArguments &arguments) {
  const CounterReports &paths = arguments.counters;
  if (!paths.any() || !emulator::kernelTotals(*run.device))
    return {};
  if (!arguments.kernel.empty())
    TILEWRIGHT_RETURN_IF_ERROR(keepKernel(run.totals, arguments.kernel));
  return writeReports(paths, run.totals);
}

static double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

nlohmann::ordered_json toJson(const std::vector<ModelOutput> &outputs) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ModelOutput &output : outputs) {
    list.push_back(
        {{"name", output.name},
         {"dtype", std::string(runtime::dtypeName(output.tensor.dtype()))},
         {"shape", output.tensor.shape()}});
    if (!output.file.empty())
      list.back()["file"] = output.file;
    if (!output.difference.empty())
      list.back()["difference"] = output.difference;
  }
  return list;
}

nlohmann::ordered_json toJson(const DeviceRun &run) {
  nlohmann::ordered_json object = {
      {"device", run.name()},
      {"outputs", toJson(run.outputs)},
      {"run_ms",
       {{"min", *std::min_element(run.runMs.begin(), run.runMs.end())},
        {"median", medianOf(run.runMs)},
        {"all", run.runMs}}},
      {"peak_bytes", run.peakBytes}};
  if (run.seed)
    object["seed"] = *run.seed;
  for (const runtime::StepTime &step : run.profile)
    object["profile"].push_back({{"kernel", step.kernel},
                                 {"label", step.label},
                                 {"runs", step.runs},
                                 {"us", step.time.count() * 1e-3}});
  return object;
}

void print(const ModelOutput &output) {
  std::string shape = joined(output.tensor.shape(), ",");
  std::printf("  %s: %s[%s]%s%s%s%s\n", printable(output.name).c_str(),
              std::string(runtime::dtypeName(output.tensor.dtype())).c_str(),
              shape.c_str(), output.file.empty() ? "" : " -> ",
              output.file.c_str(), output.difference.empty() ? "" : "; ",
              output.difference.c_str());
}

void print(const DeviceRun &run, bool countersToo) {
  if (run.seed)
    std::printf("  random input, seed %llu\n",
                static_cast<unsigned long long>(*run.seed));
  for (const ModelOutput &output : run.outputs)
    print(output);
  std::printf("  run %.3f ms (median of %zu, min %.3f), peak %.1f MB\n",
              medianOf(run.runMs), run.runMs.size(),
              *std::min_element(run.runMs.begin(), run.runMs.end()),
              run.peakBytes / 1e6);
  std::vector<runtime::StepTime> sorted = run.profile;
  std::sort(sorted.begin(), sorted.end(),
            [](auto &a, auto &b) { return a.time > b.time; });
  for (const runtime::StepTime &step : sorted)
    std::printf("  %10.1f us  %-32s %s%s\n", step.time.count() * 1e-3,
                printable(step.kernel).c_str(), printable(step.label).c_str(),
                step.runs == 1 ? ""
                               : format(" ({} times)", {step.runs}).c_str());
  if (countersToo && !run.totals.empty())
    std::printf("%s", emulator::summaryText(run.totals).c_str());
}

} // namespace tilewright::tool
