//===- DotOperand.cpp - What a thread reads of a dot's operands -----------===//
#include "codegen/tilegpu/DotOperand.h"

#include "codegen/layout/Transforms.h"

namespace tilewright::tilegpu {

using namespace layout;

StatusOr<DotOperand> dotOperand(const Layout &accumulators, DotSide side,
                                int64_t depth) {
  // The dimension of the accumulators that the operand does not have is its
  // depth.
  unsigned dim =
      side == DotSide::lhs ? accumulators.rank() - 1 : accumulators.rank() - 2;
  TILEWRIGHT_ASSIGN_OR_RETURN(Transformed fibers, collapse(accumulators, dim));
  TILEWRIGHT_ASSIGN_OR_RETURN(Transformed whole,
                              broadcast(fibers.layout, dim, depth));
  DotOperand operand;
  operand.layout = whole.layout;
  operand.fiber = whole.source;
  for (int64_t reg = 0; reg < operand.layout.items(); ++reg)
    operand.depth.push_back(
        int32_t(operand.layout.apply(inRegister(reg, 0))[dim]));
  operand.fiberOfAccumulator = collapsedRegister(accumulators, dim);
  return operand;
}

} // namespace tilewright::tilegpu
