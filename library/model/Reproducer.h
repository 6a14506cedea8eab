//===- Reproducer.h - The program before a pass that fails ------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_REPRODUCER_H
#define TILEWRIGHT_LIBRARY_MODEL_REPRODUCER_H

#include "tilewright/compiler/CompileModel.h"

namespace tilewright {

/// Writes the program to options.reproducer as it was before the pass that
/// fails, which it finds by stops, and adds to `failure`, the error of the
/// compilation of `model`, where it is. Returns `failure` as it is if no pass
/// is to blame, but the model, a limit or the caller's wish.
Status withReproducer(Status failure, const ModelSource &model,
                      const CompileModelOptions &options);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_REPRODUCER_H
