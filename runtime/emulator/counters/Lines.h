// Counters by the lines of the PTX, and by the lines of its source.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_LINES_H
#define TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_LINES_H

#include "runtime/emulator/counters/Counters.h"

namespace tilewright::emulator {

struct LineCounters {
  /// From 1.
  uint32_t line = 0;
  Counters counters;
  /// Of its first instruction.
  InstructionClass kind = InstructionClass::other;
};

/// Each line of the PTX that has an instruction of the kernel or of a function
/// that it may call, in order.
[[nodiscard]] std::vector<LineCounters> byLine(const KernelCounters &kernel);

/// The lines of one source file in `.loc` directives, in order.
struct SourceCounters {
  /// As in `.file`.
  std::string_view path;
  std::vector<LineCounters> lines;
};
[[nodiscard]] std::vector<SourceCounters>
bySourceLine(const KernelCounters &kernel);

/// The lines of the PTX, without their ends.
[[nodiscard]] std::vector<std::string_view>
textLines(const KernelCounters &kernel);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_LINES_H
