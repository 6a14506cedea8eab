//===- Aliasing.h - Which accesses never meet -------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_ALIASING_H
#define TILEWRIGHT_CODEGEN_NVPTX_ALIASING_H

#include "tilewright/mlir/Tile.h"

namespace tilewright::nvptx {

/// What LLVM is told of an access to global memory.
struct AliasFacts {
  /// The scope of the view's argument, and those that are disjoint from it;
  /// null: nothing is known.
  mlir::ArrayAttr scopes, others;
  /// Whether no thread of the launch writes what is loaded: it may be kept in
  /// caches that are not coherent (ld.global.nc).
  bool isConstant = false;
};

/// By `tile.disjoint` of a kernel's arguments.
class Aliasing {
public:
  explicit Aliasing(tile::KernelOp kernel);

  /// Of accesses through `view`.
  [[nodiscard]] AliasFacts of(mlir::Value view) const;

private:
  tile::KernelOp kernel;
  llvm::SmallVector<AliasFacts> facts; // by argument
};

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_ALIASING_H
