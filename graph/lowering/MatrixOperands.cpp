//===- MatrixOperands.cpp - What matrix units multiply --------------------===//
#include "graph/lowering/MatrixOperands.h"

using namespace mlir;

namespace tilewright::graph {

/// The type of both operands of a product; null where they differ.
static Type operandType(linalg::GenericOp op) {
  auto elementOf = [&](unsigned input) {
    return getElementTypeOrSelf(op.getDpsInputOperand(input)->get().getType());
  };
  return elementOf(0) == elementOf(1) ? elementOf(0) : Type();
}

bool multipliesHalves(linalg::GenericOp op) {
  Type type = operandType(op);
  return type && (type.isF16() || type.isBF16());
}

/// Of f32: the instruction of tf32 takes twice the time of one of halves, and
/// operands that are split take several instructions.
static std::optional<MatrixOperands> operandsOf(tile::DotPrecision precision) {
  switch (precision) {
  case tile::DotPrecision::tf32:
    return MatrixOperands{4, 2};
  case tile::DotPrecision::tf32x3:
    return MatrixOperands{4, 3 * 2};
  case tile::DotPrecision::bf16x3:
    return MatrixOperands{4, 3};
  case tile::DotPrecision::bf16x6:
    return MatrixOperands{4, 6};
  case tile::DotPrecision::ieee:
  case tile::DotPrecision::fast:
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<MatrixOperands> matrixOperandsOf(linalg::GenericOp op,
                                               tile::DotPrecision precision) {
  if (multipliesHalves(op))
    return MatrixOperands();
  Type type = operandType(op);
  if (!type)
    return std::nullopt;
  // Half of the time of halves.
  if (type.isInteger(8) &&
      getElementTypeOrSelf(op.getDpsInitOperand(0)->get().getType())
          .isInteger(32))
    return MatrixOperands{1, 0.5};
  // They become halves.
  if (isa<Float8E4M3FNType, Float8E5M2Type>(type))
    return MatrixOperands{1, 1};
  return type.isF32() ? operandsOf(precision) : std::nullopt;
}

} // namespace tilewright::graph
