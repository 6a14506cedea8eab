//===- ScalarsToTensors.cpp - What a function takes and returns -----------===//
#include "graph/transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_SCALARSTOTENSORS
#include "graph/transforms/Passes.h.inc"

/// The tensor that replaces a scalar at the interface; null for other types.
static RankedTensorType tensorFor(Type type) {
  if (isa<IndexType>(type))
    type = IntegerType::get(type.getContext(), 64);
  return type.isIntOrFloat() ? RankedTensorType::get({}, type)
                             : RankedTensorType();
}

static LogicalResult takeTensors(func::FuncOp func) {
  auto builder = OpBuilder::atBlockBegin(&func.getBody().front());
  for (BlockArgument argument : func.getArguments()) {
    Type type = argument.getType();
    if (isa<RankedTensorType>(type))
      continue;
    RankedTensorType tensor = tensorFor(type);
    if (!tensor)
      return func.emitError("expected argument ")
             << argument.getArgNumber()
             << " to be a ranked tensor or a number, found " << type;
    argument.setType(tensor);
    Location loc = argument.getLoc();
    Value scalar =
        tensor::ExtractOp::create(builder, loc, argument, ValueRange());
    Operation *reader = scalar.getDefiningOp();
    if (isa<IndexType>(type))
      scalar = arith::IndexCastOp::create(builder, loc, type, scalar);
    argument.replaceUsesWithIf(
        scalar, [&](OpOperand &use) { return use.getOwner() != reader; });
  }
  return success();
}

static LogicalResult returnTensors(func::FuncOp func) {
  Operation *end = func.getBody().front().getTerminator();
  OpBuilder builder(end);
  for (OpOperand &operand : end->getOpOperands()) {
    Value value = operand.get();
    if (isa<RankedTensorType>(value.getType()))
      continue;
    RankedTensorType tensor = tensorFor(value.getType());
    if (!tensor)
      return func.emitError("expected result ")
             << operand.getOperandNumber()
             << " to be a ranked tensor or a number, found " << value.getType();
    if (value.getType().isIndex())
      value = arith::IndexCastOp::create(builder, end->getLoc(),
                                         tensor.getElementType(), value);
    operand.set(tensor::FromElementsOp::create(builder, end->getLoc(), tensor,
                                               ValueRange(value)));
  }
  return success();
}

namespace {
struct ScalarsToTensors : impl::ScalarsToTensorsBase<ScalarsToTensors> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isExternal())
        continue;
      if (failed(takeTensors(func)) || failed(returnTensors(func)))
        return signalPassFailure();
      Block &body = func.getBody().front();
      func.setFunctionType(
          FunctionType::get(&getContext(), body.getArgumentTypes(),
                            body.getTerminator()->getOperandTypes()));
    }
  }
};
} // namespace

} // namespace tilewright::graph
