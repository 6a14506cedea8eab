// How many registers a kernel may need.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_REGISTERS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_REGISTERS_H

#include "runtime/emulator/program/Program.h"

namespace tilewright::emulator {

/// The maximum number of live values in this code. An estimate: ptxas moves and
/// removes instructions, and decides.
struct RegisterEstimate {
  /// Of 32 bits in a thread; one of 64 bits takes two, one of 16 bits one.
  uint32_t registers = 0;
  uint32_t predicates = 0;
  /// Where in the code the most registers live.
  uint32_t index = 0;
};
[[nodiscard]] RegisterEstimate estimateRegisters(const Program &program,
                                                 const Function &function);

/// The most that any function of the program needs.
[[nodiscard]] RegisterEstimate estimateRegisters(const Program &program);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_REGISTERS_H
