//===- RunKernel.h - tilewright run K.ptx -----------------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_RUNKERNEL_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_RUNKERNEL_H

#include <cstdint>
#include <string>

namespace tilewright::tool {

/// What `run` was told of a kernel in PTX.
struct RunKernelArguments {
  std::string file, launch, outputDirectory, check = "bounds";
  unsigned threads = 0;
  uint64_t seed = 0, maxInstructions = 0;
  bool json = false;
  /// Files that reports of what was executed go to; empty: none.
  std::string stats, annotate, html;
  /// Print a page of it.
  bool summary = false;

  [[nodiscard]] bool counts() const {
    return summary || !stats.empty() || !annotate.empty() || !html.empty();
  }
};

/// Runs one launch on the emulator and writes its outputs. Returns the exit
/// code: exitFinding where the kernel did wrong.
int runKernel(const RunKernelArguments &arguments);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_RUNKERNEL_H
