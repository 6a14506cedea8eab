//===- MatrixOperands.h - What matrix units multiply ------------*- C++ -*-===//
#ifndef TILEWRIGHT_GRAPH_LOWERING_MATRIXOPERANDS_H
#define TILEWRIGHT_GRAPH_LOWERING_MATRIXOPERANDS_H

#include "graph/lowering/MatrixTile.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tilewright/mlir/Tile.h"
#include <optional>

namespace tilewright::graph {

/// Whether matrix instructions multiply the operands of a product as they are.
bool multipliesHalves(mlir::linalg::GenericOp op);

/// What matrix instructions take of a product of floats, or of i8 for sums of
/// i32; of f32 as this precision allows. Nothing where none serves it.
std::optional<MatrixOperands> matrixOperandsOf(mlir::linalg::GenericOp op,
                                               tile::DotPrecision precision);

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_LOWERING_MATRIXOPERANDS_H
