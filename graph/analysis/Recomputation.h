//===- Recomputation.h - What it costs to compute a value again -*- C++ -*-===//
//
// A value that several readers want at different indices is computed at each of
// them, or once and stored. Passes that choose compare the two by the prices
// here, so that what a kernel computes stays in proportion to what the graph
// asks for.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_RECOMPUTATION_H
#define TILEWRIGHT_GRAPH_ANALYSIS_RECOMPUTATION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace tilewright::graph {

struct Group;

/// Prices of one element are in scalar ops. This is that of a load: what a core
/// or a multiprocessor computes while its share of the memory's bandwidth
/// brings one element, rounded.
constexpr int64_t loadPrice = 16;

/// The price of what the body of `op` computes for one element, without loads
/// of its operands; an element that it gathers is a load.
int64_t bodyPrice(mlir::linalg::GenericOp op);

/// Whether an elementwise op computes, from constants alone and for less than a
/// load, elements that take more bytes than the constants: weights that were
/// quantized. Where such elements are read, computing them again costs no more
/// than loading them.
bool decompresses(mlir::linalg::GenericOp op);

/// Whether computing each element of a tensor of `type` `times` times, for
/// `price` an element, costs no more than computing it once, storing it, and
/// loading it as often. `times` counts elements: half of them read twice are
/// one. `isStored`: it is stored in either case. A kernel's launch is part of
/// what storing costs.
bool isCheaperAgain(double times, int64_t price, mlir::RankedTensorType type,
                    bool isStored = false);

/// The elements that loops of these sizes read, as a part of those of a tensor
/// of `type`; 1 at most, and where sizes are known only at run time.
double shareOf(llvm::ArrayRef<int64_t> read, mlir::RankedTensorType type);

/// The tiles of its ops that the kernel of a group computes: an op whose
/// readers want other tiles of it is computed once for each.
class GroupTiles {
public:
  /// The tiles of the group's last op. The group must outlive this.
  explicit GroupTiles(const Group &group);

  /// For each dimension of a result its subscript, where dimensions are the
  /// loops of the group's last op. Symbol 0 is any loop over whole rows, as all
  /// of these share a tile; the others are numbers known at run time.
  using Tile = llvm::SmallVector<mlir::AffineExpr, 4>;

  /// The distinct tiles of `op` that its readers in the group want.
  llvm::SmallVector<Tile, 2> wanted(mlir::Operation *op);
  /// The elements of such a tile of all programs, as a part of those of a
  /// tensor of `type`: along a dimension whose size, or whose loop's, is known
  /// only at run time, all.
  double shareOf(const Tile &tile, mlir::RankedTensorType type) const;
  /// Takes in an op that joins the group, after all its readers there.
  void join(mlir::Operation *op);

private:
  static Tile readBy(mlir::linalg::GenericOp reader, mlir::OpOperand &use,
                     const Tile &tile);
  Tile readBy(mlir::tensor::PadOp reader, const Tile &tile);
  Tile readBy(mlir::tensor::ExtractSliceOp reader, const Tile &tile);
  Tile normalized(Tile tile) const;
  mlir::AffineExpr symbolOf(mlir::OpFoldResult number);

  const Group *group;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Tile, 2>> tiles;
  llvm::DenseMap<mlir::Value, unsigned> symbols;
};

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_RECOMPUTATION_H
