//===- DeviceRun.cpp - One run of a package on one device -----------------===//
#include "tools/tilewright/DeviceRun.h"

#include "runtime/emulator/counters/Report.h"
#include "runtime/emulator/device/KernelTotals.h"
#include "support/Format.h"
#include "tilewright/runtime/Npy.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/TensorFile.h"
#include "tools/tilewright/Usage.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace tilewright::tool {

using runtime::HostTensor;
using runtime::InterfaceTensor;

//===--- Inputs -----------------------------------------------------------===//

/// Checks that each name on the command line is an input.
Status DeviceRun::checkNames() const {
  std::vector<std::string> known;
  for (const InterfaceTensor &input : model->manifest().inputs)
    known.push_back(input.name);
  auto check = [&](const auto &names, const char *option) -> Status {
    for (const auto &[name, value] : names)
      if (std::find(known.begin(), known.end(), name) == known.end())
        return Status::notFound(format(
            "{}: there is no input '{}'{}\n  the model's inputs: {}",
            {option, name, didYouMean(name, known), model->describeInputs()}));
    return {};
  };
  TILEWRIGHT_RETURN_IF_ERROR(check(given.files, "--input"));
  TILEWRIGHT_RETURN_IF_ERROR(check(given.scalars, "--scalar"));
  TILEWRIGHT_RETURN_IF_ERROR(check(given.data.shapes, "--input-shape"));
  for (const InterfaceTensor &input : model->manifest().inputs) {
    if (!given.scalars.count(input.name))
      continue;
    if (!input.shape.empty())
      return Status::invalidInput(format(
          "--scalar {}: the input is a tensor, {}; give --input {}=FILE.npy",
          {input.name, runtime::printTensorType(input.dtype, input.shape),
           input.name}));
  }
  return {};
}

Status DeviceRun::setGiven(const InterfaceTensor &input,
                           const HostTensor &tensor) {
  TILEWRIGHT_ASSIGN_OR_RETURN(HostTensor own, tensor.clone());
  // A .npy file cannot say bf16: take its integers as the model's type.
  if (input.dtype != own.dtype() &&
      runtime::dtypeBytes(input.dtype) == runtime::dtypeBytes(own.dtype()) &&
      (own.dtype() == runtime::DType::U16 ||
       own.dtype() == runtime::DType::U8)) {
    TILEWRIGHT_ASSIGN_OR_RETURN(own, own.reinterpretAs(input.dtype));
  }
  return session->setInput(input.name, own, given.files.at(input.name));
}

/// The shape for random data.
StatusOr<runtime::Shape> DeviceRun::randomShape(const InterfaceTensor &input) {
  if (auto found = given.data.shapes.find(input.name);
      found != given.data.shapes.end())
    return runtime::Shape(found->second);
  runtime::Shape shape;
  for (const runtime::Expression &size : input.shape) {
    if (!size.constant())
      return Status::invalidInput(format(
          "input '{}' has no data and its shape {} is not fixed\n"
          "  give --input {}=FILE.npy, or --input-shape {}=... for random data",
          {input.name, runtime::printTensorType(input.dtype, input.shape),
           input.name, input.name}));
    shape.push_back(*size.constant());
  }
  return shape;
}

Status DeviceRun::setInputs() {
  TILEWRIGHT_RETURN_IF_ERROR(checkNames());
  std::mt19937_64 generator(arguments.seed);
  for (const InterfaceTensor &input : model->manifest().inputs) {
    if (auto tensor = given.data.tensors.find(input.name);
        tensor != given.data.tensors.end()) {
      TILEWRIGHT_RETURN_IF_ERROR(setGiven(input, tensor->second));
      continue;
    }
    if (auto text = given.scalars.find(input.name);
        text != given.scalars.end()) {
      TILEWRIGHT_ASSIGN_OR_RETURN(
          HostTensor scalar,
          scalarTensor(input.name, input.dtype, text->second));
      TILEWRIGHT_RETURN_IF_ERROR(
          session->setInput(input.name, scalar, "--scalar"));
      continue;
    }
    if (input.shape.empty() && !given.data.shapes.count(input.name))
      return Status::invalidInput(
          format("input '{}' has no value: it is a scalar of type {}\n"
                 "  give --scalar {}=NUMBER",
                 {input.name, runtime::dtypeName(input.dtype), input.name}));
    usedSeed = true;
    TILEWRIGHT_ASSIGN_OR_RETURN(runtime::Shape shape, randomShape(input));
    TILEWRIGHT_ASSIGN_OR_RETURN(HostTensor tensor,
                                randomTensor(input.dtype, shape, generator));
    TILEWRIGHT_RETURN_IF_ERROR(
        session->setInput(input.name, tensor, "random data"));
  }
  if (arguments.seedGiven && !usedSeed)
    throw UsageError("--seed has no effect here: each input is given");
  return {};
}

//===--- Running ----------------------------------------------------------===//

Status DeviceRun::measure() {
  using Clock = std::chrono::steady_clock;
  // The first of several runs is counted.
  emulator::KernelTotals *counters =
      arguments.counters.any() ? emulator::kernelTotals(*device) : nullptr;
  for (unsigned i = 0; i < arguments.repeat; ++i) {
    if (counters)
      counters->setSumming(i == 0);
    auto start = Clock::now();
    TILEWRIGHT_RETURN_IF_ERROR(session->run());
    runMs.push_back(
        std::chrono::duration<double, std::milli>(Clock::now() - start)
            .count());
  }
  if (counters) {
    counters->setSumming(false);
    totals = counters->takeTotals();
  }
  if (arguments.profile) {
    TILEWRIGHT_ASSIGN_OR_RETURN(profile, session->profile());
  }
  return {};
}

