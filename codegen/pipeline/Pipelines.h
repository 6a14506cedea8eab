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
#include "tilewright/mlir/Tile.h"
#include <string>

namespace tilewright {

/// A copy of the kernel and of the module's device functions: the input of a
/// pipeline. `target` may be null where no pass needs it.
mlir::OwningOpRef<mlir::ModuleOp> moduleOf(tile::KernelOp kernel,
                                           tile::TargetAttr target);

struct KernelPipelineOptions {
  /// As users write it; empty: the default of the kernel's work.
  std::string schedule = {};
  /// Whether assertions stay.
  bool assertions = true;
  /// Fast-math flags for all ops of floats: names of MLIR, with commas.
  std::string fastMath = {};
  /// Whether the kernel's attribute tilegpu.layouts says how its layouts were
  /// chosen.
  bool explainsLayouts = false;
  /// Whether each stage's output is checked for the form that the next one
  /// relies on.
  bool verifies = false;
};

/// Adds the variants of kernels for GPUs (add-variants), to a pipeline over an
/// op with a module for each kernel.
void addVariants(mlir::OpPassManager &passes);

/// "tile-to-scheduled": tile kernels to the last form of the scheduled level,
/// for a GPU.
void buildScheduledPipeline(mlir::OpPassManager &passes,
                            const KernelPipelineOptions &options = {});

/// "scheduled-to-threads": those to functions of loops over vectors, the code
/// of one thread.
void buildThreadsPipeline(mlir::OpPassManager &passes,
                          const KernelPipelineOptions &options = {});

/// "tile-to-loops": tile kernels to host functions of loops over vectors, for a
/// CPU.
void buildLoopsPipeline(mlir::OpPassManager &passes,
                        const KernelPipelineOptions &options = {});

/// "tile-to-llvm-on-gpu" and "tile-to-llvm-on-cpu": all of them, to the llvm
/// dialect.
void buildGpuPipeline(mlir::OpPassManager &passes,
                      const KernelPipelineOptions &options = {});
void buildCpuPipeline(mlir::OpPassManager &passes,
                      const KernelPipelineOptions &options = {});

/// Registers the passes and pipelines of code generation, also "loops-to-llvm",
/// the last step of all code. Registered stages verify their form.
void registerCodegenPipelines();

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_PIPELINE_PIPELINES_H
