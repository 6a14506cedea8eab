//===- AttentionEmitter.h - softmax(f(Q K)) V in one kernel -----*- C++ -*-===//
//
// A program walks the keys block by block. It carries, for each of its queries,
// the maximum and the total of what it has seen, and the sums of the values;
// these are rescaled where the maximum grows. (Milakov and Gimelshein, "Online
// normalizer calculation for softmax", 2018)
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_ATTENTIONEMITTER_H
#define TILEWRIGHT_GRAPH_LOWERING_ATTENTIONEMITTER_H

#include "graph/lowering/Box.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright::graph {

/// A box of the result of `product`, the second product of the group's
/// attention.
mlir::FailureOr<mlir::Value> emitAttention(KernelFrame &frame,
                                           mlir::linalg::GenericOp product,
                                           const Box &box);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_ATTENTIONEMITTER_H
