//===- Outline.h - A group as a function of its own -------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_OUTLINE_H
#define TILEWRIGHT_GRAPH_LOWERING_OUTLINE_H

#include "graph/ir/Graph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tilewright::graph {

/// A module with one function @group that computes the group's results from its
/// inputs. Equal groups have the same text, independent of their position. None
/// for a group whose kernel is not tiled here (concatenations), that has
/// several results, or whose shapes are not static.
mlir::OwningOpRef<mlir::ModuleOp> outline(GroupOp group);

/// The text of a module that outline() made, without locations.
std::string outlinedText(mlir::ModuleOp module);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_OUTLINE_H
