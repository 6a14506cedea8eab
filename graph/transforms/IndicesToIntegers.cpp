//===- IndicesToIntegers.cpp - Tensors of index as tensors of i64 ---------===//
#include "graph/analysis/Blocks.h"
#include "graph/transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_INDICESTOINTEGERS
#include "graph/transforms/Passes.h.inc"

/// The type that has a size in memory; null where nothing changes.
static RankedTensorType integerType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isIndex())
    return RankedTensorType();
  return tensor.clone(IntegerType::get(type.getContext(), 64));
}

static Value toInteger(OpBuilder &b, Location loc, Value value) {
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
}

/// Converts the yielded values of type index to i64.
static void castYielded(Operation *end) {
  OpBuilder b(end);
  for (OpOperand &operand : end->getOpOperands())
    if (operand.get().getType().isIndex())
      operand.set(toInteger(b, end->getLoc(), operand.get()));
}

/// Converts a value to i64 whose readers expect index.
static void castRead(OpBuilder &b, Value value) {
  value.setType(b.getI64Type());
  auto cast =
      arith::IndexCastOp::create(b, value.getLoc(), b.getIndexType(), value);
  value.replaceAllUsesExcept(cast, cast);
}

static void convertGeneric(linalg::GenericOp op) {
  auto b = OpBuilder::atBlockBegin(op.getBody());
  for (BlockArgument argument : op.getBody()->getArguments())
    if (argument.getType().isIndex())
      castRead(b, argument);
  castYielded(op.getBody()->getTerminator());
}

/// A constant, or a constant that a fill or a pad has, with its new type.
static Attribute converted(Attribute attribute) {
  Builder b(attribute.getContext());
  if (auto value = dyn_cast<IntegerAttr>(attribute))
    return b.getI64IntegerAttr(value.getInt());
  return cast<DenseElementsAttr>(attribute).mapValues(
      b.getI64Type(), [](const APInt &value) { return value.sextOrTrunc(64); });
}

static void convert(Operation *op) {
  OpBuilder b(op);
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    convertGeneric(generic);
  } else if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    Attribute value;
    if (fill.getInputs()[0].getType().isIndex() &&
        matchPattern(fill.getInputs()[0], m_Constant(&value))) {
      op->setOperand(
          0, arith::ConstantOp::create(b, op->getLoc(),
                                       cast<TypedAttr>(converted(value))));
      // The body of the named op computes nothing.
      for (BlockArgument argument : op->getRegion(0).getArguments())
        argument.setType(b.getI64Type());
    }
  } else if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    Value padding = pad.getConstantPaddingValue();
    Attribute value;
    if (padding && padding.getType().isIndex() &&
        matchPattern(padding, m_Constant(&value))) {
      Operation *end = pad.getRegion().front().getTerminator();
      OpBuilder inside(end);
      end->setOperand(
          0, arith::ConstantOp::create(inside, op->getLoc(),
                                       cast<TypedAttr>(converted(value))));
    }
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (integerType(constant.getType()))
      constant.setValueAttr(cast<TypedAttr>(converted(constant.getValue())));
  }
}

namespace {
struct IndicesToIntegers : impl::IndicesToIntegersBase<IndicesToIntegers> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func.isExternal())
        convertFunction(func);
  }

  static bool isShape(Operation *op) { return isa<tensor::FromElementsOp>(op); }

  static void convertFunction(func::FuncOp func) {
    Block &body = func.getBody().front();
    for (Operation *op : graphOps(func)) {
      bool hasIndices =
          llvm::any_of(op->getOperandTypes(),
                       [](Type t) { return bool(integerType(t)); }) ||
          llvm::any_of(op->getResultTypes(),
                       [](Type t) { return bool(integerType(t)); });
      if (hasIndices && !isShape(op) && !isa<tensor::ReshapeOp>(op))
        convert(op);
    }
    func.walk([](tensor::ExtractOp extract) {
      if (!extract.getType().isIndex())
        return;
      OpBuilder b(extract->getContext());
      b.setInsertionPointAfter(extract);
      castRead(b, extract.getResult());
    });
    for (Block *block : graphBlocks(func))
      for (BlockArgument argument : block->getArguments())
        if (RankedTensorType stored = integerType(argument.getType()))
          argument.setType(stored);
    for (Operation *op : graphOps(func))
      for (OpResult result : op->getResults())
        if (RankedTensorType stored = integerType(result.getType());
            stored && !isShape(op))
          result.setType(stored);
    func.setFunctionType(
        FunctionType::get(func.getContext(), body.getArgumentTypes(),
                          body.getTerminator()->getOperandTypes()));
  }
};
} // namespace

} // namespace tilewright::graph
