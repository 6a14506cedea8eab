//===- CountedWork.cpp - A launch's work by a device's counters -----------===//
#include "autotune/task/CountedWork.h"

namespace tilewright::autotune {

namespace {
struct CountedTerm {
  std::string_view counter;
  double GpuWork::*term;
};
struct ClassSlots {
  std::string_view counter;
  double slots;
};
} // namespace

static constexpr CountedTerm countedTerms[] = {
    {"warps", &GpuWork::instructions},
    {"global_requests", &GpuWork::globalRequests},
    {"sectors", &GpuWork::sectors},
    {"shared_requests", &GpuWork::sharedRequests},
    {"wavefronts", &GpuWork::wavefronts},
    {"ideal_wavefronts", &GpuWork::idealWavefronts},
    {"barriers", &GpuWork::barriers},
};

/// Classes whose instructions of PTX take more than one slot of a
/// multiprocessor, as in autotune/cost/GpuOps.inc.
static constexpr ClassSlots slowClasses[] = {
    {"instructions.transcendental", 9},
    {"instructions.conversion", 2},
    {"instructions.float64", 2},
};

void takeCounted(GpuWork &work, const runtime::LaunchCounters &counters) {
  for (const CountedTerm &counted : countedTerms)
    if (std::optional<uint64_t> value = counters.find(counted.counter))
      work.*counted.term = double(*value);
  if (std::optional<uint64_t> registers = counters.find("registers")) {
    work.registers = int64_t(*registers);
    work.otherRegisters = 0;
  }
  work.slots = work.instructions;
  for (const ClassSlots &slow : slowClasses)
    work.slots +=
        double(counters.find(slow.counter).value_or(0)) * (slow.slots - 1);
}

void spillRegisters(GpuWork &work, int64_t limit) {
  if (work.registers <= limit)
    return;
  double share = double(work.registers) / double(limit);
  work.instructions *= share;
  work.slots *= share;
  work.registers = limit;
}

} // namespace tilewright::autotune
