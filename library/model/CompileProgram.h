//===- CompileProgram.h - The kernels of a program, compiled ----*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_COMPILEPROGRAM_H
#define TILEWRIGHT_LIBRARY_MODEL_COMPILEPROGRAM_H

#include "library/model/session/ModelProgram.h"

namespace tilewright {

/// Compiles each kernel for each target: the images of one target follow each
/// other. Kernels leave the program. `isUnwritten`: no package is made, so only
/// what is shown counts. Errors: a kernel does not compile; what is to be seen
/// was done before the model was stopped.
StatusOr<std::vector<KernelImage>> compileProgram(ModelSession &session,
                                                  ModelProgram &program,
                                                  bool isUnwritten,
                                                  CompileModelReport &report);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_COMPILEPROGRAM_H
