#include "tileir/authoring/construction/Grid.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::authoring {

/// The symbol of a size: dimension `dim` of a view, or an integer itself.
static AffineExpr symbolOf(tile::KernelOp kernel, Value value, int64_t dim) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &kernel.getRegion().front())
    return {};
  int64_t before = tile::KernelOp::countGridSymbols(
      kernel.getArgumentTypes().take_front(argument.getArgNumber()));
  return getAffineSymbolExpr(before + dim, kernel.getContext());
}

AffineExpr gridExpression(tile::KernelOp kernel, Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return getAffineConstantExpr(number.getSExtValue(), kernel.getContext());
  Operation *op = value.getDefiningOp();
  if (!op)
    return value.getType().isIntOrIndex() ? symbolOf(kernel, value, 0)
                                          : AffineExpr();
  if (auto dim = dyn_cast<tile::DimOp>(op))
    return symbolOf(kernel, dim.getView(), dim.getDim());
  // An integer argument as an index.
  if (auto convert = dyn_cast<tile::ConvertOp>(op))
    return convert.getType().isIndex()
               ? gridExpression(kernel, convert.getSource())
               : AffineExpr();
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::CeilDivSIOp,
           arith::FloorDivSIOp, arith::DivSIOp, arith::RemSIOp>(op))
    return {};
  AffineExpr a = gridExpression(kernel, op->getOperand(0)),
             b = gridExpression(kernel, op->getOperand(1));
  if (!a || !b)
    return {};
  // What an affine map divides by is positive.
  bool divides = !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op);
  auto divisor = dyn_cast<AffineConstantExpr>(b);
  if (divides && divisor && divisor.getValue() < 1)
    return {};
  if (isa<arith::AddIOp>(op))
    return a + b;
  if (isa<arith::SubIOp>(op))
    return a - b;
  if (isa<arith::MulIOp>(op))
    return a * b;
  if (isa<arith::CeilDivSIOp>(op))
    return a.ceilDiv(b);
  // Sizes are not negative: truncation and remainder are floor and modulo.
  return isa<arith::RemSIOp>(op) ? a % b : a.floorDiv(b);
}

} // namespace tilewright::authoring
