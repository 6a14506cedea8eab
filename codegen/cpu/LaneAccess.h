//===- LaneAccess.h - Loads and stores of lanes -----------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_CPU_LANEACCESS_H
#define TILEWRIGHT_CODEGEN_CPU_LANEACCESS_H

#include "mlir/IR/Builders.h"

namespace tilewright::cpu {

/// The address of element number `element` from `base` on. Elements of less
/// than a byte take a byte in memory.
mlir::Value address(mlir::ImplicitLocOpBuilder &b, mlir::Value base,
                    mlir::Value element, mlir::Type type);

/// Loads `width` elements `stride` apart; lanes where `mask` is false return
/// `pad` and touch no memory.
mlir::Value loadLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value pointer,
                      mlir::Value stride, bool isUnit, mlir::Type element,
                      int64_t width, mlir::Value mask, mlir::Value pad);

/// Stores `width` elements `stride` apart where `mask`, if any, is true.
void storeLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                mlir::Value pointer, mlir::Value stride, bool isUnit,
                mlir::Type element, int64_t width, mlir::Value mask);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_LANEACCESS_H
