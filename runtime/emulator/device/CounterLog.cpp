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

static runtime::Finding findingOf(const Fault &fault,
                                  const runtime::KernelManifest &manifest) {
  runtime::Finding finding;
  finding.kernel = manifest.name;
  finding.code = faultName(fault.code);
  finding.message = fault.message;
  finding.source.file = fault.sourceFile;
  finding.source.line = fault.sourceLine;
  finding.source.column = fault.sourceColumn;
  finding.line = fault.at.line;
  finding.column = fault.at.column;
  finding.function = fault.function;
  finding.block = fault.block;
  finding.warp = fault.warp;
  finding.lane = fault.lane;
  finding.address = fault.address;
  return finding;
}

void CounterLog::run(Launch &launch, const runtime::KernelManifest &manifest) {
  if (isCounting || isSumming)
    count(launch, manifest);
  else
    emulator::run(launch);
  if (!launch.fault || !isFinding(launch.fault->code))
    return;
  std::lock_guard lock(mutex);
  if (findings.size() < mostFindings)
    findings.push_back(findingOf(*launch.fault, manifest));
}

void CounterLog::count(Launch &launch,
                       const runtime::KernelManifest &manifest) {
  Collector collector(launch);
  emulator::run(launch);
  KernelCounters counters = collector.counters();
  if (isSumming)
    sum(counters);
  if (!isCounting)
    return;
  runtime::LaunchCounters result;
  result.kernel = manifest.name;
  for (size_t dim = 0; dim < result.grid.size(); ++dim)
    result.grid[dim] = launch.grid[dim];
  result.counters = countersOf(counters);
  std::lock_guard lock(mutex);
  ended.push_back(std::move(result));
}

void CounterLog::sum(const KernelCounters &counters) {
  std::lock_guard lock(mutex);
  for (KernelTotal &total : totals)
    if (total.counters.program == counters.program) {
      ++total.launches;
      total.counters.add(counters);
      return;
    }
  totals.push_back({1, counters});
}

std::vector<KernelTotal> CounterLog::takeTotals() {
  std::lock_guard lock(mutex);
  return std::exchange(totals, {});
}

std::vector<runtime::Finding> CounterLog::takeFindings() {
  std::lock_guard lock(mutex);
  return std::exchange(findings, {});
}

std::vector<runtime::LaunchCounters> CounterLog::take() {
  std::lock_guard lock(mutex);
  return std::exchange(ended, {});
}

} // namespace tilewright::emulator
