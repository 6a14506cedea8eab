//===- Grouping.h - Which graph ops become one kernel -----------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_GROUPING_H
#define TILEWRIGHT_GRAPH_ANALYSIS_GROUPING_H

#include "graph/analysis/Group.h"

namespace tilewright::graph {

/// The largest number of elements of a row that a program may hold at once.
constexpr int64_t maxRowElements = 8192;

/// With so many rows each program may walk its own, however long they are.
constexpr int64_t manyRows = 64;

/// Ops of one kernel. Its emission follows the values from op to op, with some
/// kilobytes of stack for each.
constexpr size_t maxGroupOps = 512;

/// The product of `sizes`; nothing where one is not known, or it is more than a
/// program may hold.
std::optional<int64_t> elementsHeld(llvm::ArrayRef<int64_t> sizes);

/// How many elements a reduction combines to one; nothing where that is not
/// known, or more than a program may hold.
std::optional<int64_t> rowElements(mlir::linalg::GenericOp op);

/// Partitions the compute ops of a block, in graph form, into groups, in an
/// order in which they can run. What a branch or a loop in the block reads is
/// stored before it. Changes nothing. Deterministic.
std::vector<Group> formGroups(mlir::Block &block);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_GROUPING_H
