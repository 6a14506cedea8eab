#include "tileir/reference/RandomRounding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tileir/reference/Rounding.h"

using namespace mlir;
using llvm::APFloat;

namespace tilewright::reference {

FailureOr<Element> RandomRounding::compute(
    ArrayRef<Element> operands, FloatType result,
    llvm::function_ref<FailureOr<Element>(ArrayRef<Element>)> fn) {
  Type quad = Float128Type::get(result.getContext());
  SmallVector<Element, 3> wide(operands);
  for (Element &operand : wide)
    if (isa<FloatType>(operand.getType()))
      operand = Element::ofFloat(
          quad, roundFloat(operand.real(), APFloat::IEEEquad()));
  FailureOr<Element> computed = fn(wide);
  if (failed(computed))
    return failure();
  if (computed->isPoison())
    return Element::poison(result, computed->poisonOrigin());
  const tile::Rounding direction =
      random() & 1 ? tile::Rounding::up : tile::Rounding::down;
  return Element::ofFloat(
      result,
      roundFloat(computed->real(), result.getFloatSemantics(), {direction}));
}

bool roundsAtRandom(Operation *op, Type result) {
  if (!isa<FloatType>(result) || isa<arith::BitcastOp>(op))
    return false;
  auto narrowing = dyn_cast<arith::TruncFOp>(op);
  auto scaling = dyn_cast<arith::ScalingTruncFOp>(op);
  return !(narrowing && narrowing.getRoundingmode()) &&
         !(scaling && scaling.getRoundingmode());
}

} // namespace tilewright::reference
