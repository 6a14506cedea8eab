//===- BindKernel.h - A tile kernel written by hand -------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_BINDKERNEL_H
#define TILEWRIGHT_LIBRARY_MODEL_BINDKERNEL_H

#include "library/model/ModelProgram.h"

namespace tilewright {

/// Makes a program of the hand-written kernel: the modules of its forms. The
/// report gets their text.
Status bindKernel(ModelSession &session, ModelProgram &program,
                  CompileModelReport &report);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_BINDKERNEL_H
