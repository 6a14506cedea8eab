// Smaller programs that a pass still gets wrong.
#pragma once

#include "verify/validate/LevelCheck.h"

namespace tilewright::verify {

/// What makes a program worth keeping.
struct ReduceOptions {
  /// How many passes of the file's pipeline are at fault together.
  size_t passes = 1;
  Relation relation;
  uint64_t seed = 0;
  /// For all of it, and for the runs of one program.
  std::chrono::duration<double> time{40}, timeOfOne{0.4};
  std::function<bool()> isStopped = {};
  /// As in LevelOptions.
  std::function<void(const std::string &pass, mlir::ModuleOp)> hook = {};
};

/// A file with fewer ops than `text`, a file of --stop-after, whose first
/// passes break the relation; that text where none is found. At the graph level
/// a few ops are taken out of the program; below it a kernel is; ops in it are
/// left out as long as it shows the difference.
std::string reduceProgram(const std::string &text, const std::string &name,
                          const ReduceOptions &options);

} // namespace tilewright::verify
