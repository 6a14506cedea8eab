//===- Graph.cpp - The graph dialect --------------------------------------===//
#include "graph/ir/Graph.h"

using namespace mlir;

#include "graph/ir/GraphDialect.cpp.inc"
#define GET_OP_CLASSES
#include "graph/ir/GraphOps.cpp.inc"

namespace tilewright::graph {

void GraphDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "graph/ir/GraphOps.cpp.inc"
      >();
}

Value CompositeOp::getYielded(unsigned number) {
  return getBody().front().getTerminator()->getOperand(number);
}

/// What composites and groups have in common; `name` begins the
/// labels of the rules.
static LogicalResult verifyBody(Operation *op, StringRef name) {
  Block &body = op->getRegion(0).front();
  if (body.getArgumentTypes() != op->getOperandTypes()) // c1
    return op->emitOpError("the body's arguments are not of the operands' "
                           "types (")
           << name << "_c1)";
  if (body.empty() || !isa<YieldOp>(body.back()) ||
      body.back().getOperandTypes() != op->getResultTypes()) // c2
    return op->emitOpError("the body does not yield values of the results' "
                           "types (")
           << name << "_c2)";
  if (op->getNumResults() == 0) // c3
    return op->emitOpError("has no result (") << name << "_c3)";
  return success();
}

LogicalResult CompositeOp::verify() { return verifyBody(*this, "composite"); }

OperandRange GroupOp::getYielded() {
  return getBody().front().getTerminator()->getOperands();
}

LogicalResult GroupOp::verify() {
  if (failed(verifyBody(*this, "group")))
    return failure();
  llvm::SmallPtrSet<Value, 4> seen;
  for (Value value : getYielded())
    if (!value.getDefiningOp() || !seen.insert(value).second) // c3
      return emitOpError("expected each result to be computed by an op of the "
                         "body, and yielded once (group_c3)");
  return success();
}

std::optional<unsigned> LaunchOp::resultOf(unsigned position) {
  const auto *found = llvm::find(getWrites(), int64_t(position));
  if (found == getWrites().end())
    return std::nullopt;
  return unsigned(found - getWrites().begin());
}

LogicalResult LaunchOp::verify() {
  int64_t last = -1;
  for (int64_t position : getWrites()) {
    if (position <= last || position >= int64_t(getArguments().size()) ||
        !isa<RankedTensorType>(getArguments()[position].getType())) // c1
      return emitOpError("expected ascending positions of tensors that are "
                         "written, found ")
             << position << " (launch_c1)";
    last = position;
  }
  if (getWrites().size() != getNumResults())
    return emitOpError("writes ") << getWrites().size() << " arguments and has "
                                  << getNumResults() << " results (launch_c2)";
  for (unsigned i = 0; i < getNumResults(); ++i)
    if (getWritten(i).getType() != getResult(i).getType()) // c2
      return emitOpError("result ")
             << i << " is not of the type of the argument that is written "
             << "(launch_c2)";
  return success();
}

static LogicalResult verifyCode(Operation *op) {
  for (Operation &inner : op->getRegion(0).front())
    if (!isa<ModuleOp>(inner) || !inner.hasAttr("tile.target")) // c1
      return inner.emitError("expected modules with a tile.target in ")
             << op->getName() << " (code_c1)";
  return success();
}

LogicalResult CpuCodeOp::verify() { return verifyCode(*this); }
LogicalResult GpuCodeOp::verify() { return verifyCode(*this); }
LogicalResult InterpreterCodeOp::verify() { return verifyCode(*this); }

Value operandBehind(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *op = argument ? argument.getOwner()->getParentOp() : nullptr;
  return isa_and_nonnull<GroupOp, CompositeOp>(op)
             ? op->getOperand(argument.getArgNumber())
             : Value();
}

} // namespace tilewright::graph
