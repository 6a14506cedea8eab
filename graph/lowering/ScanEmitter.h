//===- ScanEmitter.h - Prefixes of rows as scans ----------------*- C++ -*-===//
//
// A program scans rows that it holds whole. Long ones it walks piece by piece
// and carries the combination of all elements before the piece.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_SCANEMITTER_H
#define TILEWRIGHT_GRAPH_LOWERING_SCANEMITTER_H

#include "graph/analysis/Access.h"
#include "graph/lowering/Box.h"

namespace tilewright::graph {

/// The scan that is carried along the pieces of a dimension of the group.
struct WalkedScan {
  mlir::linalg::GenericOp op;
  unsigned dim;
  bool isReverse;
};
/// That of the group, if it is along one of these dimensions; empty where there
/// is none, or where both loops are not known to have as many points.
mlir::FailureOr<std::optional<WalkedScan>>
walkedScan(KernelFrame &frame, llvm::ArrayRef<unsigned> dims);

/// What is carried into the first piece, for a box of the result.
mlir::Value firstCarry(KernelFrame &frame, mlir::linalg::GenericOp op,
                       const Box &box);

/// Whether `op` is the scan that the frame carries, or one of whole rows.
/// `parallel` are its loops, where that of the reduction has one point.
bool isScan(KernelFrame &frame, mlir::linalg::GenericOp op,
            const Box &parallel);

/// The scan's tile, of the shape of `parallel`, combined with `initial`.
mlir::FailureOr<mlir::Value> emitScan(KernelFrame &frame,
                                      mlir::linalg::GenericOp op,
                                      const Box &parallel, mlir::Value initial);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_SCANEMITTER_H
