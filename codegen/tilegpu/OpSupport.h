//===- OpSupport.h - What verifiers share -----------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_TILEGPU_OPSUPPORT_H
#define TILEWRIGHT_CODEGEN_TILEGPU_OPSUPPORT_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tilewright::tilegpu {

/// Checks that `axis` is a dimension of `tile`; the error at `op` cites the
/// rule.
inline mlir::LogicalResult verifyAxis(mlir::Operation *op, int64_t axis,
                                      mlir::RankedTensorType tile,
                                      llvm::StringRef rule) {
  if (axis >= 0 && axis < tile.getRank())
    return mlir::success();
  return op->emitOpError() << "axis " << axis << " of a tile with "
                           << tile.getRank() << " dimensions (" << rule << ")";
}

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TILEGPU_OPSUPPORT_H
