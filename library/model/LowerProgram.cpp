//===- LowerProgram.cpp - The passes of a model, run ----------------------===//
#include "library/model/LowerProgram.h"

#include "codegen/pipeline/Limits.h"
#include "graph/ir/Graph.h"
#include "graph/pipeline/Pipelines.h"
#include "library/model/Checkpoint.h"
#include "library/model/ModelPipeline.h"
#include "library/model/ReportTexts.h"
#include "tilewright/mlir/Registry.h"

using namespace mlir;

namespace tilewright {

static ModelPipelineOptions pipelineOptions(const CompileModelOptions &options,
                                            const ModelProgram &program) {
  return {.isForeign = program.imported.isForeign,
          .isKernel = program.isKernel,
          .explains = options.wantFusion,
          .cpuSchedule = options.cpuSchedule ? options.cpuSchedule->text() : "",
          .gpuSchedule = options.schedule ? options.schedule->text() : "",
          .table = options.scheduleTable,
          .hasCpu = options.cpu.has_value(),
          .hasGpu = !options.gpus.empty(),
          .kernels = {.assertions = options.assertions,
                      .fastMath = options.fastMath,
                      .verifies = options.verifyEach}};
}

std::string remainingPasses(ModelSession &session,
                            const ModelProgram &program) {
  if (program.imported.rest)
    return *program.imported.rest;
  PassManager passes(&session.context);
  buildModelPipeline(passes, pipelineOptions(session.options, program));
  return textOf(passes);
}

Status checkPlugins(const ModelSession &session) {
  const std::shared_ptr<const Plugins> &plugins = session.options.plugins;
  if (!plugins || plugins->registry().passes().empty())
    return {};
  return Status::invalidInput(
      session.name() +
      ": passes of plug-ins do not run on kernels that are stopped on their "
      "way to code; stop after split-kernels or before it");
}

Status stopProgram(ModelSession &session, ModelProgram &program,
                   const std::filesystem::path &output) {
  const CompileModelOptions &options = session.options;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      SplitPipeline split,
      splitPipeline(remainingPasses(session, program), options.stopAfter));
  SplitPipeline parts = splitBeforeCode(split.first);
  TILEWRIGHT_RETURN_IF_ERROR(
      session.runPipeline(parts.first, program.module()));
  if (!parts.rest.empty()) {
    TILEWRIGHT_RETURN_IF_ERROR(checkPlugins(session));
    for (Operation &code : *program.module().getBody())
      if (isa<graph::CpuCodeOp, graph::GpuCodeOp>(code))
        for (auto module : code.getRegion(0).front().getOps<ModuleOp>())
          TILEWRIGHT_RETURN_IF_ERROR(checkLimits(module, options.diagnostics));
    // A stop names the pass that ran, not another kernel's.
    session.context.disableMultithreading();
    TILEWRIGHT_RETURN_IF_ERROR(
        session.runPipeline(parts.rest, program.module()));
  }
  return output.empty() ? Status()
                        : writeCheckpoint(output, program.module(), split.rest);
}

/// Continues a stopped program. Kernels that were stopped themselves run the
/// remaining passes; all others are compiled as usual, or read from the cache.
static Status goOn(ModelSession &session, ModelProgram &program) {
  SplitPipeline parts = splitBeforeCode(*program.imported.rest);
  PassManager code(&session.context);
  buildCodePipeline(code, pipelineOptions(session.options, program));
  if (parts.rest != textOf(code))
    program.codeRest = parts.rest;
  return session.runPipeline(parts.first, program.module());
}

Status makeKernels(ModelSession &session, ModelProgram &program,
                   CompileModelReport &report) {
  const CompileModelOptions &options = session.options;
  if (program.imported.rest && options.wantFusion)
    return Status::invalidInput(
        session.name() + ": the fusion plan is made from the model itself, not "
                         "from a file in which it is made already");
  if (program.imported.rest)
    return goOn(session, program);
  if (!program.isKernel) {
    PassManager passes(&session.context);
    graph::buildGroupsPipeline(passes, options.wantFusion);
    TILEWRIGHT_RETURN_IF_ERROR(
        session.run(passes, program.module(), "the graph cannot be lowered"));
    if (options.wantFusion)
      addFusionPlan(program, report);
  }
  PassManager passes(&session.context);
  buildLoweringPipeline(passes, pipelineOptions(options, program));
  return session.run(passes, program.module(), "the graph cannot be lowered");
}

} // namespace tilewright
