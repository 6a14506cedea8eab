// The values a program computes with: tiles (a scalar is a tile of no
// dimensions) and views.
#pragma once

#include "tileir/reference/Element.h"
#include "tilewright/mlir/Tile.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <variant>
#include <vector>

namespace tilewright::reference {

/// An element's coordinates in a tile.
using Index = llvm::ArrayRef<int64_t>;

/// A tensor or a scalar.
struct TileValue {
  /// The MLIR type: a tensor of static shape, or an element's type.
  mlir::Type type;
  /// In row-major order; one for a scalar.
  std::vector<Element> elements;

  static TileValue scalar(Element element);
  static TileValue splat(mlir::Type type, const Element &element);
  /// The tile whose element at each index is the result of `make`.
  static TileValue generate(mlir::Type type,
                            llvm::function_ref<Element(Index)> make);

  llvm::ArrayRef<int64_t> shape() const;
  mlir::Type elementType() const { return getElementTypeOrSelf(type); }
  const Element &at(Index index) const;
  Element &at(Index index);
};

/// A box of elements in memory.
struct ViewValue {
  Pointer base;
  mlir::Type elementType;
  llvm::SmallVector<int64_t> dims;
  /// In elements.
  llvm::SmallVector<int64_t> strides;

  /// True if `index` is in the box.
  bool contains(Index index) const;
  /// The address of an element, in or out of the box.
  Pointer address(Index index) const;
};

using Value = std::variant<TileValue, ViewValue>;

/// Calls `visit` with each index of a box of this shape, in row-major order.
void forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(Index)> visit);
/// The index of `index` in row-major order.
int64_t linearIndex(llvm::ArrayRef<int64_t> shape, Index index);
/// Row-major strides of a box of this shape.
llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

} // namespace tilewright::reference
