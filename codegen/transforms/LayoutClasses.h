//===- LayoutClasses.h - What a kernel's layouts are chosen from -*- C++ -*-==//
//
// A *class* is a set of tiles whose layouts are one choice: the results of an
// op, or a tile under its names in a loop. A class that follows from its op's
// operands (a reduction) chooses the operands' layout; an op without results
// (a store) is a class of its own. Each class has *candidates*. They begin at
// anchors, such as a load with wide accesses, and go on through the relations
// of ops (LayoutRelations.h) to all classes that can have them, or what follows
// from them, without a conversion.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_LAYOUTCLASSES_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_LAYOUTCLASSES_H

#include "codegen/transforms/LayoutRelations.h"
#include "tilewright/mlir/Tile.h"
#include <deque>
#include <unordered_map>

namespace tilewright::tilegpu {

/// The type of a tile; null of another value.
inline mlir::RankedTensorType tileType(mlir::Value value) {
  return mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
}

/// Numbers of distinct layouts.
class LayoutTable {
public:
  using Id = unsigned;
  Id idOf(const layout::Layout &layout);
  const layout::Layout &operator[](Id id) const { return *layouts[id]; }

private:
  std::unordered_map<layout::Layout, Id> ids;
  std::vector<const layout::Layout *> layouts;
};

struct LayoutClass {
  using Id = LayoutTable::Id;
  /// Null for a tile of a loop or a condition, and for results that may have
  /// any layout.
  mlir::Operation *op = nullptr;
  /// Whether candidates are layouts of the op's operands; else of `tiles`.
  bool isOfOperands = false;
  /// Whether its candidates are a demand of its op.
  bool isFixed = false;
  /// The tiles that get their layouts from the class; empty for a store.
  llvm::SmallVector<mlir::Value, 2> tiles;
  /// Uses of tiles by the op, or by what a loop carries.
  llvm::SmallVector<mlir::OpOperand *, 4> inputs;
  llvm::SmallVector<Id, 4> candidates;
  /// For each candidate the layout of `tiles`.
  llvm::SmallVector<Id, 4> produced;

  /// The first tile that the op takes, of a class of operands.
  mlir::Value inputTile() const;
};

class LayoutClasses {
public:
  using Id = LayoutTable::Id;
  explicit LayoutClasses(tile::KernelOp kernel);

  llvm::ArrayRef<LayoutClass> classes() const { return all; }
  const layout::Layout &operator[](Id id) const { return table[id]; }
  Id idOf(const layout::Layout &layout) { return table.idOf(layout); }
  /// Nothing for a tile that is made again rather than converted, or is a
  /// scalar.
  std::optional<unsigned> classOf(mlir::Value tile) const;
  /// The class that chooses the layout of this use; nothing where any layout
  /// will do.
  std::optional<unsigned> consumerOf(mlir::OpOperand &operand) const;

  /// Adds a candidate to a class, and what follows from it to others.
  void propose(unsigned index, const layout::Layout &layout);
  /// The same to the class of a tile that is loaded or stored.
  void propose(tile::ViewAccessOpInterface op, const layout::Layout &layout);
  /// Makes these the only candidates of a tile.
  void fix(mlir::Value tile, llvm::ArrayRef<layout::Layout> layouts);

  /// What candidate `i` of a class demands of an input; nothing where the op
  /// takes any layout, or moves elements that are elsewhere.
  std::optional<Id> demanded(unsigned index, unsigned candidate,
                             mlir::OpOperand &input);

private:
  void collect(tile::KernelOp kernel);
  unsigned addClass(mlir::Operation *op, mlir::ValueRange tiles,
                    bool isOfOperands);
  void add(unsigned index, const layout::Layout &layout);
  void addNearest(unsigned index, const layout::Layout &layout);
  std::optional<layout::Layout> producedBy(const LayoutClass &made,
                                           const layout::Layout &layout) const;
  bool isLegal(const LayoutClass &made, const layout::Layout &layout) const;
  void proposeToConsumer(mlir::OpOperand &use, const layout::Layout &layout);
  void proposeToProducer(mlir::Value tile, const layout::Layout &layout);
  void propagate();

  /// Candidates of a class: with more, a search takes longer than it saves.
  static constexpr unsigned most = 6;

  LayoutTable table;
  std::vector<LayoutClass> all;
  llvm::DenseMap<mlir::Value, unsigned> ofTiles;
  llvm::DenseMap<mlir::Operation *, unsigned> ofOps;
  /// Candidates that were added: of which class, and which.
  std::deque<std::pair<unsigned, unsigned>> added;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_LAYOUTCLASSES_H
