//===- CopyAccess.h - Tiles that cp.async copies ----------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_COPYACCESS_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_COPYACCESS_H

#include "codegen/layout/Access.h"
#include "codegen/tilegpu/TileGpu.h"

namespace tilewright::tilegpu {

/// How each thread copies the elements that it would load: by the widest
/// instructions whose elements are contiguous, and aligned, in both memories.
struct CopyAccess {
  /// 16, 8 or 4.
  unsigned bytes = 0;
  /// Of the view: one group of registers for each instruction.
  layout::VectorAccess groups;
  /// To shared memory: the thread's offset, and for each group its instruction.
  layout::LinearMap threadOffset;
  std::vector<layout::SharedInstruction> instructions;
};

/// Whether `op` does no more than to give the elements of a tile other indices,
/// as a transpose or a reshape does.
bool renamesElements(mlir::Operation *op);

/// Of `tile`, which `read` reads and transposes and reshapes rename. Rejected,
/// with what keeps its elements from being copied to `memory` so.
StatusOr<CopyAccess> copyAccess(tile::ViewAccessOpInterface read,
                                mlir::Value tile, SharedType memory);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_COPYACCESS_H
