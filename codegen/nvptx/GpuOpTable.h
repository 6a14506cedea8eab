//===- GpuOpTable.h - How each op is emitted --------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_GPUOPTABLE_H
#define TILEWRIGHT_CODEGEN_NVPTX_GPUOPTABLE_H

#include "tileir/ir/OpTable.h"
#include <functional>
#include <type_traits>

namespace tilewright::nvptx {

struct Emission;

/// How an op is emitted. It fails with an error at the op.
using GpuOp = std::function<mlir::LogicalResult(mlir::Operation *, Emission &)>;
using GpuOps = tile::OpTable<GpuOp>;

/// One entry for all of the ops: `emit` takes any op, and returns a
/// LogicalResult or, where it cannot fail, nothing.
template <typename... Ops, typename Result>
void addAll(GpuOps &ops, Result (*emit)(mlir::Operation *, Emission &)) {
  ops.add<Ops...>([emit](mlir::Operation *op, Emission &e) {
    if constexpr (std::is_void_v<Result>)
      return emit(op, e), mlir::success();
    else
      return emit(op, e);
  });
}

/// The op that `emit` takes.
template <typename Result, typename Op>
void add(GpuOps &ops, Result (*emit)(Op, Emission &)) {
  ops.add<Op>([emit](mlir::Operation *op, Emission &e) {
    if constexpr (std::is_void_v<Result>)
      return emit(llvm::cast<Op>(op), e), mlir::success();
    else
      return emit(llvm::cast<Op>(op), e);
  });
}

/// Each group of ops adds its own.
void addAtomicOps(GpuOps &ops);
void addConstantOps(GpuOps &ops);
void addControlOps(GpuOps &ops);
void addCopyOps(GpuOps &ops);
void addDotOps(GpuOps &ops);
void addEffectOps(GpuOps &ops);
void addElementOps(GpuOps &ops);
void addExchangeOps(GpuOps &ops);
void addGlobalOps(GpuOps &ops);
void addMmaOps(GpuOps &ops);
void addMovementOps(GpuOps &ops);
void addPointerOps(GpuOps &ops);
void addProgramOps(GpuOps &ops);
void addReductionOps(GpuOps &ops);
void addScanOps(GpuOps &ops);
void addShapeOps(GpuOps &ops);
void addSharedOps(GpuOps &ops);
void addSharedIndexedOps(GpuOps &ops);
void addViewOps(GpuOps &ops);

/// Emits an op where the builder is, or the ops of a block one after the other.
mlir::LogicalResult emitOp(mlir::Operation *op, Emission &e);
mlir::LogicalResult emitBlock(mlir::Block &block, Emission &e);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_GPUOPTABLE_H