Status DeviceRun::takeOutputs() {
  for (const InterfaceTensor &output : model->manifest().outputs) {
    TILEWRIGHT_ASSIGN_OR_RETURN(HostTensor tensor,
                                session->output(output.name));
    outputs.push_back(std::move(tensor));
  }
  outputFiles.resize(outputs.size());
  differences.resize(outputs.size());
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::MemoryUse memory, session->memoryUse());
  peakBytes = memory.interface + memory.weights + memory.arena;
  return {};
}

Status DeviceRun::run(const std::filesystem::path &package) {
  TILEWRIGHT_ASSIGN_OR_RETURN(model, runtime::Model::load(device, package));
  TILEWRIGHT_ASSIGN_OR_RETURN(session, model->createSession());
  TILEWRIGHT_RETURN_IF_ERROR(setInputs());
  inputsAreSet = true;
  Status measured = measure();
  if (runtime::FindingSource *source = runtime::findingSource(*device))
    findings = source->takeFindings();
  TILEWRIGHT_RETURN_IF_ERROR(measured);
  return takeOutputs();
}

//===--- What came of it --------------------------------------------------===//

Status DeviceRun::writeOutputs(const std::filesystem::path &directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    return Status::ioError(format("{}: cannot be created: {}",
                                  {directory.string(), error.message()}));
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::filesystem::path file =
        directory / (fileName(model->manifest().outputs[i].name) + ".npy");
    TILEWRIGHT_RETURN_IF_ERROR(runtime::writeNpy(file, outputs[i]));
    outputFiles[i] = file.string();
  }
  return {};
}

void DeviceRun::compare(const DeviceRun &first) {
  for (size_t i = 0; i < outputs.size(); ++i)
    differences[i] =
        describeDifference(outputs[i], first.outputs[i], first.name());
}

Status DeviceRun::writeCounters() {
  if (!arguments.counters.any() || !emulator::kernelTotals(*device))
    return {};
  if (!arguments.kernel.empty()) {
    std::vector<std::string> names;
    for (const emulator::KernelTotal &total : totals)
      names.push_back(total.counters.program->kernel().name);
    std::erase_if(totals, [&](const emulator::KernelTotal &total) {
      return total.counters.program->kernel().name != arguments.kernel;
    });
    if (totals.empty())
      return Status::notFound(
          format("--kernel: no kernel '{}' was launched{}\n"
                 "  the kernels are {}",
                 {arguments.kernel, didYouMean(arguments.kernel, names),
                  joined(names)}));
  }
  struct Report {
    const std::string &path;
    std::string (*text)(std::span<const emulator::KernelTotal>);
  };
  for (const Report &report :
       {Report{arguments.counters.stats, emulator::statsJson},
        Report{arguments.counters.annotate, emulator::annotatedListing},
        Report{arguments.counters.html, emulator::htmlPage}})
    if (!report.path.empty())
      TILEWRIGHT_RETURN_IF_ERROR(writeReport(report.path, report.text(totals)));
  return {};
}

static double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

nlohmann::ordered_json DeviceRun::json() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (size_t i = 0; i < outputs.size(); ++i) {
    list.push_back(
        {{"name", model->manifest().outputs[i].name},
         {"dtype", std::string(runtime::dtypeName(outputs[i].dtype()))},
         {"shape", outputs[i].shape()}});
    if (!outputFiles[i].empty())
      list.back()["file"] = outputFiles[i];
    if (!differences[i].empty())
      list.back()["difference"] = differences[i];
  }
  nlohmann::ordered_json object = {
      {"device", name()},
      {"outputs", std::move(list)},
      {"run_ms",
       {{"min", *std::min_element(runMs.begin(), runMs.end())},
        {"median", medianOf(runMs)},
        {"all", runMs}}},
      {"peak_bytes", peakBytes}};
  if (usedSeed)
    object["seed"] = arguments.seed;
  for (const runtime::StepTime &step : profile)
    object["profile"].push_back({{"kernel", step.kernel},
                                 {"label", step.label},
                                 {"us", step.time.count() * 1e-3}});
  return object;
}

void DeviceRun::print() const {
  if (usedSeed)
    std::printf("  random input, seed %llu\n",
                static_cast<unsigned long long>(arguments.seed));
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::string shape = joined(outputs[i].shape(), ",");
    std::printf("  %s: %s[%s]%s%s%s%s\n",
                model->manifest().outputs[i].name.c_str(),
                std::string(runtime::dtypeName(outputs[i].dtype())).c_str(),
                shape.c_str(), outputFiles[i].empty() ? "" : " -> ",
                outputFiles[i].c_str(), differences[i].empty() ? "" : "; ",
                differences[i].c_str());
  }
  std::printf("  run %.3f ms (median of %zu, min %.3f), peak %.1f MB\n",
              medianOf(runMs), runMs.size(),
              *std::min_element(runMs.begin(), runMs.end()), peakBytes / 1e6);
  std::vector<runtime::StepTime> sorted = profile;
  std::sort(sorted.begin(), sorted.end(),
            [](auto &a, auto &b) { return a.time > b.time; });
  for (const runtime::StepTime &step : sorted)
    std::printf("  %10.1f us  %-32s %s\n", step.time.count() * 1e-3,
                step.kernel.c_str(), step.label.c_str());
  if (arguments.counters.summary && !totals.empty())
    std::printf("%s", emulator::summaryText(totals).c_str());
}

} // namespace tilewright::tool
