//===- Emission.h - A kernel as one thread's code ---------------*- C++ -*-===//
//
// Emits what one thread of a block does: a tile becomes a vector of the
// thread's registers in its layout, a view its base address, sizes and strides.
// The output is loops and branches (scf) over vectors (arith, math, vector),
// with llvm and nvvm ops for memory and shuffles.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_EMISSION_H
#define TILEWRIGHT_CODEGEN_NVPTX_EMISSION_H

#include "codegen/nvptx/Aliasing.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/codegen/GpuTarget.h"
#include "tilewright/mlir/Tile.h"

namespace tilewright::nvptx {

/// A view, its strides in elements.
struct View {
  mlir::Value base; // i64
  llvm::SmallVector<mlir::Value> sizes, strides;
};

/// State shared by the emitters of one kernel. The builder's location is that
/// of the op being emitted.
struct Emission {
  /// Emits into `module`; `kernel` is read only.
  Emission(tile::KernelOp kernel, mlir::ModuleOp module,
           const target::GpuTarget &target, unsigned accessBits = 128)
      : kernel(kernel), module(module), target(target), accessBits(accessBits),
        aliasing(kernel), b(kernel.getLoc(), kernel.getContext()) {}

  /// The value that a scalar or a tile is lowered to.
  mlir::Value get(mlir::Value value) const { return values.at(value); }
  void set(mlir::Value value, mlir::Value emitted) { values[value] = emitted; }

  tile::KernelOp kernel;
  mlir::ModuleOp module;
  const target::GpuTarget &target;
  /// The widest access to global memory.
  unsigned accessBits;
  Aliasing aliasing;
  mlir::ImplicitLocOpBuilder b;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  llvm::DenseMap<mlir::Value, View> views;
  /// This thread's index in the block, i32: lane | warp << 5.
  mlir::Value thread;
  /// The version of PTX, times 10, that what was emitted needs; 0: the
  /// target's first.
  unsigned ptxVersion = 0;
};

/// An error at `op` that begins with its name.
mlir::LogicalResult reject(mlir::Operation *op, const llvm::Twine &why);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_EMISSION_H
