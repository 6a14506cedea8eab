//===- SizeValues.cpp - Expressions of sizes as values --------------------===//
#include "graph/analysis/SizeValues.h"

#include "graph/analysis/Blocks.h"
#include "graph/ir/Graph.h"
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

/// Whether `a` is known where `b` is, of two values that are known at one
/// point.
static bool isKnownBefore(Value a, Value b) {
  Block *outer = a.getParentBlock(), *inner = b.getParentBlock();
  if (outer != inner)
    return outer->findAncestorOpInBlock(*inner->getParentOp());
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  return !first || (second && first->isBeforeInBlock(second));
}

/// Of the values that bind symbols of the sizes, the one that is known last;
/// null if no op binds one.
Value SizeValues::lastOf(ArrayRef<AffineExpr> sizes) {
  Value last;
  for (AffineExpr size : sizes)
    size.walk([&](AffineExpr part) {
      auto symbol = dyn_cast<AffineSymbolExpr>(part);
      if (!symbol)
        return;
      Value bound;
      if (Expr inner = shapes.sizes().symbols.positivePartOf(symbol))
        bound = lastOf(inner);
      else if (shapes.isBound(symbol))
        bound = shapes.bindingOf(symbol).value;
      if (bound && (!last || isKnownBefore(last, bound)))
        last = bound;
    });
  return last;
}

OpBuilder SizeValues::builderFor(ArrayRef<AffineExpr> sizes) {
  Value last = lastOf(sizes);
  if (!last)
    return start;
  Block *block = last.getParentBlock();
  Block::iterator at = block->begin();
  if (Operation *op = last.getDefiningOp())
    at = std::next(op->getIterator());
  while (at != block->end() && written.contains(&*at))
    ++at;
  return OpBuilder(block, at);
}

Value SizeValues::symbolOf(OpBuilder &builder, AffineSymbolExpr symbol) {
  if (Expr part = shapes.sizes().symbols.positivePartOf(symbol)) {
    Value zero = valueOf(shapes.sizes().constant(0));
    Value value = valueOf(part);
    builder = builderFor(part);
    return arith::MaxSIOp::create(builder, loc, value, zero);
  }
  if (!shapes.isBound(symbol)) {
    ArgumentDimension dim = shapes.dimensionOf(symbol);
    return tensor::DimOp::create(builder, loc, dim.argument, dim.position);
  }
  const SymbolDefinition &bound = shapes.bindingOf(symbol);
  if (bound.value.getType().isIndex())
    return bound.value;
  Value position = valueOf(shapes.sizes().constant(bound.position));
  return tensor::DimOp::create(builder, loc, bound.value, position);
}

Value SizeValues::valueOf(AffineExpr size) {
  if (auto found = known.find(size); found != known.end())
    return found->second;
  Value value;
  if (auto constant = dyn_cast<AffineConstantExpr>(size)) {
    value = arith::ConstantIndexOp::create(start, loc, constant.getValue());
  } else if (auto symbol = dyn_cast<AffineSymbolExpr>(size)) {
    OpBuilder builder = builderFor(size);
    value = symbolOf(builder, symbol);
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
    OpBuilder builder = builderFor(size);
    value = affine::AffineApplyOp::create(builder, loc, map, operands);
  }
  if (Operation *op = value.getDefiningOp();
      op && !isBranchOrLoop(op) && !isa<SizeOp>(op))
    written.insert(op);
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
