#include "tileir/ir/Programs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::tile {

SmallVector<Value> gridSymbols(OpBuilder &builder, Location loc,
                               ValueRange arguments) {
  SmallVector<Value> symbols;
  for (Value argument : arguments) {
    if (auto view = dyn_cast<ViewType>(argument.getType()))
      for (int64_t dim = 0; dim < view.getRank(); ++dim)
        symbols.push_back(builder.createOrFold<DimOp>(loc, argument, dim));
    else if (argument.getType().isIndex())
      symbols.push_back(argument);
    else if (argument.getType().isInteger())
      symbols.push_back(arith::IndexCastOp::create(
          builder, loc, builder.getIndexType(), argument));
  }
  return symbols;
}

void replaceProgram(Operation *root, ValueRange ids, ValueRange counts) {
  root->walk([&](Operation *op) {
    if (isa<ProgramIdOp>(op))
      op->replaceAllUsesWith(ids);
    else if (isa<ProgramCountOp>(op))
      op->replaceAllUsesWith(counts);
    else
      return;
    op->erase();
  });
}

} // namespace tilewright::tile
