//===- WrittenArguments.h - Where a kernel writes ---------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_WRITTENARGUMENTS_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_WRITTENARGUMENTS_H

#include "tilewright/mlir/Tile.h"
#include "llvm/ADT/SmallBitVector.h"
#include <optional>

namespace tilewright::gpu {

/// The argument of `kernel` that a view is; nothing where it was made of a
/// pointer, or chosen.
std::optional<unsigned> argumentOf(tile::KernelOp kernel, mlir::Value view);

/// What a kernel writes in global memory.
struct WrittenArguments {
  explicit WrittenArguments(tile::KernelOp kernel);

  /// By number: arguments that are views and are written through.
  llvm::SmallBitVector arguments;
  /// Whether it may write through other things too: pointers, views made of
  /// them, inline PTX.
  bool hasOthers = false;
};

} // namespace tilewright::gpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_WRITTENARGUMENTS_H
