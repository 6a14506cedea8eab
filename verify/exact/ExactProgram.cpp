#include "verify/exact/ExactProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/Support/DebugStringHelper.h"
#include "tileir/reference/ElementOps.h"
#include "tilewright/mlir/Tile.h"

using namespace mlir;

namespace tilewright::verify {

/// A float or a tensor of floats; views of floats are memory.
static bool isFloat(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return isa<FloatType>(tensor ? tensor.getElementType() : type);
}

namespace {
/// Changes one module.
class ExactMaker {
public:
  /// `isEntry` says which functions keep the types of their arguments. Floats
  /// become those of `wide`.
  ExactMaker(ModuleOp module, std::function<bool(Operation *)> isEntry,
             FloatType wide)
      : module(module), isEntry(std::move(isEntry)), wide(wide),
        b(module.getContext()) {}
  LogicalResult run();

private:
  /// The type with the wide one for a float.
  Type exactType(Type type) const {
    if (!isFloat(type))
      return type;
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped ? shaped.clone(wide) : Type(wide);
  }
  llvm::APFloat toWide(llvm::APFloat number) const;
  LogicalResult convert(Operation *op);
  void convertTypes(Operation *op);
  void convertSignature(FunctionOpInterface function);
  void convertConstant(arith::ConstantOp op);
  LogicalResult convertBitcast(arith::BitcastOp op);
  /// Whether the op is a cast between floats, or multiplies by a scale; then
  /// it is replaced.
  bool replaceCast(Operation *op);
  /// A value of a float type made wider, for all uses of it.
  void widen(Value value);
  void replace(Operation *op, Value value);

  ModuleOp module;
  const std::function<bool(Operation *)> isEntry;
  const FloatType wide;
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
  Operation *widened = arith::ExtFOp::create(b, value.getLoc(),
                                             exactType(value.getType()), value);
  value.replaceAllUsesExcept(widened->getResult(0), widened);
}

llvm::APFloat ExactMaker::toWide(llvm::APFloat number) const {
  bool isLost = false;
  number.convert(wide.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                 &isLost);
  return number;
}

/// Large data stays as it is, and is read where it is used.
void ExactMaker::convertConstant(arith::ConstantOp op) {
  Type type = exactType(op.getType());
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    op.setValueAttr(FloatAttr::get(type, toWide(number.getValue())));
  else if (dense && dense.isSplat())
    op.setValueAttr(DenseElementsAttr::get(
        cast<ShapedType>(type), toWide(dense.getSplatValue<llvm::APFloat>())));
  else
    return widen(op.getResult());
  op.getResult().setType(type);
}

/// Integers become floats as they are. A float has bits only if it is a number
/// of its type.
LogicalResult ExactMaker::convertBitcast(arith::BitcastOp op) {
  Value from = op.getIn();
  if (isFloat(from.getType())) {
    if (isa<ShapedType>(from.getType()) || !op->getParentOfType<func::FuncOp>())
      return reference::errorAt(op)
             << "depends on the bits of floats, which exact numbers do not "
                "have";
    b.setInsertionPoint(op);
    Type type = sources.lookup(op);
    Value narrow = arith::TruncFOp::create(b, op.getLoc(), type, from);
    Value again = arith::ExtFOp::create(b, op.getLoc(), from.getType(), narrow);
    Value isSame = arith::CmpFOp::create(
        b, op.getLoc(), arith::CmpFPredicate::UEQ, from, again);
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

void ExactMaker::convertSignature(FunctionOpInterface function) {
  SmallVector<Type> inputs, results;
  for (Type type : function.getArgumentTypes())
    inputs.push_back(isEntry(function) ? type : exactType(type));
  for (Type type : function.getResultTypes())
    results.push_back(exactType(type));
  if (!isEntry(function))
    convertTypes(function);
  if (auto graph = dyn_cast<func::FuncOp>(*function))
    graph.setType(FunctionType::get(b.getContext(), inputs, results));
}

/// A cast between floats, of any rounding.
static bool isFloatCast(Operation *op) {
  return llvm::is_contained({"arith.extf", "arith.truncf", "tile.convert"},
                            op->getName().getStringRef()) &&
         isFloat(op->getOperand(0).getType()) &&
         isFloat(op->getResult(0).getType());
}

bool ExactMaker::replaceCast(Operation *op) {
  Location loc = op->getLoc();
  b.setInsertionPoint(op);
  if (isFloatCast(op))
    replace(op, op->getOperand(0));
  else if (auto widening = dyn_cast<arith::ScalingExtFOp>(op))
    replace(op, arith::MulFOp::create(b, loc, widening.getIn(),
                                      widening.getScale()));
  else if (auto narrowing = dyn_cast<arith::ScalingTruncFOp>(op))
    replace(op, arith::DivFOp::create(b, loc, narrowing.getIn(),
                                      narrowing.getScale()));
  else
    return false;
  return true;
}

LogicalResult ExactMaker::convert(Operation *op) {
  if (replaceCast(op))
    return success();
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && isFloat(constant.getType())) {
    convertConstant(constant);
    return success();
  }
  if (auto bits = dyn_cast<arith::BitcastOp>(op))
    return convertBitcast(bits);
  // Numbers of attributes, such as a padding.
  for (NamedAttribute attribute : op->getAttrs())
    if (auto number = dyn_cast<FloatAttr>(attribute.getValue()))
      op->setAttr(attribute.getName(),
                  FloatAttr::get(exactType(number.getType()),
                                 toWide(number.getValue())));
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
  std::vector<FunctionOpInterface> functions;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<arith::BitcastOp>(op))
      sources[op] = op->getOperand(0).getType();
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      functions.push_back(function);
    else if (!isa<ModuleOp>(op))
      ops.push_back(op);
  });
  for (FunctionOpInterface function : functions) {
    convertSignature(function);
    if (!isEntry(function))
      continue;
    for (BlockArgument argument : function.getArguments())
      if (isFloat(argument.getType()))
        widen(argument);
  }
  for (Operation *op : ops)
    if (failed(convert(op)))
      return failure();
  for (Operation *op : llvm::reverse(dead))
    op->erase();
  return success();
}

FailureOr<OwningOpRef<ModuleOp>> makeExact(func::FuncOp function) {
  return makeWide(function, Float128Type::get(function.getContext()));
}

FailureOr<OwningOpRef<ModuleOp>> makeWide(func::FuncOp function,
                                          FloatType type) {
  OwningOpRef<ModuleOp> copy = function->getParentOfType<ModuleOp>().clone();
  Operation *entry = copy->lookupSymbol(function.getSymName());
  ExactMaker maker(*copy, [=](Operation *op) { return op == entry; }, type);
  if (failed(maker.run()))
    return failure();
  return copy;
}

LogicalResult makeKernelsExact(ModuleOp module) {
  Operation *other = nullptr;
  module.walk([&](Operation *op) {
    const StringRef dialect = op->getName().getDialectNamespace();
    if (!llvm::is_contained({"arith", "builtin", "math", "scf", "tile", "ub"},
                            dialect))
      other = op;
  });
  if (other)
    return reference::errorAt(other)
           << "is not of the tile level, where exact results are known";
  return ExactMaker(
             module, [](Operation *op) { return isa<tile::KernelOp>(op); },
             Float128Type::get(module.getContext()))
      .run();
}

} // namespace tilewright::verify
