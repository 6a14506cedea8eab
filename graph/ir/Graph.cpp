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

bool isTopKElement(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() ||
         (type.isSignlessInteger() && type.getIntOrFloatBitWidth() >= 8 &&
          type.getIntOrFloatBitWidth() <= 32);
}

LogicalResult TopKOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto values = cast<RankedTensorType>(getValues().getType());
  auto indices = cast<RankedTensorType>(getIndices().getType());
  if (getAxis() >= uint64_t(source.getRank())) // c1
    return emitOpError("axis is ")
           << getAxis() << ", the source has " << source.getRank()
           << " dimensions (top_k_c1)";
  SmallVector<int64_t> shape(source.getShape());
  if (values.getRank() == source.getRank())
    shape[getAxis()] = values.getDimSize(getAxis());
  if (values.getShape() != ArrayRef(shape) ||
      ShapedType::isDynamic(shape[getAxis()]) ||
      values.getElementType() != source.getElementType() ||
      indices.getShape() != values.getShape() ||
      !indices.getElementType().isInteger(64)) // c2
    return emitOpError("results have types ")
           << values << " and " << indices << ", the source has " << source
           << " (top_k_c2)";
  const int64_t size = source.getDimSize(getAxis());
  const int64_t most =
      ShapedType::isDynamic(size) ? maxTopK : std::min(size, maxTopK);
  if (shape[getAxis()] > most) // c3
    return emitOpError("selects ")
           << shape[getAxis()] << " elements, expected at most " << most
           << " (top_k_c3)";
  if (!isTopKElement(source.getElementType())) // c4
    return emitOpError("has elements of type ")
           << source.getElementType()
           << ", expected f16, bf16, f32, or an integer of 8 to 32 bits "
              "(top_k_c4)";
  return success();
}

LogicalResult ScatterOp::verify() {
  auto data = cast<RankedTensorType>(getData().getType());
  auto updates = cast<RankedTensorType>(getUpdates().getType());
  if (!llvm::is_contained({"add", "min", "max"}, getKind())) // c1
    return emitOpError("kind is '")
           << getKind() << "', expected add, min or max (scatter_c1)";
  auto maps = getIndexMaps().getAsValueRange<AffineMapAttr>();
  if (getIndexMaps().size() != getIndices().size())
    return emitOpError("has ") << getIndices().size() << " index tensors and "
                               << getIndexMaps().size() << " maps (scatter_c2)";
  for (auto [index, map] : llvm::zip(getIndices(), maps)) {
    auto type = cast<RankedTensorType>(index.getType());
    if (!type.getElementType().isSignlessInteger() ||
        map.getNumDims() != unsigned(updates.getRank()) ||
        map.getNumSymbols() != 0 ||
        map.getNumResults() != unsigned(type.getRank())) // c2
      return emitOpError("reads indices of type ")
             << type << " by " << AffineMapAttr::get(map) << " (scatter_c2)";
  }
  AffineMap target = getTarget();
  if (target.getNumResults() != unsigned(data.getRank()) ||
      target.getNumDims() != unsigned(updates.getRank()) ||
      target.getNumSymbols() != getIndices().size() ||
      !llvm::all_of(target.getResults(),
                    llvm::IsaPred<AffineDimExpr, AffineSymbolExpr>)) // c3
    return emitOpError("target is ")
           << getTargetAttr()
           << ", expected dimensions of the updates or symbols, one "
           << "for each of " << data.getRank() << " dimensions (scatter_c3)";
  if (updates.getElementType() != data.getElementType()) // c4
    return emitOpError("updates are of type ")
           << updates << ", the data of " << data << " (scatter_c4)";
  return success();
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
