//===- CpuOp.h - What is done with an op on a CPU ---------------*- C++ -*-===//
//
// Each group of ops adds its entries to one table. All dispatch on ops uses
// this table.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_CPU_CPUOP_H
#define TILEWRIGHT_CODEGEN_CPU_CPUOP_H

#include "codegen/cpu/Emission.h"
#include "codegen/cpu/SourceDims.h"
#include "tileir/ir/OpTable.h"
#include <functional>

namespace tilewright::cpu {

/// Builds the results of an op in registers from operands that are all scalars
/// (`width` 1), or vectors of `width` lanes.
using Compute =
    std::function<Values(mlir::Operation *, mlir::ValueRange, int64_t width,
                         mlir::ImplicitLocOpBuilder &)>;

/// What is done with an op. It has a way to be emitted or to be computed; all
/// else only where it applies.
struct CpuOp {
  /// Emits the op at its position. Without it: see emitLazy.
  std::function<llvm::LogicalResult(mlir::Operation *, Emission &)> emit = {};

  /// Computes elements of the result where they are used.
  std::function<mlir::FailureOr<mlir::Value>(mlir::Operation *, const Lanes &,
                                             Emission &)>
      eval = {};
  /// Of an elementwise op, which needs no `eval`: computes elements of the
  /// results from those of the operands at the same index.
  Compute compute = {};
  /// Whether this op is lazy: computed where it is used. Null: it is if it has
  /// `eval` or `compute`.
  std::function<bool(mlir::Operation *)> isLazy = {};

  /// The result's buffer, where it is another reading of the source's.
  std::function<mlir::FailureOr<Buffer>(mlir::Operation *, Emission &)> alias =
      {};
  /// For ops that permute or reshape a tile: see dimGroupsOfSource.
  std::function<std::optional<llvm::SmallVector<DimGroup>>(mlir::Operation *)>
      sourceDims = {};
  /// The dimension of the result whose elements depend only on those of the
  /// operand at the same index of its dimension `dim`, if there is one. Of ops
  /// that are not elementwise and do not only rearrange a tile.
  std::function<std::optional<unsigned>(mlir::OpOperand &, unsigned dim)>
      resultDim = {};
  /// The view or the pointers through which the op loads.
  std::function<mlir::Value(mlir::Operation *)> loadsFrom = {};
  /// Whether a lazy op's elements are those of its operand at shifted indices.
  bool shifts = false;
  /// Whether the result is a view or pointers into the first operand's memory.
  bool keepsMemory = false;
  /// Whether the op finds the elements of an operand in memory or makes a
  /// buffer of them.
  std::function<bool(mlir::OpOperand &)> buffersOperand = {};
  /// Rough cycles to compute one element again. A tile whose op takes 0 never
  /// has a buffer.
  int64_t cost = 1;
};

/// Wraps a function on ops of one type as a table entry.
template <typename Op, typename Result, typename... Args>
std::function<Result(mlir::Operation *, Args...)>
onOp(Result (*function)(Op, Args...)) {
  return [function](mlir::Operation *op, Args... args) {
    return function(llvm::cast<Op>(op), args...);
  };
}

using CpuOps = tile::OpTable<CpuOp>;

/// The entry of the op, or that of all ops that numeric::Elementwise emits;
/// null if there is none.
const CpuOp *lookupOp(mlir::Operation *op);

/// Each group of ops adds its entries.
void addAtomicOps(CpuOps &ops);
void addControlOps(CpuOps &ops);
void addDotOps(CpuOps &ops);
void addEffectOps(CpuOps &ops);
void addElementOps(CpuOps &ops);
void addMemoryOps(CpuOps &ops);
void addPartOps(CpuOps &ops);
void addPointerOps(CpuOps &ops);
void addProgramOps(CpuOps &ops);
void addReduceOps(CpuOps &ops);
void addScanOps(CpuOps &ops);
void addShapeOps(CpuOps &ops);
void addSortOps(CpuOps &ops);
void addViewOps(CpuOps &ops);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_CODEGEN_CPU_CPUOP_H
