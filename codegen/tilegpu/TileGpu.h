//===- TileGpu.h - The scheduled level: tilegpu -----------------*- C++ -*-===//
//
// The dialect of the scheduled level; its specification is docs/scheduled.md.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_TILEGPU_TILEGPU_H
#define TILEWRIGHT_CODEGEN_TILEGPU_TILEGPU_H

#include "codegen/layout/Layout.h"
#include "mlir/IR/TensorEncoding.h"
#include "tilewright/mlir/Tile.h"
#include "tilewright/support/Export.h"

namespace tilewright::layout {
inline llvm::hash_code hash_value(const Layout &layout) {
  return layout.hash();
}
} // namespace tilewright::layout

#pragma GCC visibility push(default)
#include "codegen/tilegpu/TileGpuDialect.h.inc"
#pragma GCC visibility pop
#define GET_ATTRDEF_CLASSES
#include "codegen/tilegpu/TileGpuAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "codegen/tilegpu/TileGpuTypes.h.inc"

namespace tilewright::tilegpu {

/// The resource that accesses of shared memory have effects on.
struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "SharedMemory"; }
};

/// The resource of `tilegpu.copy`, `tilegpu.commit` and `tilegpu.wait`, the
/// groups of copies of a thread, and of `tilegpu.acquire` and
/// `tilegpu.release`, who owns each slot.
struct CopyGroups : mlir::SideEffects::Resource::Base<CopyGroups> {
  llvm::StringRef getName() final { return "CopyGroups"; }
};

/// On a kernel that something executes before `insert-barriers`: each op waits
/// for those before.
inline constexpr llvm::StringLiteral barriersToCome =
    "tilegpu.barriers_to_come";

/// Whether `type` is a tile with a layout.
TILEWRIGHT_PRIVATE_API bool hasLayout(mlir::Type type);
/// The layout of a tile that has one.
TILEWRIGHT_PRIVATE_API const layout::Layout &layoutOf(mlir::Type type);
/// The same tile with another layout.
mlir::RankedTensorType withLayout(mlir::RankedTensorType tile,
                                  const layout::Layout &layout);

/// The result type of `tilegpu.reduce`: rejected as warpReduction says.
StatusOr<mlir::RankedTensorType> warpReducedType(mlir::RankedTensorType tile,
                                                 unsigned axis);
/// The totals that `tilegpu.scan` takes as well as `tile`.
StatusOr<mlir::RankedTensorType> totalsType(mlir::RankedTensorType tile,
                                            unsigned axis);

/// Shapes of the two worlds.
TILEWRIGHT_PRIVATE_API layout::Dims toDims(llvm::ArrayRef<int64_t> shape);
llvm::SmallVector<int64_t> fromDims(const layout::Dims &dims);

/// Whether element i of a tile in shared memory is at offset i, row-major.
bool isDense(SharedType memory);

/// Bits of an element in registers and in shared memory: a power of two from 8.
/// i1 and 4-bit elements take a byte, index and pointers 64 bits.
unsigned elementBits(mlir::Type element);

} // namespace tilewright::tilegpu

#include "codegen/tilegpu/TileGpuInterfaces.h.inc"
#define GET_OP_CLASSES
#include "codegen/tilegpu/TileGpuOps.h.inc"

namespace tilewright::tilegpu {

/// The op that names shared memory.
inline MemoryIdentityOpInterface identityOf(mlir::Value memory) {
  return llvm::cast<MemoryIdentityOpInterface>(memory.getDefiningOp());
}
/// The allocation that it is in.
inline AllocOp rootOf(mlir::Value memory) {
  return identityOf(memory).getRoot().getDefiningOp<AllocOp>();
}

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TILEGPU_TILEGPU_H
