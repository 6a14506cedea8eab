// How many registers a kernel may need.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_REGISTERS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_REGISTERS_H

#include "runtime/emulator/program/Program.h"

namespace tilewright::emulator {

/// An estimate: ptxas moves and removes instructions, and decides. Numbers are
/// of registers of 32 bits in a thread; one of 64 bits takes two, one of 16
/// bits one.
struct RegisterEstimate {
  /// What ptxas will say that the code uses, at most 255. From the most that
  /// live at once if arithmetic runs just before what needs it, by a line
  /// fitted to 161 kernels for sm_90a (ptxas 13.0): the error is 15 % in the
  /// median and 31 % at the 90th percentile.
  uint32_t registers = 0;
  /// The most that live at once in the order of the code, and where.
  uint32_t live = 0;
  uint32_t index = 0;
  uint32_t predicates = 0;
};
[[nodiscard]] RegisterEstimate estimateRegisters(const Program &program,
                                                 const Function &function);

/// The most that any function of the program needs.
[[nodiscard]] RegisterEstimate estimateRegisters(const Program &program);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_REGISTERS_H
