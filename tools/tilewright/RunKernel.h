//===- RunKernel.h - tilewright run K.ptx -----------------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_RUNKERNEL_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_RUNKERNEL_H

#include "runtime/emulator/machine/Warp.h"
#include "tools/tilewright/RunModel.h"
#include <cstdint>
#include <optional>
#include <string>

namespace tilewright::tool {

/// The options of `run` for a kernel in PTX.
struct RunKernelArguments {
  std::string file, launch, outputDirectory, check = "bounds";
  unsigned threads = 0;
  /// In seconds; 0: none.
  double timeLimit = 0;
  uint64_t seed = 0, maxInstructions = 0, blocks = 0;
  /// In which nothing comes of any; 0: no limit.
  uint64_t maxIdleInstructions = emulator::LaunchOptions().maxIdleInstructions;
  /// Of the blocks that run at a time; 0: no limit.
  uint64_t maxMemoryMiB = 4096;
  bool json = false, copiesLandLate = false;
  std::optional<uint64_t> interleave;
  CounterReports counters;
};

/// Runs one launch on the emulator and writes its outputs. Returns the exit
/// code: exitFinding where the kernel did wrong.
int runKernel(const RunKernelArguments &arguments);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_RUNKERNEL_H
