//===- RunStages.h - Passes over a kernel, run ------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_PIPELINE_RUNSTAGES_H
#define TILEWRIGHT_CODEGEN_PIPELINE_RUNSTAGES_H

#include "codegen/pipeline/Pipelines.h"
#include "tilewright/mlir/Compile.h"

namespace tilewright {

/// Runs passes on the module of kernel `name`, each timed, and verifies what
/// they leave if `verifiesResult`. Errors: a pass failed, or a control stopped.
Status runPasses(mlir::PassManager &passes, mlir::ModuleOp module,
                 llvm::StringRef name, const CompileOptions &options,
                 bool verifiesResult = false);

/// Runs stages on the module of kernel `name`, and `atEnd` after each.
/// `schedule` is as in PipelineOptions. Looks at the control before each
/// phase. Errors: as runPasses(), and those of `atEnd`, which end the work.
Status runStages(llvm::ArrayRef<Stage> stages, mlir::ModuleOp module,
                 llvm::StringRef name, const std::string &schedule,
                 const CompileOptions &options,
                 llvm::function_ref<Status(Stage::Form)> atEnd);

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_PIPELINE_RUNSTAGES_H
