//===- Pipelines.h - The way of a tile kernel to code -----------*- C++ -*-===//
//
// Pipelines.cpp lists all passes, their order and the invariants between them.
// The IR has all that they need: the target on the module, the schedule on the
// kernel. So a compilation may stop after any pass, be printed, and continue in
// another process: tilewright-opt knows each pass, and each pipeline by the
// names below.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_PIPELINE_PIPELINES_H
#define TILEWRIGHT_CODEGEN_PIPELINE_PIPELINES_H

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "tilewright/codegen/CodeOptions.h"
#include "tilewright/mlir/Tile.h"
#include <string>

namespace tilewright {

/// A copy of the kernel and of the module's device functions: the input of a
/// pipeline. `target` may be null where no pass needs it.
mlir::OwningOpRef<mlir::ModuleOp> moduleOf(tile::KernelOp kernel,
                                           tile::TargetAttr target);

struct PipelineOptions : CodeOptions {
  /// As users write it; empty: the default of the kernel's work.
  std::string schedule = {};
  /// Whether the kernel's attribute tilegpu.reason says why its schedule was
  /// chosen, and tilegpu.layouts how its layouts were.
  bool explainsSchedule = false, explainsLayouts = false;
};

/// A part of the way of a kernel. Between two of them a compilation may end,
/// and the module has a form that can be shown.
struct Stage {
  enum class Form : uint8_t {
    /// Tile kernels without calls, each with its schedule.
    assigned,
    /// The last form of the scheduled level, for a GPU.
    scheduled,
    /// Functions of loops over vectors: of a CPU, or of one thread of a GPU.
    loops,
    /// The llvm dialect.
    llvm
  };
  /// What it makes.
  Form form;
  /// Its phase in CompilationControl.
  const char *phase;
  void (*build)(mlir::OpPassManager &passes, const PipelineOptions &options);
};

/// All passes of each target, in order: "tile-to-llvm-on-gpu" and
/// "tile-to-llvm-on-cpu".
llvm::ArrayRef<Stage> gpuStages();
llvm::ArrayRef<Stage> cpuStages();
void buildPipeline(llvm::ArrayRef<Stage> stages, mlir::OpPassManager &passes,
                   const PipelineOptions &options = {});

/// Adds the variants of kernels for GPUs (add-variants), to a pipeline over an
/// op with a module for each kernel.
void addVariants(mlir::OpPassManager &passes);

/// "scheduled-to-threads": the scheduled level to the code of one thread.
void buildThreadsPipeline(mlir::OpPassManager &passes,
                          const PipelineOptions &options = {});

/// Registers the passes and pipelines of code generation, which verify the form
/// of each stage: those of all stages of a target, and "tile-to-scheduled",
/// "scheduled-to-threads", "tile-to-loops", "loops-to-llvm".
void registerCodegenPipelines();

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_PIPELINE_PIPELINES_H
