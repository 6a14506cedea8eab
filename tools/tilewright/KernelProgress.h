//===- KernelProgress.h - How far a kernel in PTX is ------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_KERNELPROGRESS_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_KERNELPROGRESS_H

#include "runtime/emulator/machine/Warp.h"
#include <chrono>

namespace tilewright::tool {

/// Shows the progress of long launches on standard error: on a terminal one
/// line, after a second; elsewhere a line after 10 s, 20 s, 40 s, ...
class KernelProgress {
public:
  KernelProgress();
  /// Removes the line on the terminal.
  ~KernelProgress();
  KernelProgress(const KernelProgress &) = delete;
  KernelProgress &operator=(const KernelProgress &) = delete;

  void update(const emulator::LaunchProgress &progress);

private:
  using Seconds = std::chrono::duration<double>;

  const bool onTerminal;
  const std::chrono::steady_clock::time_point start;
  /// When the next line is due, and whether there was one.
  Seconds next;
  bool shown = false;
};

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_KERNELPROGRESS_H
