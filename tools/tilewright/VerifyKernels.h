//===- VerifyKernels.h - Evidence of passes and kernels ---------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_VERIFYKERNELS_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_VERIFYKERNELS_H

#include "tools/tilewright/Evidence.h"
#include "tools/tilewright/Verify.h"
#include "verify/validate/KernelCheck.h"

namespace tilewright::tool {

[[nodiscard]] std::vector<PassRecord>
recordsOf(const std::vector<verify::PassEvidence> &passes);
/// Of a model that was judged kernel by kernel.
[[nodiscard]] std::vector<KernelRecord>
recordsOf(const verify::ModelVerdict &verdict);

/// A summary behind `title`, then a line for each pass that changed something.
void print(const std::vector<verify::PassEvidence> &passes,
           const std::string &title);

/// Errors: `package` is no package, or its code for the targets is not what the
/// model compiles to.
Status checkIsPackageOf(const VerifyArguments &arguments,
                        const std::shared_ptr<const Plugins> &plugins);

/// Adds what is not of verdicts, and writes evidence.json to the package that
/// the arguments name.
Status writeEvidence(const VerifyArguments &arguments, Evidence evidence);

/// Each kernel of the package for the target, as what is known of a model that
/// was judged as a whole.
StatusOr<std::vector<KernelRecord>>
kernelsOfWhole(const std::string &package, const std::string &target,
               const verify::LevelsVerdict &levels);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_VERIFYKERNELS_H
