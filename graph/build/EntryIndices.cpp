#include "graph/build/EntryIndices.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::build {

using graph::constantOf;
using graph::Expr;

void EntryIndices::toEntry() {
  if (entryEnd)
    builder.setInsertionPointAfter(entryEnd);
  else
    builder.setInsertionPointToStart(entry);
}

void EntryIndices::define(Expr symbol, Value argument, int64_t dim) {
  if (values.contains(symbol))
    return;
  OpBuilder::InsertionGuard guard(builder);
  toEntry();
  Value constant = arith::ConstantIndexOp::create(builder, loc, dim);
  Value size = tensor::DimOp::create(builder, loc, argument, constant);
  entryEnd = size.getDefiningOp();
  values[symbol] = size;
  expressions[size] = symbol;
}

void EntryIndices::defineHere(Expr symbol, Value value) {
  values[symbol] = value;
  expressions[value] = symbol;
  local.insert(symbol);
  localValues.emplace_back(symbol, value);
}

void EntryIndices::dropLocals(size_t count) {
  for (; localValues.size() > count; localValues.pop_back()) {
    auto [size, value] = localValues.back();
    values.erase(size);
    expressions.erase(value);
  }
}

bool EntryIndices::isLocal(Expr size) const {
  bool found = false;
  size.walk([&](Expr part) {
    found |= local.contains(part);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
      if (Expr positive = sizes.symbols.positivePartOf(symbol))
        found |= isLocal(positive);
  });
  return found;
}

Value EntryIndices::of(Expr size) {
  if (Value known = values.lookup(size))
    return known;
  const bool isHere = isLocal(size);
  // Sizes that this one is made of come first.
  SmallVector<Value> operands;
  SmallVector<Expr> replacements;
  Value result;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(size)) {
    operands = {of(sizes.symbols.positivePartOf(symbol)),
                of(sizes.constant(0))};
  } else {
    size.walk([&](Expr part) {
      auto symbol = dyn_cast<AffineSymbolExpr>(part);
      if (!symbol)
        return;
      replacements.resize(
          std::max<size_t>(replacements.size(), symbol.getPosition() + 1),
          sizes.constant(0));
      Expr &replacement = replacements[symbol.getPosition()];
      if (isa<AffineSymbolExpr>(replacement))
        return;
      replacement = getAffineSymbolExpr(operands.size(), builder.getContext());
      operands.push_back(of(symbol));
    });
  }
  OpBuilder::InsertionGuard guard(builder);
  if (!isHere)
    toEntry();
  else if (builder.getInsertionBlock() != scope)
    builder.setInsertionPointToEnd(scope); // Not in the body of an operation.
  if (auto constant = constantOf(size))
    result = arith::ConstantIndexOp::create(builder, loc, *constant);
  else if (isa<AffineSymbolExpr>(size))
    result = arith::MaxSIOp::create(builder, loc, operands[0], operands[1]);
  else
    result = affine::AffineApplyOp::create(
        builder, loc,
        AffineMap::get(0, operands.size(), size.replaceSymbols(replacements)),
        operands);
  expressions[result] = size;
  if (isHere) { // Code elsewhere cannot use it.
    localValues.emplace_back(size, result);
    return result;
  }
  entryEnd = result.getDefiningOp();
  return values[size] = result;
}

} // namespace tilewright::build
