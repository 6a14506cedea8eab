//===- Combiner.cpp - The region of a reduction or scan -------------------===//
#include "codegen/nvptx/Combiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilewright::nvptx {

bool Combiner::commutes() {
  auto ops = block.without_terminator();
  return llvm::hasSingleElement(ops) &&
         (*ops.begin()).hasTrait<OpTrait::IsCommutative>() &&
         block.getNumArguments() == 2;
}

/// A type that vectors may have as it is.
static bool isVectorElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() != 4;
  return type.isIndex() || type.isF16() || type.isBF16() || type.isF32() ||
         type.isF64();
}

bool Combiner::isVectorizable() {
  return llvm::all_of(block.without_terminator(), [](Operation &op) {
    return (isa<arith::ConstantOp>(op) ||
            op.hasTrait<OpTrait::Elementwise>()) &&
           op.getNumRegions() == 0 &&
           llvm::all_of(op.getOperandTypes(), isVectorElement) &&
           llvm::all_of(op.getResultTypes(), isVectorElement);
  });
}

SmallVector<Value> Combiner::apply(ValueRange left, ValueRange right) {
  SmallVector<Value> operands(left);
  llvm::append_range(operands, right);
  return isVectorizable() ? applyVectors(operands) : applyScalars(operands);
}

/// The region's ops on vectors in place of scalars.
SmallVector<Value> Combiner::applyVectors(ValueRange operands) {
  int64_t count = cast<VectorType>(operands[0].getType()).getNumElements();
  IRMapping mapping;
  mapping.map(block.getArguments(), operands);
  auto asVector = [&](Value value) -> Value {
    bool isInside = value.getParentBlock() == &block;
    Value mapped = isInside ? mapping.lookup(value) : lookup(value);
    if (isa<VectorType>(mapped.getType()))
      return mapped;
    return vector::BroadcastOp::create(
        b, loc, VectorType::get({count}, mapped.getType()), mapped);
  };
  for (Operation &op : block.without_terminator()) {
    OperationState state(op.getLoc(), op.getName());
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      mapping.map(constant.getResult(), b.clone(op)->getResult(0));
      continue;
    }
    for (Value operand : op.getOperands())
      state.addOperands(asVector(operand));
    for (Type type : op.getResultTypes())
      state.addTypes(VectorType::get({count}, type));
    state.addAttributes(op.getAttrs());
    Operation *made = b.create(state);
    mapping.map(op.getResults(), made->getResults());
  }
  SmallVector<Value> results;
  for (Value yielded : block.getTerminator()->getOperands())
    results.push_back(asVector(yielded));
  return results;
}

SmallVector<Value> Combiner::applyScalars(ValueRange operands) {
  int64_t count = cast<VectorType>(operands[0].getType()).getNumElements();
  SmallVector<SmallVector<Value>> results(operands.size() / 2);
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Value> scalars;
    for (Value operand : operands)
      scalars.push_back(vector::ExtractOp::create(b, loc, operand, i));
    FailureOr<SmallVector<Value>> yielded = emitScalars(scalars);
    if (failed(yielded)) {
      outcome = failure();
      return SmallVector<Value>(operands.take_front(results.size()));
    }
    for (auto [result, value] : llvm::zip(results, *yielded))
      result.push_back(value);
  }
  SmallVector<Value> vectors;
  for (auto [result, operand] : llvm::zip(results, operands))
    vectors.push_back(vector::FromElementsOp::create(
        b, loc, cast<VectorType>(operand.getType()), result));
  return vectors;
}

Parts Combiner::apply(const Parts &left, const Parts &right) {
  Parts result{apply(left.values, right.values), {}};
  for (auto [i, value] : llvm::enumerate(result.values)) {
    if (right.valid)
      value =
          arith::SelectOp::create(b, loc, right.valid, value, left.values[i]);
    if (left.valid)
      value =
          arith::SelectOp::create(b, loc, left.valid, value, right.values[i]);
  }
  if (left.valid && right.valid)
    result.valid = arith::OrIOp::create(b, loc, left.valid, right.valid);
  return result;
}

} // namespace tilewright::nvptx
