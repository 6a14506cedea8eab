//===- Programs.h - What a kernel knows of its grid -------------*- C++ -*-===//
#ifndef TILEWRIGHT_TILEIR_IR_PROGRAMS_H
#define TILEWRIGHT_TILEIR_IR_PROGRAMS_H

#include "tilewright/mlir/Tile.h"

namespace tilewright::tile {

/// The sizes that a kernel's grid map has symbols for, in their order, of these
/// arguments.
llvm::SmallVector<mlir::Value> gridSymbols(mlir::OpBuilder &builder,
                                           mlir::Location loc,
                                           mlir::ValueRange arguments);

/// Replaces the program's number and the numbers of programs in `root` and its
/// regions by these values, one for each dimension of the grid. `root` itself
/// may be erased.
void replaceProgram(mlir::Operation *root, mlir::ValueRange ids,
                    mlir::ValueRange counts);

} // namespace tilewright::tile

#endif // TILEWRIGHT_TILEIR_IR_PROGRAMS_H
