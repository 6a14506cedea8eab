// PTX of the emulator: parsed, its variables placed and initialized, each of
// its kernels decoded. Nothing runs; emulator-fuzz runs kernels.
#include "runtime/emulator/counters/Registers.h"
#include "runtime/emulator/device/Limits.h"
#include "runtime/emulator/device/LoadedModule.h"
#include "targets/Target.h"

using namespace tilewright;
using namespace tilewright::emulator;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  GlobalMemory memory;
  auto module = LoadedModule::load(memory, fuzz::textOf(data, size));
  if (!module.ok())
    return 0;
  for (const ptx::Function &function : (*module)->source().functions) {
    if (!function.isEntry || !function.body)
      continue;
    auto program = (*module)->program(function.name.text);
    if (!program.ok())
      continue;
    (void)estimateRegisters(**program);
    (void)checkBlock(**program, {{1, 1, 1}, {32, 1, 1}, {1, 1, 1}, 0}).ok();
  }
  return 0;
}
