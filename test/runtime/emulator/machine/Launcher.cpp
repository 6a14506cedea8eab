#include "Launcher.h"
#include "runtime/emulator/device/LoadedModule.h"
#include "runtime/emulator/machine/Scheduler.h"
#include <cstring>

namespace tilewright::emulator {

std::string kernelText(const std::string &body, const std::string &before) {
  return ".version 8.7\n.target sm_90a\n.address_size 64\n" + before +
         "\n.visible .entry k(.param .u64 data) {\n"
         ".reg .pred %p<16>;\n.reg .b32 %r<16>;\n.reg .b64 %d<16>, %data;\n"
         "ld.param.u64 %data, [data];\n" +
         body + "\nret;\n}\n";
}

std::string Launcher::run() {
  GlobalMemory memory;
  auto module = LoadedModule::load(memory, text);
  if (!module)
    return module.status().message();
  auto program = (*module)->program("k");
  if (!program)
    return program.status().message();
  auto buffer = memory.allocate(data.size() * 4, options.checkInitialized);
  if (!buffer)
    return buffer.status().message();
  std::memcpy((*buffer)->host, data.data(), data.size() * 4);
  if (options.checkInitialized && !startsUnwritten)
    markWritten((*buffer)->written, 0, data.size() * 4);
  Launch launch;
  launch.program = *program;
  launch.memory = memory.snapshot();
  launch.grid = grid;
  launch.block = block;
  launch.cluster = cluster;
  launch.dynamicShared = dynamicShared;
  launch.options = options;
  launch.parameters.resize(8);
  std::memcpy(launch.parameters.data(), &(*buffer)->address, 8);
  if (watch)
    watch(launch);
  emulator::run(launch);
  std::memcpy(data.data(), (*buffer)->host, data.size() * 4);
  fault = std::move(launch.fault);
  executed = launch.executed;
  if (!fault)
    return "";
  return std::string(faultName(fault->code)) + ": " + fault->message;
}

} // namespace tilewright::emulator
