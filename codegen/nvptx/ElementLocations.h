//===- ElementLocations.h - Where elements lie in shared memory -*- C++ -*-===//
//
// Parts of tiles, and tiles of another shape: the memory is dense, so an
// element's offset in it is a sum over its coordinates. LLVM joins accesses of
// neighbours to vectors where it finds them aligned.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_ELEMENTLOCATIONS_H
#define TILEWRIGHT_CODEGEN_NVPTX_ELEMENTLOCATIONS_H

#include "codegen/nvptx/Emission.h"
#include "codegen/tilegpu/TileGpu.h"

namespace tilewright::nvptx {

/// A part of a tile in shared memory; without offsets, all of it.
struct SharedWindow {
  mlir::TypedValue<tilegpu::SharedType> memory;
  llvm::ArrayRef<int64_t> offsets, steps;
};

/// Offsets in memory, in elements: sum over the dimensions of
/// (offset + step * coordinate) * stride.
struct ElementLocations {
  layout::Layout layout;
  mlir::Value base; // Of the memory.
  int64_t bytes = 1, last = 0;
  /// What a coordinate counts for, by dimension, and the rest of the sum.
  llvm::SmallVector<int64_t> factors;
  int64_t constant = 0;
  /// An offset is what the register chooses, the same for all threads, and what
  /// this thread adds: one number, or one for each round of repeats that are
  /// dealt and not separable.
  llvm::SmallVector<int64_t> ofRegister;
  llvm::SmallVector<mlir::Value> ofRound, roundAddress;
  /// All offsets, a vector of i32, where registers and threads choose the same
  /// bits of a cell; else null.
  mlir::Value all;
};

/// Of a tile of `shape` in the window.
ElementLocations locationsIn(Emission &e, const SharedWindow &window,
                             const layout::Layout &layout,
                             llvm::ArrayRef<int64_t> shape);
/// The offsets of all registers, as a vector of i32.
mlir::Value locationVector(Emission &e, const ElementLocations &locations);
mlir::Value addressAt(Emission &e, const ElementLocations &locations,
                      mlir::Value location);

/// Stores and loads a tile, element by element; `value` as it is in memory.
void storeElements(Emission &e, const SharedWindow &window,
                   mlir::RankedTensorType tile, mlir::Value value);
mlir::Value loadElements(Emission &e, const SharedWindow &window,
                         mlir::RankedTensorType tile);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_ELEMENTLOCATIONS_H
