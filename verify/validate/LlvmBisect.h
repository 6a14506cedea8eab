// The one of LLVM's passes that makes code wrong.
#pragma once

#include "tilewright/codegen/CodeOptions.h"
#include "verify/validate/LevelCheck.h"

namespace tilewright::verify {

/// Looks for it as LLVM's -opt-bisect-limit does: `isWrong` compiles with the
/// optional passes that the filter lets run, in the same order each time, and
/// says whether the code is wrong. None: the code is right with all of them.
/// Errors: those of `isWrong`.
StatusOr<std::optional<LlvmPass>> bisectLlvm(
    const std::function<StatusOr<bool>(const LlvmPassFilter &)> &isWrong);

} // namespace tilewright::verify
