//===- KernelProgress.cpp - How far a kernel in PTX is --------------------===//
#include "tools/tilewright/KernelProgress.h"

#include <cinttypes>
#include <cstdio>
#include <unistd.h>

namespace tilewright::tool {

KernelProgress::KernelProgress()
    : onTerminal(::isatty(STDERR_FILENO)),
      start(std::chrono::steady_clock::now()), next(onTerminal ? 1 : 10) {}

void KernelProgress::update(const emulator::LaunchProgress &progress) {
  const Seconds since = std::chrono::steady_clock::now() - start;
  if (since < next)
    return;
  next = onTerminal ? since + Seconds(0.2) : 2 * next;
  shown = true;
  std::fprintf(stderr,
               "%s  run        %" PRIu64 " of %" PRIu64
               " blocks ended, %.0f M instructions of warps, the last %.0f M "
               "without effect, %.0f s%s",
               onTerminal ? "\r" : "", progress.endedBlocks, progress.blocks,
               double(progress.instructions) / 1e6,
               double(progress.idleInstructions) / 1e6, since.count(),
               onTerminal ? "\033[K" : "\n");
  std::fflush(stderr);
}

KernelProgress::~KernelProgress() {
  if (shown && onTerminal)
    std::fputs("\r\033[K", stderr);
}

} // namespace tilewright::tool
