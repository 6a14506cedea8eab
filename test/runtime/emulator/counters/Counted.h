// Kernels of a few lines, run and counted.
#ifndef TILEWRIGHT_TEST_EMULATOR_COUNTERS_COUNTED_H
#define TILEWRIGHT_TEST_EMULATOR_COUNTERS_COUNTED_H

#include "runtime/emulator/counters/Counters.h"
#include "runtime/emulator/machine/TensorMap.h"
#include <optional>

namespace tilewright::emulator {

/// A launch of one kernel with one buffer of 1 MiB, at an address that is a
/// multiple of 128.
struct CountedLaunch {
  Dim3 grid = {1, 1, 1}, block = {32, 1, 1};
  unsigned threads = 1;
  Dim3 cluster = {1, 1, 1};
  /// Written to the buffer's start; its tensor is at the buffer + 4096.
  std::optional<TensorMap> map = {};
};

/// Counters of a kernel around `body`, which finds
///   %data    the address of the buffer, 64 bits
///   %tile    an array of 16 KiB in shared memory, 32 bits
///   %thread     the thread's number in its block
///   %r<20>, %rd<20>, %f<20>, %h<8> (b16), %d<8> (f64), %p<8>  registers
/// `functions` precede the kernel. Fails the test where the code is rejected or
/// faults.
KernelCounters count(const std::string &body, const CountedLaunch &how = {},
                     const std::string &functions = "");

/// The program of such a kernel.
std::shared_ptr<const Program> programOf(const std::string &body,
                                         const std::string &functions = "");

/// The counters of the line that contains `text`.
Counters at(const KernelCounters &kernel, std::string_view text);
InstructionClass classAt(const KernelCounters &kernel, std::string_view text);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_TEST_EMULATOR_COUNTERS_COUNTED_H
