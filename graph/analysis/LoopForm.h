//===- LoopForm.h - The loops of a graph ------------------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_LOOPFORM_H
#define TILEWRIGHT_GRAPH_ANALYSIS_LOOPFORM_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace tilewright::graph {

/// A loop that runs as one: an scf.for, or an scf.while that computes nothing
/// before its condition. It ends after a count, where a carried tensor<i1> is
/// false, or at the first of both.
struct LoopForm {
  /// A value that iterations change: a tensor, or an index.
  struct Carried {
    mlir::OpOperand *init;
    /// What the body finds, and what it leaves.
    mlir::Value argument, next;
    mlir::OpResult result;
  };
  mlir::Block *body = nullptr;
  llvm::SmallVector<Carried> carried;
  /// Null: no count. Else the loop runs as long as a number that begins at
  /// `lower` (null: 0) and grows by `step` (null: 1) is less than `upper`.
  mlir::Value lower, upper, step;
  /// That number in the body; null where it is carried, or there is no count.
  mlir::Value index;
  /// The argument of the body that decides; null: none does.
  mlir::Value condition;
};

/// Nothing for an op that is no such loop.
std::optional<LoopForm> matchLoop(mlir::Operation *op);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_LOOPFORM_H
