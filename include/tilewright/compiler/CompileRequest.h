//===- CompileRequest.h - What to compile, and what came of it --*- C++ -*-===//
//
// Plain data. Includes neither MLIR nor LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_COMPILER_COMPILEREQUEST_H
#define TILEWRIGHT_COMPILER_COMPILEREQUEST_H

#include "tilewright/codegen/CodeOptions.h"
#include "tilewright/codegen/KernelImage.h"
#include "tilewright/compiler/TileModule.h"
#include "tilewright/manifest/Precision.h"
#include "tilewright/manifest/Remark.h"
#include "tilewright/support/Diagnostic.h"
#include "tilewright/support/Status.h"
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace tilewright {

/// One kernel for one target. An image from the cache counts only against the
/// budget's time.
struct CompileRequest : CodeOptions {
  TileModule module;
  /// The name of the kernel; empty for the only kernel of the module.
  std::string kernel;
  /// "cpu": the machine of this process. "sm_80" and the other GPUs of
  /// target::gpuTargetNames() and of plug-ins. "interpreter": the image's code
  /// is the kernel as a module in text, with its tunables bound.
  std::string target = "cpu";
  /// Values of the kernel's tunables, by name; the others have their first
  /// legal value.
  std::map<std::string, int64_t> tunables;
  /// For a GPU or "cpu": a schedule as text (schedule::GpuSchedule,
  /// schedule::CpuSchedule); omitted parameters have their defaults. It may
  /// contain tunables. Empty: the default for the kernel's work.
  std::string schedule;
  /// Of products of f32 that have none themselves (docs/spec.md, tile.dot).
  /// Code for CPUs computes all of them in f32.
  runtime::Precision precision = runtime::Precision::ieee;
  /// Fill in the texts of the image's stages, and its explanation.
  bool wantText = false, wantExplanation = false;
  /// Fill in the report's remarks.
  bool wantRemarks = false;
  /// Cancels the compilation.
  std::stop_token stop;
};

/// Results of a compilation besides the image.
struct CompileReport {
  /// Errors, if it failed, and warnings. Each has a code: the label of the
  /// violated rule of the dialect ("dot_c2"), or
  ///   parse, invalid_ir  the module does not parse, or violates a rule of MLIR
  ///   kernel, target, tunable, schedule   an unknown name or illegal value
  ///   unsupported        an op has no lowering for the target
  ///   resources          the kernel does not fit the target
  ///   budget_time, budget_memory, budget_llvm_ir, cancelled   it was stopped
  ///   cache              warning: the cache could not be written
  ///   plugin             a pass of a plug-in failed, or left invalid IR
  ///   internal           a bug in Tilewright
  std::vector<Diagnostic> diagnostics;
  std::vector<Remark> remarks;
  /// In the order in which they ran.
  std::vector<PhaseTime> phases;
  /// Whether the image came from the cache.
  bool fromCache = false;
  /// The key of the image in the cache, in hexadecimal digits; empty without a
  /// cache.
  std::string key;
};

/// The result of a request.
struct CompileResult {
  /// The image, or an error with the diagnostics as text.
  StatusOr<KernelImage> image;
  CompileReport report;
};

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_COMPILEREQUEST_H
