//===- Resources.h - Data of constants --------------------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_TRANSFORMS_RESOURCES_H
#define TILEWRIGHT_GRAPH_TRANSFORMS_RESOURCES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::graph {

/// The elements of a constant in memory, one where all are equal; empty where
/// they are not whole bytes, or their data is not there.
llvm::ArrayRef<char> bytesOf(mlir::ElementsAttr constant);

/// Frees the data of those of `constants` that the module does not use any
/// more: a context keeps it for its whole lifetime.
void freeUnused(mlir::ModuleOp module,
                llvm::SetVector<mlir::DenseResourceElementsAttr> &constants);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_TRANSFORMS_RESOURCES_H
