//===- Outline.cpp - A group as a function of its own ---------------------===//
#include "graph/lowering/Outline.h"

#include "graph/analysis/Access.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tilewright::graph {

namespace {
class Outliner {
public:
  explicit Outliner(const Group &group)
      : group(group), builder(group.last->getContext()) {}
  OwningOpRef<ModuleOp> run();

private:
  bool copyOperands(Operation *op);
  bool copyOutside(Value value);

  const Group &group;
  OpBuilder builder;
  func::FuncOp func;
  IRMapping mapping;
};
} // namespace

/// What a group writes down where it reads it: constants of one value, empty
/// tensors, and sizes that follow from them.
static bool isWrittenDown(Operation *op) {
  if (isa<arith::ConstantOp>(op))
    return !isa<TensorType>(op->getResult(0).getType()) ||
           isSplatConstant(op->getResult(0));
  return isa<tensor::EmptyOp, linalg::FillOp>(op);
}

/// Makes a value from outside of the group known in the function: a copy, or
/// an argument. False where it is neither.
bool Outliner::copyOutside(Value value) {
  if (mapping.contains(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (op && isWrittenDown(op)) {
    if (!copyOperands(op))
      return false;
    builder.clone(*op, mapping);
    return true;
  }
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return false;
  mapping.map(
      value, func.getBody().front().addArgument(type, builder.getUnknownLoc()));
  return true;
}

bool Outliner::copyOperands(Operation *op) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  return llvm::all_of(used, [&](Value value) {
    Operation *source = value.getDefiningOp();
    return (source && group.ops.contains(source)) || copyOutside(value);
  });
}

OwningOpRef<ModuleOp> Outliner::run() {
  auto type = cast<RankedTensorType>(group.result().getType());
  if (group.isConcat || group.isGiven || group.results().size() > 1 ||
      !type.hasStaticShape())
    return nullptr;
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(module->getBody());
  func = func::FuncOp::create(builder, loc, "group",
                              builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(func.addEntryBlock());
  for (Operation *op : group.ops) {
    if (!copyOperands(op))
      return nullptr;
    builder.clone(*op, mapping);
  }
  func::ReturnOp::create(builder, loc, mapping.lookup(group.result()));
  func.setFunctionType(builder.getFunctionType(
      func.getBody().front().getArgumentTypes(), {type}));
  return module;
}

OwningOpRef<ModuleOp> outline(const Group &group) {
  return Outliner(group).run();
}

std::string outlinedText(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

} // namespace tilewright::graph
