//===- PtxLaunch.cpp - One launch of a kernel in PTX ----------------------===//
#include "tools/tilewright/PtxLaunch.h"

#include "support/Format.h"

#include <cstring>

namespace tilewright::tool {

using emulator::Allocation;

PtxLaunch::PtxLaunch(std::string kernel, std::string launchName,
                     LaunchFile file, const emulator::LaunchOptions &options)
    : kernel(std::move(kernel)), launchName(std::move(launchName)),
      file(std::move(file)) {
  launch.options = options;
}

Status PtxLaunch::load(const std::string &text) {
  auto at = [&](const Status &status) {
    return Status(status.code(), format("{}:{}", {kernel, status.message()}));
  };
  auto loaded = emulator::LoadedModule::load(memory, text);
  if (!loaded)
    return at(loaded.status());
  module = *loaded;
  auto program = module->program(file.entry);
  if (!program)
    return program.status().code() == StatusCode::notFound
               ? program.status().prefixed(kernel)
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
  TILEWRIGHT_RETURN_IF_ERROR(allocate());
  TILEWRIGHT_RETURN_IF_ERROR(setParameters());
  launch.memory = memory.snapshot();
  return {};
}

Status PtxLaunch::allocate() {
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
Status PtxLaunch::setParameters() {
  const emulator::Function &function = launch.program->kernel();
  if (function.parameters.size() != file.arguments.size())
    return Status::invalidInput(
        format("{}: args: expected {} arguments ({}'s parameters), found {}",
               {launchName, function.parameters.size(), function.name,
                file.arguments.size()}));
  launch.parameters.resize(function.parameterBytes);
  for (size_t i = 0; i < file.arguments.size(); ++i) {
    LaunchArgument &argument = file.arguments[i];
    const emulator::Parameter &parameter = function.parameters[i];
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
                 {launchName, i, parameter.bytes, parameter.name,
                  argument.bytes.size()}));
    std::memcpy(launch.parameters.data() + parameter.offset,
                argument.bytes.data(), parameter.bytes);
  }
  return {};
}

void PtxLaunch::takeContents(size_t buffer) {
  const Allocation &allocation = *allocations[buffer];
  if (allocation.bytes)
    std::memcpy(file.buffers[buffer].tensor.data(), allocation.host,
                allocation.bytes);
}

} // namespace tilewright::tool
