// Functions that kernels' code calls: failed checks and prints.
//
// The code finds the functions by their names in HostSymbols.inc. `rank` is the
// grid's, `x`, `y` and `z` are the program's indices.
#ifndef TILEWRIGHT_RUNTIME_CPU_KERNELCALLS_H
#define TILEWRIGHT_RUNTIME_CPU_KERNELCALLS_H

#include "tilewright/manifest/KernelManifest.h"
#include "tilewright/runtime/KernelPrints.h"
#include "tilewright/support/Status.h"
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace tilewright::runtime {

/// A launch whose programs may fail a check or print. Safe from many threads.
class CheckedLaunch {
public:
  explicit CheckedLaunch(KernelPrints &prints) : prints(prints) {}

  /// Calls the kernel for programs [first, last). A failed check ends them, and
  /// no further ones are begun.
  void run(CpuKernelEntry entry, const uint64_t *words, const int64_t *grid,
           int64_t first, int64_t last, void *scratch);
  /// The check that failed, of the first program where several did.
  [[nodiscard]] Status status();

  void fail(std::array<int64_t, 3> program, std::string message);
  KernelPrints &prints;

private:
  std::atomic<bool> hasFailed = false;
  std::mutex mutex;
  std::array<int64_t, 3> failedProgram = {};
  std::string failure;
};

/// Ends the program: an element of a condition is false.
void checkFailed(const char *message, const char *location, int64_t element,
                 int64_t rank, int64_t x, int64_t y, int64_t z);
/// A line is begun, filled value by value, and sent to the sink. For a tile the
/// shape is first, then its elements in order.
void printBegin(const char *text, int64_t rank, int64_t x, int64_t y,
                int64_t z);
void printTile(int64_t rank, const int64_t *shape);
void printInteger(int64_t value);
/// As `%.9g` of C in the "C" locale for 9 digits; a NaN without a sign.
void printReal(double value, int64_t digits);
void printPointer(uint64_t value);
void printEnd();

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CPU_KERNELCALLS_H
