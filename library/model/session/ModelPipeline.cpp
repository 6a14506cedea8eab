//===- ModelPipeline.cpp - The way of a model to kernels ------------------===//
#include "library/model/session/ModelPipeline.h"

#include "codegen/pipeline/Pipelines.h"
#include "graph/pipeline/Pipelines.h"
#include "library/compiler/PluginPasses.h"
#include "library/model/transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "spatial/transforms/Passes.h"
#include <mutex>

using namespace mlir;

namespace tilewright {

template <typename Schedule>
static std::string textOf(const std::optional<Schedule> &schedule) {
  return schedule ? schedule->text() : "";
}

void buildLoweringPipeline(OpPassManager &passes,
                           const CompileModelOptions &options,
                           const ModelProgram &program) {
  if (!program.isKernel) {
    passes.addPass(createAssignGroupSchedules(
        {.cpu = textOf(options.cpuSchedule), .gpu = textOf(options.schedule)},
        options.scheduleTable));
    graph::buildTilePipeline(passes, runtime::precisionName(options.precision));
  }
  // From here on a kernel needs nothing but its module.
  passes.addPass(createSplitKernels());
  // A user's own kernel says itself what it assumes.
  if (!options.gpus.empty() && !program.isKernel)
    addVariants(passes.nest<graph::GpuCodeOp>());
}

void buildCodePipeline(OpPassManager &passes,
                       const CompileModelOptions &options) {
  // KernelBackend runs the same on each kernel.
  const Plugins *plugins = options.plugins.get();
  if (options.cpu) {
    OpPassManager &code = passes.nest<graph::CpuCodeOp>().nest<ModuleOp>();
    addPluginPasses(code, plugins);
    buildPipeline(cpuStages(), code, {options});
  }
  if (!options.gpus.empty()) {
    OpPassManager &code = passes.nest<graph::GpuCodeOp>().nest<ModuleOp>();
    addPluginPasses(code, plugins);
    buildPipeline(gpuStages(), code, {options});
  }
  if (options.interpreter && plugins && !plugins->registry().passes().empty())
    addPluginPasses(passes.nest<graph::InterpreterCodeOp>().nest<ModuleOp>(),
                    plugins);
}

graph::GroupsOptions groupsOptions(const CompileModelOptions &options) {
  using enum CompileModelOptions::Attention;
  return {.explain = options.wantFusion,
          .attention = options.attention != never,
          .alwaysAttention = options.attention == always,
          .roundsF32 = options.precision != runtime::Precision::ieee};
}

void buildModelPipeline(OpPassManager &passes,
                        const CompileModelOptions &options,
                        const ModelProgram &program) {
  if (program.imported.isForeign)
    graph::buildModulePipeline(passes);
  if (!program.isKernel)
    graph::buildGroupsPipeline(passes, groupsOptions(options));
  buildLoweringPipeline(passes, options, program);
  buildCodePipeline(passes, options);
}

void registerModelPipelines() {
  graph::registerGraphPipelines();
  spatial::registerSpatialPasses();
  registerModelPasses();
  registerCodegenPipelines();
  registerTransformsPasses();
}

Status parseModelPipeline(const std::string &text,
                          const CompileModelOptions &options,
                          OpPassManager &passes) {
  // MLIR keeps the names of passes for the whole process.
  static std::once_flag isRegistered;
  std::call_once(isRegistered, registerModelPipelines);
  TILEWRIGHT_RETURN_IF_ERROR(parsePasses(text, options.plugins.get(), passes));
  giveTable(passes, options.scheduleTable);
  return {};
}

} // namespace tilewright
