//===- RunStages.cpp - Passes over a kernel, run --------------------------===//
#include "codegen/pipeline/RunStages.h"

#include "codegen/llvm/ControlContext.h"
#include "codegen/pipeline/DiagnosticCollector.h"
#include "mlir/IR/Verifier.h"
#include <deque>

using namespace mlir;

namespace tilewright {

Status runPasses(PassManager &passes, ModuleOp module, StringRef name,
                 const CompileOptions &options, bool verifiesResult) {
  DiagnosticCollector errors(module.getContext(), options.diagnostics);
  passes.enableVerifier(options.verifyEach);
  if (options.timing)
    passes.enableTiming(*options.timing);
  if (failed(passes.run(module)) || isStopped(options) ||
      (verifiesResult && failed(verify(module))))
    return Status::unsupported("kernel '" + name.str() + "': " + errors.text());
  return {};
}

/// Begins a phase on the module that the last one left; returns whether to go
/// on.
static bool beginPhase(CompilationControl &control, StringRef phase,
                       ModuleOp module) {
  control.beginPhase(phase);
  return control.goOn() &&
         (!control.countsMemory() || control.allowMemory(bytesOf(module)));
}

Status runStages(ArrayRef<Stage> stages, ModuleOp module, StringRef name,
                 const std::string &schedule, const CompileOptions &options,
                 llvm::function_ref<Status(Stage::Form)> atEnd) {
  const PipelineOptions pipeline = {{options},
                                    schedule,
                                    /*explainsSchedule=*/true,
                                    options.wantExplanation};
  StringRef phase;
  // All live to the end: MLIR knows the timer of a pass by its address.
  std::deque<PassManager> managers;
  for (const Stage &stage : stages) {
    if (phase != stage.phase && options.control &&
        !beginPhase(*options.control, stage.phase, module))
      return Status::internal("stopped");
    phase = stage.phase;
    PassManager &passes = managers.emplace_back(module.getContext());
    stage.build(passes, pipeline);
    // Once for all passes, as each costs little next to a verification. The
    // llvm dialect is verified as LLVM IR.
    const bool verifiesResult = stage.form == Stage::Form::scheduled ||
                                stage.form == Stage::Form::loops;
    TILEWRIGHT_RETURN_IF_ERROR(
        runPasses(passes, module, name, options, verifiesResult));
    TILEWRIGHT_RETURN_IF_ERROR(atEnd(stage.form));
  }
  return {};
}

} // namespace tilewright
