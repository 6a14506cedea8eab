//===- BodyEmitter.h - Bodies of graph ops on tiles -------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_BODYEMITTER_H
#define TILEWRIGHT_GRAPH_LOWERING_BODYEMITTER_H

#include "graph/lowering/Box.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright::graph {

/// Maps the block arguments of the inputs to their tiles.
mlir::LogicalResult emitInputs(KernelFrame &frame, mlir::linalg::GenericOp op,
                               const Box &loops, mlir::IRMapping &mapping);

/// The tile of a scalar of an op's body, over the points of `loops`.
mlir::FailureOr<mlir::Value> emitBody(KernelFrame &frame, mlir::Value wanted,
                                      mlir::Block *body,
                                      mlir::IRMapping &mapping,
                                      const Box &loops);

/// One op of a body, with tiles for its operands.
mlir::FailureOr<mlir::Value> emitBodyOp(KernelFrame &frame, mlir::Operation *op,
                                        mlir::ValueRange operands,
                                        const Box &loops);

/// A box of the result of an op whose loops are all parallel.
mlir::FailureOr<mlir::Value>
emitElementwise(KernelFrame &frame, mlir::linalg::GenericOp op, const Box &box);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_BODYEMITTER_H
