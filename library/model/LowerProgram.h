//===- LowerProgram.h - The passes of a model, run --------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_LOWERPROGRAM_H
#define TILEWRIGHT_LIBRARY_MODEL_LOWERPROGRAM_H

#include "library/model/session/ModelProgram.h"

namespace tilewright {

/// From the graph to the program of launches and its kernels. The report gets
/// the fusion plan.
Status makeKernels(ModelSession &session, ModelProgram &program,
                   CompileModelReport &report);

/// Runs the passes up to the requested one, and writes the module.
Status stopProgram(ModelSession &session, ModelProgram &program,
                   const std::filesystem::path &output);

/// After a failed compilation: runs the passes one by one up to the one that
/// fails, and writes the program to `output` as it was before it, with the
/// passes from there on. Returns a note for the user; empty if there are no
/// passes.
std::string reproduce(ModelSession &session, ModelProgram &program,
                      const std::filesystem::path &output);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_LOWERPROGRAM_H
