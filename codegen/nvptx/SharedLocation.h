//===- SharedLocation.h - Tiles in shared memory ----------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_SHAREDLOCATION_H
#define TILEWRIGHT_CODEGEN_NVPTX_SHAREDLOCATION_H

#include "codegen/layout/Access.h"
#include "codegen/nvptx/Emission.h"
#include "codegen/tilegpu/TileGpu.h"

namespace tilewright::nvptx {

/// A thread's offset in a tile in shared memory: it accesses the bytes at
/// address + (offset XOR x) + a, for the x and a of each instruction.
struct SharedLocation {
  mlir::Value address;
  mlir::Value offset; // i32
  /// The bits that may be set in the offset.
  int64_t mask = 0;
  int64_t elementBytes = 1;
};

/// The first byte of a tile in shared memory.
mlir::Value sharedBase(Emission &e,
                       mlir::TypedValue<tilegpu::SharedType> memory);
SharedLocation sharedLocation(Emission &e,
                              mlir::TypedValue<tilegpu::SharedType> memory,
                              const layout::LinearMap &threadOffset,
                              int64_t elementBytes);
mlir::Value sharedAddress(Emission &e, const SharedLocation &location,
                          const layout::SharedInstruction &instruction);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_SHAREDLOCATION_H
