//===- TileAccess.h - A tile of a view in global memory ---------*- C++ -*-===//
//
// A thread loads and stores its registers in groups of neighbours, one vector
// access each. Where the end of the view may cut a tile there are two versions:
// one for tiles inside the view, without a check, and one that checks each
// group. Where tiles divide the view, all of a tile is inside or none.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_NVPTX_TILEACCESS_H
#define TILEWRIGHT_CODEGEN_NVPTX_TILEACCESS_H

#include "codegen/layout/Access.h"
#include "codegen/nvptx/Emission.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tilewright::tilegpu {
struct ElementOrder;
} // namespace tilewright::tilegpu

namespace tilewright::nvptx {

/// One tile of a view, as this thread sees it.
struct TileAccess {
  const View *view = nullptr;
  layout::Layout layout;
  llvm::SmallVector<int64_t> shape, steps;
  /// By dimension, whether the end of the view may be within the tile.
  llvm::SmallBitVector isCut;
  /// View element of the tile's element 0, and what this thread adds to the
  /// coordinates, along each dimension.
  llvm::SmallVector<mlir::Value> first, part;
  /// Element type in registers and in memory, and its bytes there.
  mlir::Type element, stored;
  int64_t bytes = 0;
  AliasFacts alias;
  /// Of a tile inside its view, and of one that extends beyond it.
  layout::VectorAccess groups, edgeGroups;
  /// What the addresses of this thread's elements have in common, an i64.
  mlir::Value address;
  /// Registers of this thread that are padding in some thread.
  mlir::Value inTile;
};

/// Rejects `op` where accesses of the tile cannot be emitted.
mlir::LogicalResult checkSeparable(mlir::Operation *op,
                                   mlir::RankedTensorType tile);
/// The tile that `op` accesses.
TileAccess accessOf(Emission &e, tile::ViewAccessOpInterface op);
/// Fills in what follows from view, layout and first element.
void complete(Emission &e, TileAccess &access, mlir::RankedTensorType tile,
              const tilegpu::ElementOrder &memory);
/// Loads a tile: elements outside of the view are `pad`. Without one, all must
/// be inside.
mlir::Value loadTile(Emission &e, const TileAccess &access, mlir::Value pad);

/// Emits `write(address, inside, registers)` for each group that this thread
/// owns; it writes where `inside` (i1; null: everywhere) is true.
using TileGroup =
    llvm::function_ref<void(mlir::Value, mlir::Value, llvm::ArrayRef<int32_t>)>;
void writeGroups(Emission &e, const TileAccess &access, TileGroup write);
/// The same of a tile that is read. It is inside the view unless `isPadded`;
/// then `inside` is false for what is not.
void readGroups(Emission &e, const TileAccess &access, bool isPadded,
                TileGroup read);

//===--- Vectors ----------------------------------------------------------===//

/// Of memory at a multiple of the vector's size. Where `isRead` or `isWritten`
/// (i1; null: nowhere) is false nothing is, and a load gives `otherwise`, which
/// has the type of the result.
mlir::Value loadVector(mlir::ImplicitLocOpBuilder &b, mlir::Value address,
                       mlir::Value isRead, mlir::Value otherwise,
                       const AliasFacts &alias);
void storeVector(mlir::ImplicitLocOpBuilder &b, mlir::Value address,
                 mlir::Value isWritten, mlir::Value value,
                 const AliasFacts &alias);

/// All registers, of which `load` gives those of a group as a vector.
using LoadGroup = llvm::function_ref<mlir::Value(llvm::ArrayRef<int32_t>)>;
mlir::Value loadInGroups(mlir::ImplicitLocOpBuilder &b,
                         const layout::Layout &layout,
                         const layout::VectorAccess &groups, LoadGroup load);

} // namespace tilewright::nvptx

#endif // TILEWRIGHT_CODEGEN_NVPTX_TILEACCESS_H
