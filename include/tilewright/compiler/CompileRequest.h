//===- CompileRequest.h - What to compile, and what came of it --*- C++ -*-===//
//
// Plain data; includes nothing of MLIR or LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_COMPILER_COMPILEREQUEST_H
#define TILEWRIGHT_COMPILER_COMPILEREQUEST_H

#include "tilewright/codegen/CompilationControl.h"
#include "tilewright/codegen/KernelImage.h"
#include "tilewright/compiler/TileModule.h"
#include "tilewright/manifest/Remark.h"
#include "tilewright/support/Diagnostic.h"
#include "tilewright/support/Status.h"
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace tilewright {

/// One kernel for one target.
struct CompileRequest {
  TileModule module;
  /// Which kernel of the module; empty: its only one.
  std::string kernel;
  /// "cpu": the machine that this process runs on. "sm_80" and the other GPUs
  /// of target::gpuTargetNames(), and those of plug-ins. "interpreter": the
  /// image's code is a module of the kernel as text, its tunables bound.
  std::string target = "cpu";
  /// Values of the kernel's tunables, by name; one that is not given has its
  /// first legal value.
  std::map<std::string, int64_t> tunables;
  /// For a GPU or for "cpu": a schedule as text (schedule::GpuSchedule,
  /// schedule::CpuSchedule); what it leaves out keeps its default. Empty: the
  /// default of the kernel's work. It may give tunables, too.
  std::string schedule;
  /// For a GPU: say in the PTX which line of a file each instruction is from.
  bool lineInfo = false;
  /// Whether a false tile.assert ends the launch with its message.
  bool assertions = true;
  /// Fill in the image's texts of the stages, and its explanation.
  bool wantText = false, wantExplanation = false;
  /// Fill in the report's remarks.
  bool wantRemarks = false;
  /// Say in the image's manifest which sizes the code takes for granted, for
  /// whoever launches it: a package's steps are checked when it is made.
  bool guardsSizes = true;
  /// An image that a cache has costs none of it but the time. By default as
  /// much memory and LLVM IR as no reasonable kernel takes.
  Budget budget;
  /// The caller's wish to give the work up.
  std::stop_token stop;
};

/// What there is to say of a compilation beside the image.
struct CompileReport {
  /// Errors, if it failed, and warnings. Each has a code: the label of the
  /// dialect's rule that was broken ("dot_c2"), or
  ///   parse, invalid_ir  the module does not parse, or breaks a rule of MLIR
  ///   kernel, target, tunable, schedule   no such thing, or no such value
  ///   unsupported        an op has no lowering for the target
  ///   resources          the kernel does not fit the target
  ///   budget_time, budget_memory, budget_llvm_ir, cancelled   it was stopped
  ///   cache              warning: the cache could not be written
  ///   plugin             a pass of a plug-in failed, or left what is no IR
  ///   internal           a fault of Tilewright
  std::vector<Diagnostic> diagnostics;
  std::vector<Remark> remarks;
  /// In the order in which they ran.
  std::vector<PhaseTime> phases;
  /// Whether the image was in the cache.
  bool fromCache = false;
  /// What the cache knows it by, in hexadecimal digits; empty without a cache.
  std::string key;
};

/// What came of a request.
struct CompileResult {
  /// The image, or why there is none: the diagnostics as text.
  StatusOr<KernelImage> image;
  CompileReport report;
};

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_COMPILEREQUEST_H
