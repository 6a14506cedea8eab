//===- ContractionEmitter.h - Products of matrices as dots ------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_CONTRACTIONEMITTER_H
#define TILEWRIGHT_GRAPH_LOWERING_CONTRACTIONEMITTER_H

#include "graph/lowering/Box.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright::graph {

/// A box of the result of a product of matrices (isMatrixProduct()).
mlir::FailureOr<mlir::Value>
emitContraction(KernelFrame &frame, mlir::linalg::GenericOp op, const Box &box);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_CONTRACTIONEMITTER_H
