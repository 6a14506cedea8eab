//===- Combiner.cpp - The region of a reduction or scan -------------------===//
#include "codegen/nvptx/Combiner.h"

#include "codegen/numeric/ElementTypes.h"
#include "codegen/numeric/Elementwise.h"
#include "codegen/nvptx/Elements.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "tileir/ir/NeutralElement.h"

using namespace mlir;

namespace tilewright::nvptx {

bool Combiner::commutes() {
  auto ops = block.without_terminator();
  return llvm::hasSingleElement(ops) &&
         (*ops.begin()).hasTrait<OpTrait::IsCommutative>() &&
         block.getNumArguments() == 2;
}

TypedAttr Combiner::neutral() {
  Operation &op = block.front();
  if (!commutes() || op.getNumOperands() != 2 ||
      op.getOperand(0) == op.getOperand(1) ||
      !llvm::all_of(op.getOperands(), llvm::IsaPred<BlockArgument>) ||
      block.getTerminator()->getOperand(0) != op.getResult(0))
    return {};
  return tile::neutralElement(&op);
}

bool Combiner::isVectorizable() {
  return llvm::all_of(block.without_terminator(), [](Operation &op) {
    return isa<arith::ConstantOp>(op) || numeric::isElementwise(&op);
  });
}

SmallVector<Value> Combiner::apply(ValueRange left, ValueRange right) {
  SmallVector<Value> operands(left);
  llvm::append_range(operands, right);
  return isVectorizable() ? applyVectors(operands) : applyScalars(operands);
}

/// The region's ops on vectors instead of scalars.
SmallVector<Value> Combiner::applyVectors(ValueRange operands) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t count = cast<VectorType>(operands[0].getType()).getNumElements();
  IRMapping mapping;
  mapping.map(block.getArguments(), operands);
  auto asVector = [&](Value value) -> Value {
    if (value.getParentBlock() == &block)
      return mapping.lookup(value);
    Value scalar = e.get(value);
    return vector::BroadcastOp::create(
        b, VectorType::get({count}, scalar.getType()), scalar);
  };
  for (Operation &op : block.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto element = Attribute(numeric::inRegister(constant.getValue()));
      auto type = VectorType::get({count}, cast<TypedAttr>(element).getType());
      mapping.map(constant.getResult(),
                  arith::ConstantOp::create(
                      b, op.getLoc(), DenseElementsAttr::get(type, element))
                      .getResult());
      continue;
    }
    SmallVector<Value> values;
    for (Value operand : op.getOperands())
      values.push_back(asVector(operand));
    numeric::Elementwise elementwise(b, op.getLoc(), hardwareOf(e.target));
    mapping.map(op.getResults(), elementwise.emit(&op, values));
  }
  SmallVector<Value> results;
  for (Value yielded : block.getTerminator()->getOperands())
    results.push_back(asVector(yielded));
  return results;
}

FailureOr<SmallVector<Value>> Combiner::emitScalars(ValueRange scalars) {
  for (auto [argument, scalar] : llvm::zip(block.getArguments(), scalars))
    e.set(argument, scalar);
  // Control flow in the region moves the location on.
  Location loc = e.b.getLoc();
  for (Operation &op : block.without_terminator())
    if (failed(emitOp(&op, e)))
      return failure();
  e.b.setLoc(loc);
  SmallVector<Value> yielded;
  for (Value value : block.getTerminator()->getOperands())
    yielded.push_back(e.get(value));
  return yielded;
}

SmallVector<Value> Combiner::applyScalars(ValueRange operands) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t count = cast<VectorType>(operands[0].getType()).getNumElements();
  SmallVector<SmallVector<Value>> results(operands.size() / 2);
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Value> scalars;
    for (Value operand : operands)
      scalars.push_back(vector::ExtractOp::create(b, operand, i));
    FailureOr<SmallVector<Value>> yielded = emitScalars(scalars);
    if (failed(yielded)) {
      result = failure();
      return SmallVector<Value>(operands.take_front(results.size()));
    }
    for (auto [result, value] : llvm::zip(results, *yielded))
      result.push_back(value);
  }
  SmallVector<Value> vectors;
  for (auto [result, operand] : llvm::zip(results, operands))
    vectors.push_back(vector::FromElementsOp::create(
        b, cast<VectorType>(operand.getType()), result));
  return vectors;
}

Parts Combiner::apply(const Parts &left, const Parts &right) {
  ImplicitLocOpBuilder &b = e.b;
  Parts result{apply(left.values, right.values), {}};
  for (auto [i, value] : llvm::enumerate(result.values)) {
    if (right.valid)
      value = arith::SelectOp::create(b, right.valid, value, left.values[i]);
    if (left.valid)
      value = arith::SelectOp::create(b, left.valid, value, right.values[i]);
  }
  if (left.valid && right.valid)
    result.valid = arith::OrIOp::create(b, left.valid, right.valid);
  return result;
}

} // namespace tilewright::nvptx
