//===- OpCosts.cpp - What an op costs a thread of a GPU -------------------===//
#include "codegen/transforms/OpCosts.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "tileir/ir/FastMath.h"

using namespace mlir;

namespace tilewright::tilegpu {

const OpCost &costOf(tile::OpClass kind) {
  static constexpr OpCost costs[] = {
#define GPU_OP(CLASS, INSTRUCTIONS, SLOTS) {INSTRUCTIONS, SLOTS},
#include "codegen/transforms/OpCosts.inc"
#undef GPU_OP
  };
  return costs[size_t(kind)];
}

/// Whether one instruction of the machine and at most a product replace a
/// function (nvptx/Approximations.cpp).
static bool isApproximated(Operation *op) {
  if (!isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::Log10Op,
           math::SinOp, math::CosOp, math::TanhOp>(op))
    return false;
  return arith::bitEnumContainsAll(tile::fastMathFlagsOf(op),
                                   arith::FastMathFlags::afn) &&
         getElementTypeOrSelf(op->getResult(0)).isF32();
}

OpCost costOf(Operation *op) {
  OpCost cost = costOf(isApproximated(op) ? tile::OpClass::squareRoot
                                          : tile::opClassOf(op));
  if (op->getNumResults() == 0)
    return cost;
  // Of another type: an index or a pointer.
  const Type element = getElementTypeOrSelf(op->getResult(0));
  const int64_t words =
      element.isIntOrFloat() && element.getIntOrFloatBitWidth() <= 32 ? 1 : 2;
  return {cost.instructions * words, cost.slots * words};
}

} // namespace tilewright::tilegpu
