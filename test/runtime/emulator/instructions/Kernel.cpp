#include "test/runtime/emulator/instructions/Kernel.h"

#include "runtime/emulator/device/Limits.h"
#include "runtime/emulator/machine/Scheduler.h"
#include "test/runtime/emulator/instructions/Coverage.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>

namespace instructions {

using namespace tilewright;

static const char *const header = ".version 8.7\n"
                                  ".target sm_90a\n"
                                  ".address_size 64\n";

Kernel::Kernel(const std::string &body, const std::string &before)
    : source(header + before +
             ".visible .entry probe(.param .u64 data, "
             ".param .align 32 .b8 bytes[64])\n{\n" +
             body + "}\n") {
  auto result = emulator::LoadedModule::load(memory, source);
  if (!result) {
    loadError = result.status().message();
    return;
  }
  module = *result;
  auto program = module->program("probe");
  if (program)
    loaded = *program;
  else
    loadError = program.status().message();
}

std::unique_ptr<emulator::Fault> Kernel::fault(std::span<std::byte> data,
                                               const LaunchShape &shape) {
  emulator::Launch launch;
  auto buffer = memory.allocate(data.size(), false);
  REQUIRE(buffer.ok());
  std::memcpy((*buffer)->host, data.data(), data.size());
  launch.program = loaded;
  launch.grid = {shape.blocks, 1, 1};
  launch.block = {shape.threads, 1, 1};
  launch.cluster = {shape.cluster, 1, 1};
  launch.dynamicShared = shape.dynamicShared;
  launch.parameters.resize(loaded->kernel().parameterBytes);
  std::memcpy(launch.parameters.data(), &(*buffer)->address, 8);
  for (unsigned i = 0; i < 64; ++i)
    launch.parameters[loaded->kernel().parameters[1].offset + i] =
        std::byte(parameterByte(i));
  launch.memory = memory.snapshot();
  launch.options.threads = 1;
  launch.options.maxInstructions = 50'000'000;
  emulator::run(launch);
  std::memcpy(data.data(), (*buffer)->host, data.size());
  return std::move(launch.fault);
}

std::string Kernel::run(std::span<std::byte> data, const LaunchShape &shape) {
  std::unique_ptr<emulator::Fault> found = fault(data, shape);
  return found ? found->str() : "";
}

void runKernelOnBytes(const std::string &body, std::span<std::byte> data,
                      const LaunchShape &shape, const std::string &opcodes,
                      const std::string &before) {
  Kernel kernel(body, before);
  INFO(kernel.text());
  REQUIRE(kernel.error() == "");
  for (const auto &function : kernel.program().functions)
    for (const emulator::Instruction &instruction : function->code)
      if ((" " + opcodes + " ")
              .find(" " + std::string(instruction.form->opcode) + " ") !=
          std::string::npos)
        coverage().add(*instruction.form,
                       textAt(kernel.text(), instruction.at));
  REQUIRE(kernel.run(data, shape) == "");
}

} // namespace instructions
