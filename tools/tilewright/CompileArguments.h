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
  std::string model, output, emit, dumpAfter, stopAfter, reproducer;
  std::string ptxas, schedule, tuning, kernel, cache;
  std::vector<std::string> shapes, maxShapes, targets = {"cpu"};
  std::vector<std::string> patterns, kernels, printAfter, plugins;
  unsigned threads = 0;
  /// Of a kernel; 0: no limit.
  unsigned maxLlvmIr = Budget::defaultLlvmIr;
  unsigned maxIrMiB = Budget::defaultMemory >> 20;
  /// Of all, in seconds; 0: no limit.
  double timeLimit = 0;
  bool explain = false, time = false, json = false;
  /// Flags of MLIR, with commas.
  std::string fastMath;
  bool noAssertions = false, lineInfo = false, checkBarriers = false;
  bool explainSchedule = false, explainLayouts = false;
  bool printAfterChange = false, verifyEach = false;
  bool noCache = false, resume = false;

  /// What is printed, or written to `output`: "tile", "ptx", .. or nothing.
  [[nodiscard]] const std::string &stage() const {
    return emit.empty() ? dumpAfter : emit;
  }
  /// Whether the stage is a text.
  [[nodiscard]] bool emitsText() const {
    return !stage().empty() && emit != "cubin";
  }
};

/// Reads --target; GPUs of `options.plugins` are known, too. Throws UsageError
/// for one that there is not.
void readTargets(const std::vector<std::string> &names,
                 CompileModelOptions &options);

/// Throws UsageError where options do not go together, or one has no effect on
/// this kind of model; fails where the model is not there.
Status checkOptions(const CLI::App &command, const CompileArguments &arguments,
                    const CompileModelOptions &options);

/// Calls `visit` with each kernel in the report's bytecode.
Status visitScheduled(const CompileModelReport &report,
                      llvm::function_ref<void(tile::KernelOp)> visit);

/// Compiles, and prints the requested outputs. Returns the exit code.
int compile(const CompileArguments &arguments,
            const CompileModelOptions &targets);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_COMPILEARGUMENTS_H
