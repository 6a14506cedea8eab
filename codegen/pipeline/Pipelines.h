//===- Pipelines.h - The way of a tile kernel to code -----------*- C++ -*-===//
//
// All of it is on this page's Pipelines.cpp: which passes run, in which order,
// and what holds from where on. What they need is in the IR: the target on the
// module, the schedule on the kernel. So any of them may be left, printed, read
// in another process and gone on with: tilewright-opt knows each pass, and each
// pipeline by the names below.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_PIPELINE_PIPELINES_H
#define TILEWRIGHT_CODEGEN_PIPELINE_PIPELINES_H

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "tilewright/mlir/Tile.h"
#include <string>

namespace tilewright {

/// A copy of the kernel and of the device functions beside it: what a pipeline
/// begins with. `target` may be null where no pass asks for it.
mlir::OwningOpRef<mlir::ModuleOp> moduleOf(tile::KernelOp kernel,
                                           tile::TargetAttr target);

struct KernelPipelineOptions {
  /// As users write it; empty: the default of the kernel's work.
  std::string schedule = {};
  /// Whether assertions stay.
  bool assertions = true;
  /// Whether each stage is checked for the form that the next one relies on.
  bool verifies = false;
};

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

/// Makes the passes and pipelines of code generation known by name, also
/// "loops-to-llvm", which all code goes through at last. By name each stage
/// verifies its form.
void registerCodegenPipelines();

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_PIPELINE_PIPELINES_H
