#include "runtime/emulator/device/CounterLog.h"

#include "runtime/emulator/counters/Collector.h"
#include "runtime/emulator/counters/Report.h"

namespace tilewright::emulator {

/// Each launch has each counter, those that are 0 included.
static std::vector<runtime::Counter> countersOf(const KernelCounters &kernel) {
  std::vector<runtime::Counter> counters;
  Counters total = kernel.total();
  for (const NamedCounter &counter : namedCounters())
    counters.push_back({std::string(counter.fact.name), total.*counter.field});
  std::vector<KernelCounters::ClassCounters> classes = kernel.byClass();
  for (size_t kind = 0; kind < instructionClassCount; ++kind) {
    uint64_t warps = 0;
    for (const KernelCounters::ClassCounters &counted : classes)
      if (size_t(counted.kind) == kind)
        warps = counted.counters.warps;
    counters.push_back(
        {"instructions." + std::string(className(InstructionClass(kind))),
         warps});
  }
  counters.push_back({"registers", resourceUse(kernel).needs.registers});
  return counters;
}

void CounterLog::run(Launch &launch, const runtime::KernelManifest &manifest) {
  if (!isCounting) {
    emulator::run(launch);
    return;
  }
  Collector collector(launch);
  emulator::run(launch);
  runtime::LaunchCounters result;
  result.kernel = manifest.name;
  for (size_t dim = 0; dim < result.grid.size(); ++dim)
    result.grid[dim] = launch.grid[dim];
  result.counters = countersOf(collector.counters());
  std::lock_guard lock(mutex);
  ended.push_back(std::move(result));
}

std::vector<runtime::LaunchCounters> CounterLog::take() {
  std::lock_guard lock(mutex);
  return std::exchange(ended, {});
}

} // namespace tilewright::emulator
