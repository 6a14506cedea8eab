//===- ContractionEmitter.h - Products of matrices as dots ------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_CONTRACTIONEMITTER_H
#define TILEWRIGHT_GRAPH_LOWERING_CONTRACTIONEMITTER_H

#include "graph/lowering/Region.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright::graph {

/// A region of the result of a product of matrices (isMatrixProduct()).
mlir::FailureOr<mlir::Value> emitContraction(KernelFrame &frame,
                                             mlir::linalg::GenericOp op,
                                             const Region &region);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_CONTRACTIONEMITTER_H
