#include "spatial/schedule/VectorProgram.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::spatial {

int64_t VectorOp::spanOf(size_t operand) const {
  if (auto multiply = dyn_cast<MultiplyOp>(op))
    return operand == 1 ? static_cast<int64_t>(multiply.getRows()) : 1;
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return static_cast<int64_t>(transpose.getSize());
  if (auto gather = dyn_cast<GatherOp>(op))
    return operand == 0 ? static_cast<int64_t>(gather.getRows()) : 1;
  return 1;
}

uint32_t VectorProgram::addValue(StringRef prefix, DType dtype, int64_t count) {
  const auto number = static_cast<uint32_t>(values.size());
  values.push_back({prefix.str() + std::to_string(number), dtype, count});
  makers.push_back(-1);
  bases.push_back(total);
  total += count;
  return number;
}

VectorProgram::VectorProgram(func::FuncOp function) : function(function) {
  Block &body = function.getBody().front();
  auto add = [&](mlir::Value value, StringRef prefix) {
    auto type = cast<VectorsType>(value.getType());
    numbers[value] =
        addValue(prefix, *valueType(type.getElement()), type.getCount());
  };
  for (BlockArgument argument : body.getArguments())
    add(argument, "x");
  for (Operation &op : body.without_terminator()) {
    if (Operation *equal = findEqual(&op)) {
      leaders[op.getResult(0)] = equal->getResult(0);
      if (!isa<SelectVectorsOp>(op))
        numbers[op.getResult(0)] = numbers.lookup(equal->getResult(0));
      continue;
    }
    if (isa<SelectVectorsOp>(op))
      continue;
    add(op.getResult(0), TypeSwitch<Operation *, StringRef>(&op)
                             .Case([](ConstantOp) { return "c"; })
                             .Case([](MultiplyOp) { return "p"; })
                             .Case([](MapOp) { return "m"; })
                             .Case([](TransposeOp) { return "t"; })
                             .Case([](GatherOp) { return "g"; })
                             .Default([](Operation *) { return "v"; }));
    values.back().node = nodeOf(op.getLoc());
    if (!isa<ConstantOp>(op))
      addOp(&op);
  }
}

Operation *VectorProgram::findEqual(Operation *op) {
  // A term of a sum is added once; outputs have values of their own.
  if (isa<MultiplyOp, ConstantOp>(op) ||
      llvm::any_of(op->getUsers(), [](Operation *user) {
        return user->hasTrait<OpTrait::IsTerminator>();
      }))
    return nullptr;
  auto leader = [&](mlir::Value value) {
    auto found = leaders.find(value);
    return found == leaders.end() ? value : found->second;
  };
  const llvm::hash_code hash = OperationEquivalence::computeHash(
      op,
      [&](mlir::Value value) {
        return llvm::hash_value(leader(value).getImpl());
      },
      OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations |
          OperationEquivalence::IgnoreDiscardableAttrs);
  SmallVector<Operation *, 1> &candidates = known[size_t(hash)];
  for (Operation *other : candidates)
    if (OperationEquivalence::isEquivalentTo(
            op, other,
            [&](mlir::Value a, mlir::Value b) {
              return success(leader(a) == leader(b));
            },
            nullptr,
            OperationEquivalence::IgnoreLocations |
                OperationEquivalence::IgnoreDiscardableAttrs))
      return other;
  candidates.push_back(op);
  return nullptr;
}

Ref VectorProgram::resolve(mlir::Value value, int32_t index) const {
  while (auto select = value.getDefiningOp<SelectVectorsOp>()) {
    value = select.getReads()[select.getSources()[index]];
    index = select.getIndices()[index];
  }
  return {numbers.lookup(value), index};
}

void VectorProgram::addOp(Operation *op) {
  VectorOp added;
  added.op = op;
  added.value = numbers.lookup(op->getResult(0));
  auto indices = op->getAttrOfType<ArrayAttr>("indices");
  for (unsigned number = 0; number < op->getNumOperands(); ++number) {
    std::vector<Ref> &refs = added.operands.emplace_back();
    for (int32_t index : indicesOf(indices, number))
      refs.push_back(resolve(op->getOperand(number), index));
  }
  makers[added.value] = static_cast<int32_t>(ops.size());
  ops.push_back(std::move(added));
}

} // namespace tilewright::spatial
