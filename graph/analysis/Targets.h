//===- Targets.h - What targets say of themselves ---------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_TARGETS_H
#define TILEWRIGHT_GRAPH_ANALYSIS_TARGETS_H

#include "mlir/IR/BuiltinOps.h"
#include "tilewright/mlir/Tile.h"
#include <string>

namespace tilewright::graph {

/// The number that `target` gives for the fact `name`; 0 where it gives none.
int64_t factOf(tile::TargetAttr target, llvm::StringRef name);

/// The products of 16-bit floats that the matrix units of a multiprocessor
/// compute in a cycle; 0 where there are none, or `target` does not say.
int64_t matrixProductsOf(tile::TargetAttr target);

/// The first target of `module` (graph.targets) without matrix units, "an
/// unknown one" where it names none; empty where all have them.
std::string targetWithoutUnits(mlir::ModuleOp module);

/// Whether `module` names targets, and all of them are CPUs.
bool isForCpusAlone(mlir::ModuleOp module);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_TARGETS_H
