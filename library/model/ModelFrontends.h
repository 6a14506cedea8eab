//===- ModelFrontends.h - All frontends -------------------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_MODELFRONTENDS_H
#define TILEWRIGHT_LIBRARY_MODEL_MODELFRONTENDS_H

#include "tilewright/compiler/Plugins.h"
#include "tilewright/mlir/Frontend.h"

namespace tilewright {

/// The frontends of plug-ins (there may be none), then Tilewright's own, in the
/// order in which they are asked.
std::vector<const frontend::Frontend *> frontendsOf(const Plugins *plugins);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_MODELFRONTENDS_H
