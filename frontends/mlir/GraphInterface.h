//===- GraphInterface.h - What a graph's text says of it --------*- C++ -*-===//
#ifndef TILEWRIGHT_FRONTENDS_MLIR_GRAPHINTERFACE_H
#define TILEWRIGHT_FRONTENDS_MLIR_GRAPHINTERFACE_H

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/support/Status.h"

namespace tilewright {

/// Checks the attributes for the names of tensors on functions of a module at
/// the graph level: graph.name is a text, and of one argument (or result) only;
/// graph.dims is a list of texts, one for each dimension; a person may write no
/// other graph.* attribute. Errors are at the argument's line.
Status checkGraphInterface(mlir::ModuleOp module);

} // namespace tilewright

#endif // TILEWRIGHT_FRONTENDS_MLIR_GRAPHINTERFACE_H
