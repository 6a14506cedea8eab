//===- ArgumentAccesses.h - What a kernel reads and writes ------*- C++ -*-===//
#ifndef TILEWRIGHT_TILEIR_ANALYSIS_ARGUMENTACCESSES_H
#define TILEWRIGHT_TILEIR_ANALYSIS_ARGUMENTACCESSES_H

#include "tilewright/mlir/Tile.h"
#include "llvm/ADT/SmallBitVector.h"
#include <optional>

namespace tilewright::tile {

/// The argument of `kernel` that a view is; nothing where it was made of a
/// pointer, or chosen.
std::optional<unsigned> argumentOf(KernelOp kernel, mlir::Value view);

/// What a kernel does to the global memory behind its arguments.
struct ArgumentAccesses {
  explicit ArgumentAccesses(KernelOp kernel);

  /// By number: views and pointers that it may read, or write, or both: itself,
  /// or by pointers and views that are made of them. What becomes a number, is
  /// carried by control flow or is passed to a function counts as both.
  llvm::SmallBitVector read, written;
  /// Whether it may write by anything but a view that is an argument: pointers,
  /// views made of them, functions, inline PTX.
  bool hasOtherWrites = false;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_TILEIR_ANALYSIS_ARGUMENTACCESSES_H
