//===- KernelForms.h - A tile kernel written by hand -------------*- C++
//-*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_KERNELFORMS_H
#define TILEWRIGHT_LIBRARY_MODEL_KERNELFORMS_H

#include "library/model/session/ModelProgram.h"

namespace tilewright {

/// Makes a program of the hand-written kernel: the modules of its forms. The
/// report gets their text.
Status makeKernelForms(ModelSession &session, ModelProgram &program,
                       CompileModelReport &report);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_KERNELFORMS_H
