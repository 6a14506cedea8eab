//===- ModelFrontends.h - All frontends -------------------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_IMPORT_MODELFRONTENDS_H
#define TILEWRIGHT_LIBRARY_MODEL_IMPORT_MODELFRONTENDS_H

#include "tilewright/compiler/Plugins.h"
#include "tilewright/mlir/Frontend.h"

namespace tilewright {

/// The frontends of plug-ins, if any, then Tilewright's own, in the order in
/// which they are tried.
std::vector<const frontend::Frontend *> frontendsOf(const Plugins *plugins);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_IMPORT_MODELFRONTENDS_H
