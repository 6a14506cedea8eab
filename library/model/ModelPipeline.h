//===- ModelPipeline.h - The way of a model to kernels ----------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_MODELPIPELINE_H
#define TILEWRIGHT_LIBRARY_MODEL_MODELPIPELINE_H

#include "library/model/ScheduleTable.h"
#include "mlir/Pass/PassManager.h"
#include "support/Status.h"

namespace tilewright {

struct ModelPipelineOptions {
  /// Whether the module is a person's or another tool's.
  bool isForeign = false;
  /// Whether groups say why an op is in them.
  bool explains = false;
  /// As users write them; empty: as is best for each kernel.
  std::string cpuSchedule = {}, gpuSchedule = {};
  /// May be null.
  ScheduleTable *table = nullptr;
};

/// All passes from what a frontend gives to kernels and their launches: those
/// of graph/pipeline/Pipelines.h, and between them "assign-group-schedules".
void buildModelPipeline(mlir::OpPassManager &passes,
                        const ModelPipelineOptions &options);

/// Those that follow when groups are formed.
void buildLoweringPipeline(mlir::OpPassManager &passes,
                           const ModelPipelineOptions &options);

/// "builtin.module(a,b)".
std::string textOf(mlir::OpPassManager &passes);

/// Adds passes by their names, "a,b(c)". Errors: there is no such pass.
Status parseModelPipeline(const std::string &text, ScheduleTable *table,
                          mlir::OpPassManager &passes);

/// Makes the passes of a model known by name.
void registerModelPipelines();

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_MODELPIPELINE_H
