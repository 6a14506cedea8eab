//===- EmitElements.cpp - Element by element, and other shapes ------------===//
#include "codegen/layout/Transforms.h"
#include "codegen/nvptx/Float8.h"
#include "codegen/nvptx/ThreadEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;

namespace tilewright::nvptx {

using tilegpu::layoutOf;
using tilegpu::toDims;

numeric::Hardware ThreadEmitter::hardware() const {
  return {.halves = true,
          .float8 = target.convertsFloat8 ? &float8Conversions() : nullptr};
}

numeric::Elementwise ThreadEmitter::elementwise() {
  return numeric::Elementwise(b, loc, hardware());
}

void ThreadEmitter::emitElementwise(Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  for (auto [result, value] :
       llvm::zip(op->getResults(), elementwise().emit(op, operands)))
    set(result, value);
}

void ThreadEmitter::emitAffine(Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  Operation *made = b.clone(*op);
  made->setOperands(operands);
  set(op->getResult(0), made->getResult(0));
}

LogicalResult ThreadEmitter::emitConstant(arith::ConstantOp op) {
  auto tile = dyn_cast<RankedTensorType>(op.getType());
  if (!tile) {
    set(op,
        arith::ConstantOp::create(b, loc, numeric::inRegister(op.getValue())));
    return success();
  }
  auto elements = cast<DenseElementsAttr>(op.getValue());
  if (!elements.isSplat())
    return emitConstantTile(op);
  Attribute element = numeric::inRegister(elements.getSplatValue<TypedAttr>());
  set(op, arith::ConstantOp::create(
              b, loc,
              DenseElementsAttr::get(cast<VectorType>(typeOf(tile)), element)));
  return success();
}

void ThreadEmitter::emitIota(tile::IotaOp op) {
  Value numbers = coordinates(layoutOf(op.getType()), 0);
  Type type = typeOf(op.getType());
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    numbers = arith::IndexCastUIOp::create(b, loc, type, numbers);
  else if (element.getIntOrFloatBitWidth() > 32)
    numbers = arith::ExtUIOp::create(b, loc, type, numbers);
  else if (element.getIntOrFloatBitWidth() < 32)
    numbers = arith::TruncIOp::create(b, loc, type, numbers);
  set(op, numbers);
}

void ThreadEmitter::emitSplat(tile::SplatOp op) {
  auto type = cast<VectorType>(typeOf(op.getType()));
  set(op, splat(get(op.getOperand()), type.getNumElements()));
}

/// A dimension at a time: the layout of the operand is the result's,
/// collapsed along those that grow.
LogicalResult ThreadEmitter::emitBroadcast(tile::BroadcastOp op) {
  auto from = cast<RankedTensorType>(op.getSource().getType());
  auto to = cast<RankedTensorType>(op.getType());
  layout::Layout layout = layoutOf(to);
  std::vector<int32_t> registers(size_t(layout.items()));
  std::iota(registers.begin(), registers.end(), 0);
  for (int64_t dim = 0; dim < to.getRank(); ++dim) {
    if (from.getDimSize(dim) == to.getDimSize(dim))
      continue;
    std::vector<int32_t> step = layout::collapsedRegister(layout, dim);
    for (int32_t &reg : registers)
      reg = step[reg];
    StatusOr<layout::Transformed> collapsed = layout::collapse(layout, dim);
    if (!collapsed.ok())
      return refuse(op, collapsed.status().message());
    layout = collapsed->layout;
  }
  if (layout != layoutOf(from))
    return refuse(op, "the layouts of source and result do not agree");
  set(op, pick(get(op.getSource()), registers));
  return success();
}

LogicalResult ThreadEmitter::emitReshape(tile::ReshapeOp op) {
  auto from = cast<RankedTensorType>(op.getSource().getType());
  auto to = cast<RankedTensorType>(op.getType());
  StatusOr<layout::Transformed> reshaped = layout::reshape(
      layoutOf(from), toDims(from.getShape()), toDims(to.getShape()));
  if (!reshaped.ok())
    return refuse(op, reshaped.status().message());
  if (reshaped->layout != layoutOf(to))
    return refuse(op, "the layouts of source and result do not agree");
  set(op, pick(get(op.getSource()), reshaped->source));
  return success();
}

void ThreadEmitter::emitTranspose(tile::TransposeOp op) {
  set(op, get(op.getSource()));
}

LogicalResult ThreadEmitter::emitExtract(tile::ExtractOp op) {
  auto type = cast<RankedTensorType>(op.getSource().getType());
  if (layoutOf(type).shape().product() != 1)
    return refuse(op, "expected an element that all threads hold: "
                      "broadcast-results runs before");
  set(op, element(get(op.getSource()), 0));
  return success();
}

} // namespace tilewright::nvptx
