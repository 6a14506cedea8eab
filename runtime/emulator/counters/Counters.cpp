#include "runtime/emulator/counters/Counters.h"
#include <algorithm>

namespace tilewright::emulator {

std::span<const CounterFact> dataPathFacts() {
  static constexpr CounterFact facts[] = {
#define DATA_PATH(ENUMERATOR, NAME, MEANING) {NAME, MEANING},
#include "runtime/emulator/machine/DataPaths.inc"
#undef DATA_PATH
  };
  return facts;
}

std::span<const NamedCounter> namedCounters() {
  static constexpr NamedCounter counters[] = {
#define COUNTER(FIELD, NAME, MEANING) {{NAME, MEANING}, &Counters::FIELD},
#include "runtime/emulator/counters/Counters.inc"
#undef COUNTER
  };
  return counters;
}

Counters &Counters::operator+=(const Counters &other) {
#define COUNTER(FIELD, NAME, MEANING) FIELD += other.FIELD;
#include "runtime/emulator/counters/Counters.inc"
#undef COUNTER
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] += other.bytes[i];
  return *this;
}

Counters KernelCounters::total() const {
  Counters sum;
  for (const FunctionCounters &function : functions)
    for (const Counters &counters : function.code)
      sum += counters;
  return sum;
}

void KernelCounters::add(const KernelCounters &other) {
  blocks += other.blocks;
  for (size_t i = 0; i < functions.size(); ++i)
    for (size_t index = 0; index < functions[i].code.size(); ++index)
      functions[i].code[index] += other.functions[i].code[index];
}

std::vector<KernelCounters::ClassCounters> KernelCounters::byClass() const {
  std::array<Counters, instructionClassCount> sums;
  for (const FunctionCounters &function : functions)
    for (size_t i = 0; i < function.code.size(); ++i)
      sums[size_t(function.traits[i].kind)] += function.code[i];
  std::vector<ClassCounters> classes;
  for (size_t kind = 0; kind < sums.size(); ++kind)
    if (sums[kind].warps)
      classes.push_back({InstructionClass(kind), sums[kind]});
  std::sort(classes.begin(), classes.end(),
            [](const ClassCounters &a, const ClassCounters &b) {
              uint64_t x = a.counters.warps, y = b.counters.warps;
              return x != y ? x > y : a.kind < b.kind;
            });
  return classes;
}

} // namespace tilewright::emulator
