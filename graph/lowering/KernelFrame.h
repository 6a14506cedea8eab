//===- KernelFrame.h - A kernel while it is emitted -------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_KERNELFRAME_H
#define TILEWRIGHT_GRAPH_LOWERING_KERNELFRAME_H

#include "graph/analysis/SymbolicShapes.h"
#include "graph/lowering/Box.h"
#include "graph/lowering/TileSizes.h"
#include "tilewright/mlir/Tile.h"

#include <unordered_map>

namespace tilewright::graph {

/// What the caller of an emitted kernel passes for one argument.
struct KernelArgument {
  /// The tensor behind a view, null for a scalar.
  mlir::Value tensor;
  /// The value of an index argument.
  mlir::AffineExpr scalar;

  friend bool operator==(const KernelArgument &,
                         const KernelArgument &) = default;
};

/// A tile that was computed.
struct CachedTile {
  mlir::Value value;
  Box box;
  mlir::Value tile;
};

/// What the scan of a long row carries from each piece to the next: the
/// combination of all before it.
struct ScanCarry {
  mlir::linalg::GenericOp scan;
  mlir::Value before;
  /// What the next piece gets; null until the scan is emitted.
  mlir::Value after;
};

/// State shared by the emitters of one kernel: the builder, the analyses, and
/// the kernel's arguments and values so far.
struct KernelFrame {
  KernelFrame(mlir::OpBuilder &builder, SymbolicShapes &shapes,
              const Group &group);

  /// The argument that is the view of `tensor`; a new one if it has none.
  mlir::Value viewOf(mlir::Value tensor);
  /// A size as an index: a constant, the size of a view, or an argument.
  mlir::FailureOr<mlir::Value> sizeValue(mlir::AffineExpr size);
  /// What loads find beyond the end of `tensor`: what changes nothing for a
  /// reduction that accumulates its elements as they are, else zero.
  mlir::TypedAttr paddingOf(mlir::Value tensor);
  /// A constant at the kernel's entry, one for each value.
  mlir::Value index(int64_t constant);
  /// The offset as a sum of constants and symbols, which stand for values.
  mlir::AffineExpr formOf(const Offset &offset);

  mlir::OpBuilder builder;
  mlir::Location loc;
  SymbolicShapes &shapes;
  const Group &group;
  TileSizes sizes;
  /// Of products of f32.
  tile::DotPrecision precision = tile::DotPrecision::ieee;
  tile::KernelOp kernel;
  mlir::Block *entry = nullptr;
  std::vector<KernelArgument> arguments;
  llvm::SmallVector<mlir::AffineExpr> gridSizes;
  /// Tiles computed so far, visible at the insertion point; loops push a
  /// scope and drop it at their end.
  std::vector<llvm::SmallVector<CachedTile>> scopes;
  /// What windows read, while their points are walked; visible as well.
  llvm::SmallVector<CachedTile> windows;
  std::unordered_map<int64_t, mlir::Value> indexConstants;
  /// The numbers of the symbols that formOf() made.
  llvm::DenseMap<mlir::Value, unsigned> symbols;
  /// In bodies, comparisons that hold for all points of what is emitted, and
  /// selections whose condition does.
  llvm::SmallPtrSet<mlir::Operation *, 2> holding;
  /// While the pieces of long rows are walked, if they are scanned.
  std::optional<ScanCarry> carry;
};

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_KERNELFRAME_H
