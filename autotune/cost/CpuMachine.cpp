//===- CpuMachine.cpp - What a CPU can do in a cycle ----------------------===//
#include "autotune/cost/CpuMachine.h"
#include "support/Format.h"

#include <algorithm>
#include <charconv>
#include <fstream>

namespace tilewright::autotune {

static constexpr CpuCore cores[] = {
#define CPU_CORE(NAME, FMA_BITS, LATENCY, LOAD_BITS, LOADS, STORE_BITS,        \
                 INSTRUCTIONS, WINDOW, L2, L3)                                 \
  {NAME,       FMA_BITS,     LATENCY, LOAD_BITS, LOADS,                        \
   STORE_BITS, INSTRUCTIONS, WINDOW,  L2,        L3},
#include "autotune/cost/CpuCores.inc"
#undef CPU_CORE
};

const CpuCore &cpuCoreNamed(std::string_view name) {
  const CpuCore *best = std::end(cores) - 1;
  for (const CpuCore &core : cores)
    if (name.starts_with(core.name) && core.name.size() > best->name.size())
      best = &core;
  return *best;
}

double CpuMachine::memoryOf(unsigned threads) const {
  double one = measuredCoreMemory.value_or(coreMemory);
  return std::min(one * threads,
                  std::max(one, measuredMemory.value_or(memory)));
}

/// The first line of a file; empty if there is none.
static std::string lineOf(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The number at the start of a line, 0 if there is none.
static int64_t numberIn(std::string_view line) {
  int64_t number = 0;
  std::from_chars(line.data(), line.data() + line.size(), number);
  return number;
}

/// "32K", "1M" in bytes.
static int64_t bytesIn(std::string_view line) {
  int64_t bytes = numberIn(line);
  if (line.ends_with("K"))
    return bytes << 10;
  return line.ends_with("M") ? bytes << 20 : bytes;
}

/// The number of CPUs in a list such as "0-3,8".
static unsigned countIn(std::string_view list) {
  unsigned count = 0;
  while (!list.empty()) {
    size_t comma = std::min(list.find(','), list.size());
    std::string_view part = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    if (part.empty() || part[0] < '0' || part[0] > '9')
      continue;
    size_t dash = part.find('-');
    count +=
        dash == std::string_view::npos
            ? 1
            : unsigned(numberIn(part.substr(dash + 1)) - numberIn(part)) + 1;
  }
  return count;
}

CpuMachine machineFrom(const std::filesystem::path &system,
                       std::string_view cpu) {
  CpuMachine machine;
  machine.core = cpuCoreNamed(cpu);
  unsigned threads = countIn(lineOf(system / "online"));
  std::filesystem::path first = system / "cpu0";
  unsigned siblings =
      countIn(lineOf(first / "topology" / "thread_siblings_list"));
  machine.cores = std::max(1u, threads / std::max(1u, siblings));
  if (int64_t kilohertz =
          numberIn(lineOf(first / "cpufreq" / "cpuinfo_max_freq")))
    machine.gigahertz = double(kilohertz) * 1e-6;
  for (int index = 0; index < 8; ++index) {
    std::filesystem::path cache = first / "cache" / format("index{}", {index});
    int64_t bytes = bytesIn(lineOf(cache / "size"));
    if (bytes <= 0 || lineOf(cache / "type") == "Instruction")
      continue;
    switch (numberIn(lineOf(cache / "level"))) {
    case 1:
      machine.l1 = bytes;
      break;
    case 2:
      machine.l2 = bytes;
      break;
    case 3:
      machine.l3 = bytes;
      machine.l3Cores =
          std::max(1u, countIn(lineOf(cache / "shared_cpu_list")) /
                           std::max(1u, siblings));
      break;
    default:
      break;
    }
  }
  return machine;
}

CpuMachine hostMachine(std::string_view cpu) {
  return machineFrom("/sys/devices/system/cpu", cpu);
}

} // namespace tilewright::autotune
