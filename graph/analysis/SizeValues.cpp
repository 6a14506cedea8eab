//===- SizeValues.cpp - Expressions of sizes as values --------------------===//
#include "graph/analysis/SizeValues.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::graph {

/// Before the first existing op, and after the ops that were built here before.
static OpBuilder atStart(func::FuncOp func) {
  return OpBuilder(&func.getBody().front().front());
}

SizeValues::SizeValues(func::FuncOp func, SymbolicShapes &shapes)
    : shapes(shapes), start(atStart(func)), loc(func.getLoc()) {}

Value SizeValues::symbolOf(AffineSymbolExpr symbol) {
  if (Expr part = shapes.sizes().symbols.positivePartOf(symbol)) {
    Value zero = valueOf(shapes.sizes().constant(0));
    return arith::MaxSIOp::create(start, loc, valueOf(part), zero);
  }
  ArgumentDimension dim = shapes.dimensionOf(symbol);
  return tensor::DimOp::create(start, loc, dim.argument, dim.position);
}

Value SizeValues::valueOf(AffineExpr size) {
  if (auto found = known.find(size); found != known.end())
    return found->second;
  Value value;
  if (auto constant = dyn_cast<AffineConstantExpr>(size)) {
    value = arith::ConstantIndexOp::create(start, loc, constant.getValue());
  } else if (auto symbol = dyn_cast<AffineSymbolExpr>(size)) {
    value = symbolOf(symbol);
  } else {
    // The symbols that it uses, renumbered.
    SmallVector<Value> operands;
    SmallVector<AffineExpr> numbers(shapes.sizes().symbols.count());
    for (unsigned i = 0; i < numbers.size(); ++i) {
      if (!size.isFunctionOfSymbol(i))
        continue;
      numbers[i] = start.getAffineSymbolExpr(operands.size());
      operands.push_back(valueOf(start.getAffineSymbolExpr(i)));
    }
    AffineMap map =
        AffineMap::get(0, operands.size(), size.replaceSymbols(numbers));
    value = affine::AffineApplyOp::create(start, loc, map, operands);
  }
  return known[size] = value;
}

FailureOr<Value> SizeValues::emptyLike(OpBuilder &builder, Value tensor) {
  FailureOr<SymbolicShape> shape = shapes.shapeOf(tensor);
  if (failed(shape))
    return failure();
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<Value> dynamic;
  for (auto [d, size] : llvm::enumerate(*shape))
    if (type.isDynamicDim(d))
      dynamic.push_back(valueOf(size));
  return tensor::EmptyOp::create(builder, tensor.getLoc(), type, dynamic)
      .getResult();
}

} // namespace tilewright::graph
