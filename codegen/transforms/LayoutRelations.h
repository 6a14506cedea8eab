//===- LayoutRelations.h - How the layouts of an op's tiles relate -*- C++ -*-//
//
// What an op demands of the layouts of its tiles. The one place that knows it:
// assignment chooses layouts by it, and inserts conversions where it is not
// met.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_TRANSFORMS_LAYOUTRELATIONS_H
#define TILEWRIGHT_CODEGEN_TRANSFORMS_LAYOUTRELATIONS_H

#include "codegen/layout/Layout.h"
#include "mlir/IR/Operation.h"
#include <functional>
#include <optional>

namespace tilewright::gpu {

using LayoutLookup = std::function<std::optional<layout::Layout>(mlir::Value)>;

/// True for ops whose tiles have one layout: those that work element by
/// element, and sorts.
bool isElementwise(mlir::Operation *op);

/// The values that must have the layout of `value`, itself among them: a tile
/// under its names in a loop, and the results of one op.
llvm::SmallVector<mlir::Value> sameTile(mlir::Value value);

/// The layout of `result`, a tile that `op` defines, that follows from those
/// of its operands; nothing where none follows, or operands have none yet.
std::optional<layout::Layout> resultLayout(mlir::OpResult result,
                                           const LayoutLookup &layouts);

/// The layout that `operand`, a tile, must have for the op's results (or, of
/// an op without results, for its first tile); nothing where any will do.
std::optional<layout::Layout> operandLayout(mlir::OpOperand &operand,
                                            const LayoutLookup &layouts);

/// All of a tile in the registers of each of `warps` warps' threads: a layout
/// that anything can be made of.
layout::Layout heldByAll(const layout::Dims &shape, unsigned warps);

} // namespace tilewright::gpu

#endif // TILEWRIGHT_CODEGEN_TRANSFORMS_LAYOUTRELATIONS_H
