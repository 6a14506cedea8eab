#include "test/runtime/emulator/counters/Counted.h"
#include "runtime/emulator/counters/Collector.h"
#include "runtime/emulator/counters/Lines.h"
#include "runtime/emulator/device/LoadedModule.h"
#include "runtime/emulator/machine/Scheduler.h"
#include <catch2/catch.hpp>
#include <cstring>

namespace tilewright::emulator {

static std::string textOf(const std::string &body,
                          const std::string &functions) {
  return R"(.version 8.7
.target sm_90a
.address_size 64
)" + functions +
         R"(
.visible .entry k(.param .u64 data) {
.reg .b32 %tile, %thread, %r<20>;
.reg .b64 %data, %rd<20>;
.reg .f32 %f<20>;
.reg .f64 %d<8>;
.reg .b16 %h<8>;
.reg .pred %p<8>;
.shared .align 128 .b8 tile[16384];
ld.param.u64 %data, [data];
mov.u32 %tile, tile;
mov.u32 %thread, %tid.x;
)" + body +
         "\nret;\n}\n";
}

static std::shared_ptr<const Program> load(GlobalMemory &memory,
                                           const std::string &text) {
  auto module = LoadedModule::load(memory, text);
  INFO(text);
  INFO(module.status().message());
  REQUIRE(module);
  auto program = (*module)->program("k");
  INFO(program.status().message());
  REQUIRE(program);
  return *program;
}

KernelCounters count(const std::string &body, const CountedLaunch &how,
                     const std::string &functions) {
  GlobalMemory memory;
  auto buffer = memory.allocate(1 << 20, false);
  REQUIRE(buffer);
  REQUIRE((*buffer)->address % 128 == 0);
  if (how.map) {
    TensorMap map = *how.map;
    map.address = (*buffer)->address + 4096;
    write(map, std::span<std::byte, tensorMapBytes>((*buffer)->host,
                                                    tensorMapBytes));
  }
  Launch launch;
  launch.cluster = how.cluster;
  launch.program = load(memory, textOf(body, functions));
  launch.memory = memory.snapshot();
  launch.grid = how.grid;
  launch.block = how.block;
  launch.options.threads = how.threads;
  launch.options.maxInstructions = 1'000'000;
  launch.parameters.resize(8);
  std::memcpy(launch.parameters.data(), &(*buffer)->address, 8);
  Collector collector(launch);
  run(launch);
  INFO(body);
  INFO((launch.fault ? launch.fault->str() : ""));
  REQUIRE_FALSE(launch.fault);
  return collector.counters();
}

std::shared_ptr<const Program> programOf(const std::string &body,
                                         const std::string &functions) {
  GlobalMemory memory;
  return load(memory, textOf(body, functions));
}

/// The line that contains `text`, in `kernel`.
static LineCounters lineWith(const KernelCounters &kernel,
                             std::string_view text) {
  std::vector<std::string_view> lines = textLines(kernel);
  for (const LineCounters &line : byLine(kernel))
    if (lines[line.line - 1].find(text) != std::string_view::npos)
      return line;
  FAIL("no counted line contains " << text);
  return {};
}

Counters at(const KernelCounters &kernel, std::string_view text) {
  return lineWith(kernel, text).counters;
}
InstructionClass classAt(const KernelCounters &kernel, std::string_view text) {
  return lineWith(kernel, text).kind;
}

} // namespace tilewright::emulator
