//===- ElementPlaces.h - Where elements lie in shared memory ----*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_ELEMENTPLACES_H
#define TILEWRIGHT_CODEGEN_NVPTX_ELEMENTPLACES_H

#include "codegen/nvptx/ThreadEmitter.h"

namespace tilewright::nvptx {

/// Places in memory, in elements: sum over the dimensions of
/// (offset + step * coordinate) * stride.
struct ThreadEmitter::ElementPlaces {
  layout::Layout layout;
  mlir::Value base; // Of the memory.
  int64_t bytes = 1, last = 0;
  /// What a coordinate counts for, by dimension, and the rest of the sum.
  llvm::SmallVector<int64_t> factors;
  int64_t constant = 0;
  /// By register, the place in thread 0; and what register 0 of this thread
  /// adds to it: null where registers and threads choose the same bits.
  llvm::SmallVector<int64_t> ofRegister;
  mlir::Value ofThread, threadAddress;
};

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_ELEMENTPLACES_H
