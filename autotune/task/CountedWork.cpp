//===- CountedWork.cpp - A launch's work by a device's counters -----------===//
#include "autotune/task/CountedWork.h"

#include "codegen/transforms/OpCosts.h"

namespace tilewright::autotune {

namespace {
struct CountedTerm {
  std::string_view counter;
  double GpuWork::*term;
};
struct ClassSlots {
  std::string_view counter;
  /// Its instructions take as many slots as an op of this class.
  tile::OpClass kind;
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
    {"tensor_operations", &GpuWork::tensorOperations},
};

/// Classes whose instructions of PTX take more than one slot of a
/// multiprocessor.
static constexpr ClassSlots slowClasses[] = {
    {"instructions.transcendental", tile::OpClass::squareRoot},
    {"instructions.conversion", tile::OpClass::convert},
};
/// An instruction of 64-bit floats takes that of both halves.
static constexpr double slotsOfFloat64 = 2;

void takeCounted(GpuWork &work, const runtime::LaunchCounters &counters) {
  for (const CountedTerm &counted : countedTerms)
    if (std::optional<uint64_t> value = counters.find(counted.counter))
      work.*counted.term = double(*value);
  if (std::optional<uint64_t> registers = counters.find("registers")) {
    work.registers = int64_t(*registers);
    work.otherRegisters = 0;
  }
  work.slots = work.instructions;
  auto addSlots = [&](std::string_view counter, double slots) {
    work.slots += double(counters.find(counter).value_or(0)) * (slots - 1);
  };
  for (const ClassSlots &slow : slowClasses)
    addSlots(slow.counter, double(tilegpu::costOf(slow.kind).slots));
  addSlots("instructions.float64", slotsOfFloat64);
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
