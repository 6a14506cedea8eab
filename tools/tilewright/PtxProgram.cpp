//===- PtxProgram.cpp - A kernel in PTX as a side of verify ---------------===//
#include "tools/tilewright/PtxProgram.h"

#include "runtime/emulator/machine/Scheduler.h"
#include "tilewright/runtime/MappedFile.h"
#include "tools/tilewright/PtxLaunch.h"

namespace tilewright::tool {

using runtime::HostTensor;
using verify::Outcome;
using verify::Port;

namespace {

class PtxProgram : public verify::Program {
public:
  PtxProgram(std::string kernel, std::string launch, std::string text,
             LaunchFile file)
      : launch(std::move(launch)), text(std::move(text)),
        file(std::move(file)) {
    title = std::move(kernel);
  }
  Status begin();
  [[nodiscard]] unsigned orderCount() const override {
    return unsigned(ways.size());
  }
  StatusOr<Outcome> run(std::span<const HostTensor> inputs, unsigned order,
                        reference::Freedom freedom) override;

private:
  const std::string launch, text;
  const LaunchFile file;
  /// The buffers of the inputs, and of the outputs.
  std::vector<size_t> read, written;
  std::vector<emulator::LaunchOptions> ways;
};

/// A kernel that runs for longer is given up.
constexpr uint64_t mostInstructions = 100'000'000;

} // namespace

Status PtxProgram::begin() {
  for (size_t i = 0; i < file.buffers.size(); ++i) {
    const LaunchBuffer &buffer = file.buffers[i];
    const Port port{buffer.name, buffer.tensor.dtype(), buffer.tensor.shape()};
    if (buffer.initialized) {
      ports.inputs.push_back(port);
      read.push_back(i);
    }
    if (!buffer.output.empty()) {
      ports.outputs.push_back(port);
      written.push_back(i);
    }
  }
  for (bool late : {false, true})
    for (uint64_t seed : {0, 1}) {
      emulator::LaunchOptions &options = ways.emplace_back();
      options.checkInitialized = true;
      options.threads = 1;
      options.maxInstructions = mostInstructions;
      options.copiesLandLate = late;
      if (seed)
        options.interleave = seed;
    }
  return PtxLaunch(title, launch, file, ways.front()).load(text);
}

/// What a fault of the kernel is.
static Outcome::Kind kindOf(emulator::FaultCode code) {
  if (code == emulator::FaultCode::limit)
    return Outcome::Kind::unfinished;
  return emulator::faultName(code).find("race") != std::string_view::npos
             ? Outcome::Kind::raced
             : Outcome::Kind::faulted;
}

StatusOr<Outcome> PtxProgram::run(std::span<const HostTensor> inputs,
                                  unsigned order, reference::Freedom) {
  LaunchFile own = file;
  for (LaunchBuffer &buffer : own.buffers) {
    TILEWRIGHT_ASSIGN_OR_RETURN(buffer.tensor, buffer.tensor.clone());
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    TILEWRIGHT_ASSIGN_OR_RETURN(own.buffers[read[i]].tensor, inputs[i].clone());
  }
  PtxLaunch kernel(title, launch, std::move(own), ways[order]);
  TILEWRIGHT_RETURN_IF_ERROR(kernel.load(text));
  emulator::run(kernel.launch);
  if (const emulator::Fault *fault = kernel.launch.fault.get())
    return Outcome{
        kindOf(fault->code), fault->message + " " + fault->where(), {}};
  Outcome outcome;
  for (size_t buffer : written) {
    kernel.takeContents(buffer);
    outcome.outputs.push_back(kernel.file.buffers[buffer].tensor);
  }
  return outcome;
}

StatusOr<std::unique_ptr<verify::Program>>
openPtx(const std::filesystem::path &kernel,
        const std::filesystem::path &launch) {
  TILEWRIGHT_ASSIGN_OR_RETURN(LaunchFile file, readLaunchFile(launch));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string text, runtime::readFile(kernel));
  auto program = std::make_unique<PtxProgram>(kernel.string(), launch.string(),
                                              std::move(text), std::move(file));
  TILEWRIGHT_RETURN_IF_ERROR(program->begin());
  return std::unique_ptr<verify::Program>(std::move(program));
}

} // namespace tilewright::tool
