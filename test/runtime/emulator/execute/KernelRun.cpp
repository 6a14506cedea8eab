#include "test/runtime/emulator/execute/KernelRun.h"
#include "runtime/emulator/counters/Collector.h"
#include "runtime/emulator/counters/Report.h"
#include "runtime/emulator/device/LoadedModule.h"
#include "runtime/emulator/machine/Scheduler.h"
#include <cstring>
#include <numeric>

namespace tilewright::emulator {

static std::string textOf(const KernelRun &kernel) {
  return ".version 9.0\n.target sm_90a\n.address_size 64\n"
         ".visible .entry k(.param .u64 in, .param .u64 out, "
         ".param .align 64 .b8 map0[128], .param .align 64 .b8 map1[128])\n{\n"
         ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<32>, %t;\n"
         ".reg .b64 %d<16>, %in, %out, %map0, %map1;\n"
         "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n"
         "mov.b64 %map0, map0;\ncvta.param.u64 %map0, %map0;\n"
         "mov.b64 %map1, map1;\ncvta.param.u64 %map1, %map1;\n"
         "mov.u32 %t, %tid.x;\n" +
         kernel.body + "\nret;\n}\n";
}

/// The parameters as the kernel declares them.
static std::vector<std::byte> parametersOf(const KernelRun &kernel,
                                           uint64_t input, uint64_t output) {
  std::vector<std::byte> bytes(64 + 2 * tensorMapBytes);
  std::memcpy(&bytes[0], &input, 8);
  std::memcpy(&bytes[8], &output, 8);
  auto put = [&](std::optional<TensorMap> map, uint64_t address, size_t at) {
    if (!map)
      return;
    map->address += address;
    write(*map,
          std::span<std::byte, tensorMapBytes>(&bytes[at], tensorMapBytes));
  };
  put(kernel.inputMap, input, 64);
  put(kernel.outputMap, output, 64 + tensorMapBytes);
  return bytes;
}

Result run(const KernelRun &kernel) {
  Result result;
  GlobalMemory memory;
  auto module = LoadedModule::load(memory, textOf(kernel));
  if (!module.ok())
    return {{}, module.status().message(), {}};
  auto program = (*module)->program("k");
  if (!program.ok())
    return {{}, program.status().message(), {}};
  auto input = memory.allocate(kernel.input.size() * 4, false);
  auto output = memory.allocate(kernel.outputWords * 4, false);
  if (!input.ok() || !output.ok())
    return {{}, "no memory", {}};
  if (!kernel.input.empty())
    std::memcpy((*input)->host, kernel.input.data(), kernel.input.size() * 4);
  std::memset((*output)->host, 0xCD, kernel.outputWords * 4);

  Launch launch;
  launch.program = *program;
  launch.memory = memory.snapshot();
  launch.grid = {kernel.blocks, 1, 1};
  launch.block = {kernel.threads, 1, 1};
  launch.cluster = {kernel.cluster, 1, 1};
  launch.parameters =
      parametersOf(kernel, (*input)->address, (*output)->address);
  launch.options = kernel.options;
  if (kernel.observer) {
    launch.options.threads = 1;
    launch.makeObserver = [&] { return kernel.observer; };
  }
  std::optional<Collector> collector;
  if (kernel.counts)
    collector.emplace(launch);
  run(launch);
  result.executed = launch.executed;
  if (collector)
    result.counters = statsJson(collector->counters());
  if (launch.fault) {
    result.error = launch.fault->str();
    result.fault = launch.fault->code;
  }
  result.output.resize(kernel.outputWords);
  std::memcpy(result.output.data(), (*output)->host, kernel.outputWords * 4);
  return result;
}

std::vector<uint32_t> counting(size_t count, uint32_t first) {
  std::vector<uint32_t> words(count);
  std::iota(words.begin(), words.end(), first);
  return words;
}

} // namespace tilewright::emulator
