//===- LayoutRelations.h - How the layouts of an op's tiles relate -*- C++ -*-//
//
// The constraints of an op on the layouts of its tiles, kept only here:
// assignment chooses layouts by them, and inserts conversions where they are
// not met; verify-scheduled-form checks them.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_LAYOUTRELATIONS_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_LAYOUTRELATIONS_H

#include "codegen/layout/Layout.h"
#include "mlir/IR/Operation.h"
#include <functional>
#include <optional>

namespace tilewright::tilegpu {

using LayoutLookup = std::function<std::optional<layout::Layout>(mlir::Value)>;

/// How an op works on layouts whose repeats are dealt to warps.
enum class DealtLayouts : uint8_t {
  /// On any.
  any,
  /// Where repeats are separable.
  separable,
  /// Its operands are converted.
  converted,
  /// No tile of the kernel may have one.
  none,
};

/// What an op demands of the layouts of its tiles, and what becomes of it.
/// Ops that are not listed have no tiles, or any layout will do.
struct LayoutRelation {
  /// As resultLayout() and operandLayout(); null where nothing follows. That of
  /// an operand also gets the layout of the op's first result, if that is
  /// known.
  std::optional<layout::Layout> (*resultLayout)(mlir::OpResult,
                                                const LayoutLookup &) = nullptr;
  std::optional<layout::Layout> (*operandLayout)(
      mlir::OpOperand &, const std::optional<layout::Layout> &result,
      const LayoutLookup &) = nullptr;
  /// Whether the operands' layout says nothing of the results'.
  bool hasOwnOperands = false;
  /// Whether all results have one layout.
  bool hasEqualResults = false;
  /// Whether the results always have the layout that resultLayout() derives
  /// from the operands': a conversion follows if another was chosen.
  bool isSettledByOperands = false;
  /// Whether the op moves elements itself, through shared memory, where the
  /// layouts of its tiles do not agree.
  bool movesElements = false;
  /// Whether a result may only have a layout from which that of the operand
  /// follows.
  bool needsOperandLayout = false;
  /// Whether a result may be made again from its operands, in another layout.
  bool isRepeatable = false;
  /// Whether a tile is made again rather than converted.
  bool isFree = false;
  /// Whether the op, which combines elements along an axis, keeps them in
  /// place: fibers have to be in order.
  bool scansFibers = false;
  /// See dealtLayouts().
  DealtLayouts dealt = DealtLayouts::any;
  /// Whether a thread has the elements of the results in registers already, so
  /// that the op has no instructions.
  bool isRenaming = false;
  /// Whether none is left at the end of the scheduled level.
  bool isExpanded = false;
};

/// The relation of an op; of one that has no entry, and works element by
/// element, that all its tiles have one layout.
const LayoutRelation &layoutRelation(mlir::Operation *op);
/// Whether the op has its own entry.
bool hasLayoutRelation(mlir::OperationName op);

/// How an op works on layouts whose repeats are dealt: as its relation says,
/// and a reshape on any if it changes extents of 1 alone.
DealtLayouts dealtLayouts(mlir::Operation *op);

/// Whether an op can work on tiles of this layout: one that needs owners, only
/// where each thread owns its elements in all rounds of dealt repeats or in
/// none; an access through a view, only with a separable cell.
bool takesLayout(mlir::Operation *op, const layout::Layout &layout);

/// The values that must have the layout of `value`, itself included: a tile
/// under its names in a loop, and the results of one op.
llvm::SmallVector<mlir::Value> sameTile(mlir::Value value);

/// The tile of a loop or condition that `operand`, an initial or yielded one,
/// becomes; null where it is none.
mlir::Value carriedBy(mlir::OpOperand &operand);

/// Whether an op does something once for each element, in the thread that owns
/// it. That a thread owns its elements in some rounds of dealt repeats only
/// does not do then.
bool needsOwners(mlir::Operation *op);

/// The layout of `result`, a tile defined by `op`, that follows from those of
/// its operands; nothing where none follows, or operands have none yet.
std::optional<layout::Layout> resultLayout(mlir::OpResult result,
                                           const LayoutLookup &layouts);

/// The layout that `operand`, a tile, must have for the op's results (or, of
/// an op without results, for its first tile); nothing where any will do.
std::optional<layout::Layout> operandLayout(mlir::OpOperand &operand,
                                            const LayoutLookup &layouts);

/// The same if the op's results have `results`, and no other layout is known.
std::optional<layout::Layout> operandLayoutFor(mlir::OpOperand &operand,
                                               const layout::Layout &results);

/// The layout that the type of a tile has; nothing where it has none.
std::optional<layout::Layout> typedLayout(mlir::Value tile);

/// A tile whose layout does not satisfy the relation of an op, and the layout
/// that does; nothing if none does with the op's other tiles.
struct UnmetLayout {
  mlir::Value tile;
  std::optional<layout::Layout> expected;
};

/// The first tile of `op` whose type's layout does not satisfy the op's
/// relation so that each element stays in its thread; nothing where all do.
/// All tiles have layouts. An op that moves elements may have such a tile until
/// it is expanded.
std::optional<UnmetLayout> unmetLayout(mlir::Operation *op);

/// All of a tile in the registers of each of `warps` warps' threads: a layout
/// that anything can be made of.
layout::Layout replicated(const layout::Dims &shape, unsigned warps);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_LAYOUTRELATIONS_H
