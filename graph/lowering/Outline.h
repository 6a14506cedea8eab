//===- Outline.h - A group as a function of its own -------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_OUTLINE_H
#define TILEWRIGHT_GRAPH_LOWERING_OUTLINE_H

#include "graph/ir/Graph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace tilewright::graph {

/// A module with one function @group that computes what the group does, from
/// its inputs. Its text is the same for equal groups, wherever they stand. None
/// for a group whose kernel is not split into tiles here (concatenations), that
/// has several results, or whose shapes are not static.
mlir::OwningOpRef<mlir::ModuleOp> outline(GroupOp group);

/// The text of a module that outline() made, without locations.
std::string outlinedText(mlir::ModuleOp module);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_OUTLINE_H
