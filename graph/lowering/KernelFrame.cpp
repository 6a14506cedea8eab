//===- KernelFrame.cpp - A kernel while it is emitted ---------------------===//
#include "graph/lowering/KernelFrame.h"

#include "graph/analysis/Access.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::graph {

KernelFrame::KernelFrame(OpBuilder &builder, SymbolicShapes &shapes,
                         const Group &group)
    : builder(builder), loc(group.last->getLoc()), shapes(shapes),
      group(group) {}

Value KernelFrame::viewOf(Value tensor) {
  for (auto [i, argument] : llvm::enumerate(arguments))
    if (argument.tensor == tensor)
      return entry->getArgument(i);
  auto type = cast<RankedTensorType>(tensor.getType());
  auto view = tile::ViewType::get(type.getShape(), type.getElementType());
  arguments.push_back({tensor, {}});
  return entry->addArgument(view, tensor.getLoc());
}

FailureOr<Value> KernelFrame::sizeValue(AffineExpr size) {
  if (auto constant = dyn_cast<AffineConstantExpr>(size))
    return index(constant.getValue());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(entry);
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (!argument.tensor) {
      if (argument.scalar == size)
        return Value(entry->getArgument(i));
      continue;
    }
    FailureOr<SymbolicShape> shape = shapes.shapeOf(argument.tensor);
    if (failed(shape))
      return failure();
    for (auto [d, extent] : llvm::enumerate(*shape))
      if (extent == size)
        return tile::DimOp::create(builder, loc, entry->getArgument(i), d)
            .getResult();
  }
  arguments.push_back({Value(), size});
  return Value(entry->addArgument(builder.getIndexType(), loc));
}

TypedAttr KernelFrame::paddingOf(Value tensor) {
  for (OpOperand &use : tensor.getUses()) {
    auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!op || !group.ops.contains(op) || !isReduction(op) ||
        !op.isDpsInput(&use))
      continue;
    std::optional<Accumulation> accumulation = matchAccumulation(op);
    if (TypedAttr neutral =
            accumulation
                ? neutralInput(op.getMatchingBlockArgument(&use), *accumulation)
                : TypedAttr())
      return neutral;
  }
  return builder.getZeroAttr(getElementTypeOrSelf(tensor.getType()));
}

Value KernelFrame::index(int64_t constant) {
  Value &known = indexConstants[constant];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(entry);
    known = arith::ConstantIndexOp::create(builder, loc, constant);
  }
  return known;
}

AffineExpr KernelFrame::formOf(const Offset &offset) {
  MLIRContext *context = builder.getContext();
  if (offset.min && offset.min == offset.max)
    return getAffineConstantExpr(*offset.min, context);
  const unsigned next = symbols.size();
  const AffineExpr form =
      offset.form
          ? offset.form
          : getAffineSymbolExpr(
                symbols.try_emplace(offset.value, next).first->second, context);
  return simplifyAffineExpr(form, 0, symbols.size());
}

} // namespace tilewright::graph
