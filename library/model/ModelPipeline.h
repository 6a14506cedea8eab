//===- ModelPipeline.h - The way of a model to kernels ----------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_MODELPIPELINE_H
#define TILEWRIGHT_LIBRARY_MODEL_MODELPIPELINE_H

#include "codegen/pipeline/Pipelines.h"
#include "mlir/Pass/PassManager.h"
#include "tilewright/compiler/ScheduleTable.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"

namespace tilewright {

struct ModelPipelineOptions {
  /// Whether the module is a person's or another tool's.
  bool isForeign = false;
  /// Whether the program is one hand-written kernel, and no graph.
  bool isKernel = false;
  /// Whether groups say why an op is in them.
  bool explains = false;
  /// As users write them; empty: as is best for each kernel.
  std::string cpuSchedule = {}, gpuSchedule = {};
  /// May be null.
  ScheduleTable *table = nullptr;
  /// Whether there is code for a CPU, and for a GPU.
  bool hasCpu = false, hasGpu = false;
  KernelPipelineOptions kernels = {};
};

/// All passes from a frontend's output to code in the llvm dialect: those of
/// graph/pipeline/Pipelines.h, between them "assign-group-schedules", then
/// "split-kernels", and those of codegen/pipeline/Pipelines.h for each target.
void buildModelPipeline(mlir::OpPassManager &passes,
                        const ModelPipelineOptions &options);

/// Those from groups to kernels that are alone in their modules.
void buildLoweringPipeline(mlir::OpPassManager &passes,
                           const ModelPipelineOptions &options);

/// Those that follow, on kernels: nested in `graph.cpu_code` and
/// `graph.gpu_code`.
void buildCodePipeline(mlir::OpPassManager &passes,
                       const ModelPipelineOptions &options);

/// Adds passes by their names, "a,b(c)". Errors: there is no such pass.
Status parseModelPipeline(const std::string &text, ScheduleTable *table,
                          mlir::OpPassManager &passes);

/// Registers the passes of a model, down to the llvm dialect.
TILEWRIGHT_PRIVATE_API void registerModelPipelines();

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_MODELPIPELINE_H
