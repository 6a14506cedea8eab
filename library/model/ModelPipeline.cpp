//===- ModelPipeline.cpp - The way of a model to kernels ------------------===//
#include "library/model/ModelPipeline.h"

#include "graph/pipeline/Pipelines.h"
#include "library/model/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include <mutex>

using namespace mlir;

namespace tilewright {

void buildLoweringPipeline(OpPassManager &passes,
                           const ModelPipelineOptions &options) {
  if (!options.isKernel) {
    passes.addPass(createAssignGroupSchedules(
        {.cpu = options.cpuSchedule, .gpu = options.gpuSchedule},
        options.table));
    graph::buildTilePipeline(passes);
  }
  // From here on a kernel needs nothing but its module.
  passes.addPass(createSplitKernels());
  // A user's own kernel says itself what it assumes.
  if (options.hasGpu && !options.isKernel)
    addVariants(passes.nest<graph::GpuCodeOp>());
}

void buildCodePipeline(OpPassManager &passes,
                       const ModelPipelineOptions &options) {
  if (options.hasCpu)
    buildPipeline(cpuStages(), passes.nest<graph::CpuCodeOp>().nest<ModuleOp>(),
                  options.kernels);
  if (options.hasGpu)
    buildPipeline(gpuStages(), passes.nest<graph::GpuCodeOp>().nest<ModuleOp>(),
                  options.kernels);
}

void buildModelPipeline(OpPassManager &passes,
                        const ModelPipelineOptions &options) {
  if (options.isForeign)
    graph::buildModulePipeline(passes);
  if (!options.isKernel)
    graph::buildGroupsPipeline(passes, options.explains);
  buildLoweringPipeline(passes, options);
  buildCodePipeline(passes, options);
}

void registerModelPipelines() {
  graph::registerGraphPipelines();
  registerModelPasses();
  registerCodegenPipelines();
  registerTransformsPasses();
}

Status parseModelPipeline(const std::string &text, ScheduleTable *table,
                          OpPassManager &passes) {
  // MLIR keeps the names of passes for the whole process.
  static std::once_flag isRegistered;
  std::call_once(isRegistered, registerModelPipelines);
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (failed(parsePassPipeline(text, passes, stream)))
    return Status::invalidInput("cannot go on with the passes '" + text +
                                "': " + problem);
  giveTable(passes, table);
  return {};
}

} // namespace tilewright
