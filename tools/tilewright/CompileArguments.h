//===- CompileArguments.h - What `compile` was told -------------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_COMPILEARGUMENTS_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_COMPILEARGUMENTS_H

#include "tilewright/compiler/CompileModel.h"
#include "tilewright/mlir/Tile.h"
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tilewright::tool {

struct CompileArguments {
  /// Those that the compiler takes as they are given, and the targets.
  CompileModelOptions options;
  std::string model, output, emit;
  std::string ptxas, schedule, tuning, cache;
  std::vector<std::string> shapes, maxShapes, targets = {"cpu"};
  std::vector<std::string> patterns, kernels, printAfter, plugins;
  /// Of a kernel; 0: no limit.
  unsigned maxLlvmIr = Budget::defaultLlvmIr;
  unsigned maxIrMiB = Budget::defaultMemory >> 20;
  /// Of all, in seconds; 0: no limit.
  double timeLimit = 0;
  bool explain = false, time = false, json = false;
  bool checkBarriers = false, explainSchedule = false, explainLayouts = false;
  bool noCache = false;

  /// Whether --emit prints a text, or writes it to `output`.
  [[nodiscard]] bool emitsText() const {
    return !emit.empty() && emit != "cubin";
  }
};

/// Reads --target; GPUs of `options.plugins` are known, too. Throws UsageError
/// for one that there is not.
void readTargets(const std::vector<std::string> &names,
                 CompileModelOptions &options);

/// Throws UsageError where options do not go together, or one has no effect on
/// this kind of model; fails where the model is not there.
Status checkOptions(const CLI::App &command, const CompileArguments &arguments);

/// Calls `visit` with each kernel in the report's bytecode.
Status visitScheduled(const CompileModelReport &report,
                      llvm::function_ref<void(tile::KernelOp)> visit);

/// Compiles, and prints the requested outputs. Returns the exit code.
int compile(const CompileArguments &arguments);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_COMPILEARGUMENTS_H
