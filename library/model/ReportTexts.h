//===- ReportTexts.h - What a compilation shows of its work -----*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_REPORTTEXTS_H
#define TILEWRIGHT_LIBRARY_MODEL_REPORTTEXTS_H

#include "library/model/session/ModelProgram.h"
#include "llvm/Support/JSON.h"

namespace tilewright {

/// Whether the texts of a kernel are wanted.
bool isShown(llvm::StringRef kernel, const CompileModelOptions &options);

/// The fusion plan, and what of the user's patterns is not in it; returned as
/// JSON.
llvm::json::Value addFusionPlan(const ModelProgram &program,
                                CompileModelReport &report);

/// The loops of the lowered program, behind the fusion plan.
void addLoops(const ModelProgram &program, llvm::json::Value plan,
              CompileModelReport &report);

/// The kernels for each target, and the user's kernels.
void addTiles(const ModelProgram &program, const CompileModelOptions &options,
              CompileModelReport &report);

/// What is wanted of the kernels' texts.
void addKernelTexts(const std::vector<KernelImage> &images,
                    const CompileModelOptions &options,
                    CompileModelReport &report);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_REPORTTEXTS_H
