//===- LowerProgram.cpp - The passes of a model, run ----------------------===//
#include "library/model/LowerProgram.h"

#include "codegen/pipeline/Limits.h"
#include "graph/ir/Graph.h"
#include "graph/pipeline/Pipelines.h"
#include "library/model/ReportTexts.h"
#include "library/model/import/Checkpoint.h"
#include "library/model/session/ModelPipeline.h"
#include <algorithm>

using namespace mlir;

namespace tilewright {

/// All passes that the program has before it.
static PassList remainingPasses(ModelSession &session,
                                const ModelProgram &program) {
  if (program.imported.rest)
    return PassList(*program.imported.rest);
  PassManager passes(&session.context);
  buildModelPipeline(passes, session.options, program);
  return PassList::of(passes);
}

/// Runs the passes [first, last).
static Status run(ModelSession &session, ModelProgram &program,
                  const PassList &passes, size_t first, size_t last) {
  const size_t code = std::clamp(passes.beforeCode(), first, last);
  TILEWRIGHT_RETURN_IF_ERROR(
      session.runPipeline(passes.text(first, code), program.module()));
  if (code == last)
    return {};
  if (code == passes.beforeCode())
    for (Operation &op : *program.module().getBody())
      if (isa<graph::CpuCodeOp, graph::GpuCodeOp>(op))
        for (auto module : op.getRegion(0).front().getOps<ModuleOp>())
          TILEWRIGHT_RETURN_IF_ERROR(
              checkLimits(module, session.options.diagnostics));
  // A stop names the pass that ran, not another kernel's.
  session.context.disableMultithreading();
  return session.runPipeline(passes.text(code, last), program.module());
}

Status stopProgram(ModelSession &session, ModelProgram &program,
                   const std::filesystem::path &output) {
  const PassList passes = remainingPasses(session, program);
  TILEWRIGHT_ASSIGN_OR_RETURN(const size_t stop,
                              passes.upTo(session.options.stopAfter));
  TILEWRIGHT_RETURN_IF_ERROR(run(session, program, passes, 0, stop));
  return output.empty()
             ? Status()
             : writeCheckpoint(output, program.module(), passes.text(stop));
}

std::string reproduce(ModelSession &session, ModelProgram &program,
                      const std::filesystem::path &output) {
  const PassList passes = remainingPasses(session, program);
  OwningOpRef<ModuleOp> before;
  size_t failing = 0;
  for (; failing < passes.size(); ++failing) {
    before = program.module().clone();
    if (!run(session, program, passes, failing, failing + 1).ok())
      break;
  }
  if (passes.size() == 0)
    return "";
  if (failing == 0)
    return "the first pass, '" + passes.name(0) +
           "', fails: the model itself reproduces it";
  const bool isAfterAll = failing == passes.size();
  if (!writeCheckpoint(output, isAfterAll ? program.module() : *before,
                       passes.text(failing))
           .ok())
    return "'" + output.string() + "' cannot be written";
  return output.string() + " is the program " +
         (isAfterAll ? "after all passes"
                     : "before the pass '" + passes.name(failing) + "'") +
         "; compile it with --resume to repeat the error";
}

/// Continues a stopped program. Kernels that were stopped themselves, or for
/// which passes with other options are left, run those; all others are compiled
/// as usual, or read from the cache.
static Status goOn(ModelSession &session, ModelProgram &program) {
  const CompileModelOptions &options = session.options;
  const PassList left(*program.imported.rest);
  const size_t code = left.beforeCode();
  PassManager passes(&session.context);
  buildCodePipeline(passes, options);
  if (left.text(code) != PassList::of(passes).text(0)) {
    program.codeRest = left;
    PassManager rest(&session.context);
    TILEWRIGHT_RETURN_IF_ERROR(
        parseModelPipeline(left.text(code), options, rest)
            .prefixed(session.name()));
  }
  return session.runPipeline(left.text(0, code), program.module());
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
  std::optional<llvm::json::Value> plan;
  if (!program.isKernel) {
    PassManager passes(&session.context);
    graph::buildGroupsPipeline(passes, groupsOptions(options));
    TILEWRIGHT_RETURN_IF_ERROR(
        session.run(passes, program.module(), "the graph cannot be lowered"));
    if (options.wantFusion)
      plan = addFusionPlan(program, report);
  }
  PassManager passes(&session.context);
  buildLoweringPipeline(passes, options, program);
  TILEWRIGHT_RETURN_IF_ERROR(
      session.run(passes, program.module(), "the graph cannot be lowered"));
  if (plan)
    addLoops(program, std::move(*plan), report);
  return {};
}

} // namespace tilewright
