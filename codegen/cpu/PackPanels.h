//===- PackPanels.h - Operands in panels ------------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_PACKPANELS_H
#define TILEWRIGHT_CODEGEN_CPU_PACKPANELS_H

#include "codegen/cpu/DotOperand.h"

namespace tilewright::cpu {

/// One matrix of `tile` in panels of `panelSize` rows (columns, of the right
/// side), one after the other; the last may be smaller. Of a panel with rows
/// from `end` on, if it is not null, the parts of `unit` rows before, if these
/// fill it.
mlir::FailureOr<MatrixSource> packPanels(mlir::Value tile, mlir::Value batch,
                                         bool isRhs, mlir::Type accumulator,
                                         int64_t panelSize, int64_t unit,
                                         mlir::Value end, Emission &e);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_PACKPANELS_H
