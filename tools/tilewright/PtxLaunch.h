//===- PtxLaunch.h - One launch of a kernel in PTX --------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_PTXLAUNCH_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_PTXLAUNCH_H

#include "runtime/emulator/device/LoadedModule.h"
#include "runtime/emulator/machine/Warp.h"
#include "tools/tilewright/LaunchFile.h"

namespace tilewright::tool {

/// A kernel in the emulator's memory, with its buffers, to be run once.
class PtxLaunch {
public:
  /// `kernel` and `launchName` are what messages call the files.
  PtxLaunch(std::string kernel, std::string launchName, LaunchFile file,
            const emulator::LaunchOptions &options);

  /// Loads the kernel and sets its parameters. Errors: what is wrong with the
  /// text, the shape of the launch or its arguments.
  Status load(const std::string &text);
  /// The contents of a buffer after the run, in place of those before.
  void takeContents(size_t buffer);

private:
  Status allocate();
  Status setParameters();

  const std::string kernel, launchName;
  emulator::GlobalMemory memory;
  std::shared_ptr<emulator::LoadedModule> module;
  std::vector<std::shared_ptr<emulator::Allocation>> allocations;

public:
  LaunchFile file;
  /// For emulator::run(). Refers to the memory, and goes before it.
  emulator::Launch launch;
};

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_PTXLAUNCH_H
