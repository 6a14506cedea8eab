// Launches of PTX texts with one buffer.
#ifndef TILEWRIGHT_TEST_EMULATOR_MACHINE_LAUNCHER_H
#define TILEWRIGHT_TEST_EMULATOR_MACHINE_LAUNCHER_H

#include "runtime/emulator/machine/Warp.h"
#include <functional>
#include <string>
#include <vector>

namespace tilewright::emulator {

struct Launcher {
  /// The kernel is k(.param .u64 data).
  std::string text;
  /// Words of the buffer, before and after.
  std::vector<uint32_t> data = std::vector<uint32_t>(64);
  Dim3 grid = {1, 1, 1}, block = {32, 1, 1}, cluster = {1, 1, 1};
  uint32_t dynamicShared = 0;
  LaunchOptions options = {};
  /// The buffer starts as if it was never written (with checkInitialized).
  bool startsUnwritten = false;
  /// Gets the launch before it runs.
  std::function<void(Launch &)> watch;

  /// Empty if it loaded and ran; else the error, or "code: message" of the
  /// fault, which is then in `fault`.
  std::string run();
  std::unique_ptr<Fault> fault;
  /// Instructions of warps in the last run.
  uint64_t executed = 0;
};

/// A file with the kernel k(.param .u64 data), whose body finds the buffer's
/// address in %data and has registers %p, %r, %d of 16 each. `before` precedes
/// it.
std::string kernelText(const std::string &body, const std::string &before = "");

} // namespace tilewright::emulator

#endif // TILEWRIGHT_TEST_EMULATOR_MACHINE_LAUNCHER_H
