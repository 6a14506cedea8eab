//===- ModelPipeline.h - The way of a model to kernels ----------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_SESSION_MODELPIPELINE_H
#define TILEWRIGHT_LIBRARY_MODEL_SESSION_MODELPIPELINE_H

#include "graph/pipeline/Pipelines.h"
#include "library/model/session/ModelProgram.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"

namespace tilewright {

/// All passes from a frontend's output to code in the llvm dialect: those of
/// graph/pipeline/Pipelines.h, between them "assign-group-schedules", then
/// "split-kernels", and those of codegen/pipeline/Pipelines.h for each target.
void buildModelPipeline(mlir::OpPassManager &passes,
                        const CompileModelOptions &options,
                        const ModelProgram &program);

/// How graph/pipeline/Pipelines.h makes groups of the model.
graph::GroupsOptions groupsOptions(const CompileModelOptions &options);

/// Those from groups to kernels that are alone in their modules.
void buildLoweringPipeline(mlir::OpPassManager &passes,
                           const CompileModelOptions &options,
                           const ModelProgram &program);

/// Those that follow, on kernels: nested in `graph.cpu_code` and the like.
/// Those of plug-ins are the first.
void buildCodePipeline(mlir::OpPassManager &passes,
                       const CompileModelOptions &options);

/// Adds passes by their names, "a,b(c)". The options have the plug-ins and the
/// table. Errors: there is no such pass.
Status parseModelPipeline(const std::string &text,
                          const CompileModelOptions &options,
                          mlir::OpPassManager &passes);

/// Registers the passes of a model, down to the llvm dialect.
TILEWRIGHT_PRIVATE_API void registerModelPipelines();

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_SESSION_MODELPIPELINE_H
