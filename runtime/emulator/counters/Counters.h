// What a launch executed, instruction by instruction.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_COUNTERS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_COUNTERS_H

#include "runtime/emulator/counters/Traits.h"
#include <span>

namespace tilewright::emulator {

/// Names and meanings of the counters, for reports.
struct CounterFact {
  std::string_view name, meaning;
};

constexpr size_t dataPathCount = 0
#define DATA_PATH(ENUMERATOR, NAME, MEANING) +1
#include "runtime/emulator/machine/DataPaths.inc"
#undef DATA_PATH
    ;
[[nodiscard]] std::span<const CounterFact> dataPathFacts();

/// Sums over executions of one instruction, or of several (Counters.inc).
struct Counters {
#define COUNTER(FIELD, NAME, MEANING) uint64_t FIELD = 0;
#include "runtime/emulator/counters/Counters.inc"
#undef COUNTER
  /// By DataPath: bytes that the active lanes request, and that copies move.
  std::array<uint64_t, dataPathCount> bytes = {};

  [[nodiscard]] uint64_t &on(DataPath path) { return bytes[size_t(path)]; }
  [[nodiscard]] uint64_t on(DataPath path) const { return bytes[size_t(path)]; }
  Counters &operator+=(const Counters &other);
  bool operator==(const Counters &) const = default;
};

/// Counters in the order of Counters.inc.
struct NamedCounter {
  CounterFact fact;
  uint64_t Counters::*field;
};
[[nodiscard]] std::span<const NamedCounter> namedCounters();

/// Of one function, by the indices of its code.
struct FunctionCounters {
  std::vector<Traits> traits;
  std::vector<Counters> code;
};

/// What one launch of a kernel executed. Plain data, and the program it is of.
struct KernelCounters {
  std::shared_ptr<const Program> program;
  Dim3 grid = {1, 1, 1}, block = {1, 1, 1}, cluster = {1, 1, 1};
  /// That ran; fewer than the grid has, where only a sample did.
  uint64_t blocks = 1;
  /// Of a block, static and dynamic, in bytes.
  uint32_t sharedBytes = 0;
  /// As Program::functions.
  std::vector<FunctionCounters> functions;

  [[nodiscard]] Counters total() const;
  /// Adds another launch of the same program.
  void add(const KernelCounters &other);
  struct ClassCounters {
    InstructionClass kind;
    Counters counters;
  };
  /// Of the classes that were executed, the one with the most warps first.
  [[nodiscard]] std::vector<ClassCounters> byClass() const;
};

/// The launches of one kernel, in sum.
struct KernelTotal {
  uint64_t launches = 0;
  /// With the grid of the first launch.
  KernelCounters counters;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_COUNTERS_H
