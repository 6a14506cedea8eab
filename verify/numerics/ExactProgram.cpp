#include "verify/numerics/ExactProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/Support/DebugStringHelper.h"
#include "tileir/reference/ElementOps.h"

using namespace mlir;

namespace tilewright::verify {

static bool isFloat(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

/// The type with f128 for a float.
static Type exactType(Type type) {
  if (!isFloat(type))
    return type;
  Type quad = Float128Type::get(type.getContext());
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.clone(quad) : quad;
}

namespace {
/// Changes one module.
class ExactMaker {
public:
  ExactMaker(ModuleOp module, func::FuncOp entry)
      : module(module), entry(entry), b(module.getContext()) {}
  LogicalResult run();

private:
  LogicalResult convert(Operation *op);
  void convertTypes(Operation *op);
  void convertSignature(func::FuncOp function);
  void convertConstant(arith::ConstantOp op);
  LogicalResult convertBitcast(arith::BitcastOp op);
  /// A value of a float type made wider, for all uses of it.
  void widen(Value value);
  void replace(Operation *op, Value value);

  ModuleOp module;
  func::FuncOp entry;
  OpBuilder b;
  /// The types of what is cast to its bits.
  llvm::DenseMap<Operation *, Type> sources;
  /// Ops that no longer have uses.
  std::vector<Operation *> dead;
};
} // namespace

void ExactMaker::replace(Operation *op, Value value) {
  op->getResult(0).replaceAllUsesWith(value);
  dead.push_back(op);
}

void ExactMaker::widen(Value value) {
  b.setInsertionPointAfterValue(value);
  Operation *wide = arith::ExtFOp::create(b, value.getLoc(),
                                          exactType(value.getType()), value);
  value.replaceAllUsesExcept(wide->getResult(0), wide);
}

/// Large data stays as it is, and is read where it is used.
void ExactMaker::convertConstant(arith::ConstantOp op) {
  auto toQuad = [](llvm::APFloat number) {
    bool isLost = false;
    number.convert(llvm::APFloat::IEEEquad(),
                   llvm::APFloat::rmNearestTiesToEven, &isLost);
    return number;
  };
  Type type = exactType(op.getType());
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    op.setValueAttr(FloatAttr::get(type, toQuad(number.getValue())));
  else if (dense && dense.isSplat())
    op.setValueAttr(DenseElementsAttr::get(
        cast<ShapedType>(type), toQuad(dense.getSplatValue<llvm::APFloat>())));
  else
    return widen(op.getResult());
  op.getResult().setType(type);
}

/// Integers become floats as they are. A float has bits only if it is a number
/// of its type.
LogicalResult ExactMaker::convertBitcast(arith::BitcastOp op) {
  Value from = op.getIn();
  if (isFloat(from.getType())) {
    if (isa<ShapedType>(from.getType()))
      return reference::errorAt(op)
             << "depends on the bits of floats, which exact numbers do not "
                "have";
    b.setInsertionPoint(op);
    Type type = sources.lookup(op);
    Value narrow = arith::TruncFOp::create(b, op.getLoc(), type, from);
    Value wide = arith::ExtFOp::create(b, op.getLoc(), from.getType(), narrow);
    Value isSame = arith::CmpFOp::create(b, op.getLoc(),
                                         arith::CmpFPredicate::UEQ, from, wide);
    cf::AssertOp::create(b, op.getLoc(), isSame,
                         "the exact number is none of " + debugString(type) +
                             ", and so has no bits");
    op.getInMutable().assign(narrow);
  }
  if (isFloat(op.getType()))
    widen(op.getResult());
  return success();
}

void ExactMaker::convertTypes(Operation *op) {
  for (Value result : op->getResults())
    result.setType(exactType(result.getType()));
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        argument.setType(exactType(argument.getType()));
}

void ExactMaker::convertSignature(func::FuncOp function) {
  SmallVector<Type> inputs, results;
  for (Type type : function.getArgumentTypes())
    inputs.push_back(function == entry ? type : exactType(type));
  for (Type type : function.getResultTypes())
    results.push_back(exactType(type));
  if (function != entry)
    convertTypes(function);
  function.setType(FunctionType::get(b.getContext(), inputs, results));
}

LogicalResult ExactMaker::convert(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && isFloat(constant.getType())) {
    convertConstant(constant);
    return success();
  }
  if (auto bits = dyn_cast<arith::BitcastOp>(op))
    return convertBitcast(bits);
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    replace(op, op->getOperand(0));
    return success();
  }
  b.setInsertionPoint(op);
  if (auto scaling = dyn_cast<arith::ScalingExtFOp>(op)) {
    replace(op, arith::MulFOp::create(b, op->getLoc(), scaling.getIn(),
                                      scaling.getScale()));
    return success();
  }
  if (auto scaling = dyn_cast<arith::ScalingTruncFOp>(op)) {
    replace(op, arith::DivFOp::create(b, op->getLoc(), scaling.getIn(),
                                      scaling.getScale()));
    return success();
  }
  if (isa<math::IsNormalOp>(op) ||
      (isa<tensor::BitcastOp>(op) && (isFloat(op->getOperand(0).getType()) ||
                                      isFloat(op->getResult(0).getType()))))
    return reference::errorAt(op) << "depends on the format of floats, which "
                                     "exact numbers do not have";
  convertTypes(op);
  return success();
}

LogicalResult ExactMaker::run() {
  std::vector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<arith::BitcastOp>(op))
      sources[op] = op->getOperand(0).getType();
    if (!isa<ModuleOp, func::FuncOp>(op))
      ops.push_back(op);
  });
  for (auto function : module.getOps<func::FuncOp>())
    convertSignature(function);
  for (BlockArgument argument : entry.getArguments())
    if (isFloat(argument.getType()))
      widen(argument);
  for (Operation *op : ops)
    if (failed(convert(op)))
      return failure();
  for (Operation *op : llvm::reverse(dead))
    op->erase();
  return success();
}

FailureOr<OwningOpRef<ModuleOp>> makeExact(func::FuncOp function) {
  OwningOpRef<ModuleOp> copy = function->getParentOfType<ModuleOp>().clone();
  auto entry = copy->lookupSymbol<func::FuncOp>(function.getSymName());
  if (failed(ExactMaker(*copy, entry).run()))
    return failure();
  return copy;
}

} // namespace tilewright::verify
