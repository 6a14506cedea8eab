//===- Graph.cpp - The graph dialect --------------------------------------===//
#include "graph/ir/Graph.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tilewright::graph {
/// The results of some ops have the types of their inputs.
static ParseResult parseSameTypes(OpAsmParser &, ArrayRef<Type> inputs,
                                  SmallVectorImpl<Type> &results) {
  results.assign(inputs.begin(), inputs.end());
  return success();
}
static void printSameTypes(OpAsmPrinter &, Operation *, TypeRange, TypeRange) {}
} // namespace tilewright::graph

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

bool TopKOp::isSelected() {
  auto type = cast<RankedTensorType>(getValues().getType());
  Type element = type.getElementType();
  const bool isInteger =
      element.isInteger(8) || element.isInteger(16) || element.isInteger(32);
  return type.getDimSize(getAxis()) <= maxTopK &&
         (element.isF16() || element.isBF16() || element.isF32() ||
          (isInteger && !getIsUnsigned()));
}

/// Whether elements of `type` have an order.
static bool isOrdered(Type type, bool isUnsigned) {
  return type.isSignlessInteger() || (isa<FloatType>(type) && !isUnsigned);
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
  if (!ShapedType::isDynamic(size) && shape[getAxis()] > size) // c3
    return emitOpError("selects ")
           << shape[getAxis()] << " elements of " << size << " (top_k_c3)";
  if (!isOrdered(source.getElementType(), getIsUnsigned())) // c4
    return emitOpError("has elements of type ")
           << source.getElementType() << ", expected "
           << (getIsUnsigned() ? "integers" : "floats or integers")
           << " (top_k_c4)";
  return success();
}

void SortOp::build(OpBuilder &, OperationState &state, ValueRange inputs,
                   int64_t axis, bool descending, bool isUnsigned) {
  Properties &properties = state.getOrAddProperties<Properties>();
  Builder b(state.getContext());
  properties.setAxis(b.getI64IntegerAttr(axis));
  if (descending)
    properties.setDescending(b.getUnitAttr());
  if (isUnsigned)
    properties.setIsUnsigned(b.getUnitAttr());
  state.addOperands(inputs);
  state.addTypes(inputs.getTypes());
}

/// What ops along rows have in common; `name` begins the labels of the rules.
static LogicalResult verifyRows(Operation *op, uint64_t axis, StringRef name) {
  if (op->getNumOperands() == 0) // c1
    return op->emitOpError("has no input (") << name << "_c1)";
  auto first = cast<RankedTensorType>(op->getOperand(0).getType());
  for (Type type : op->getOperandTypes())
    if (cast<RankedTensorType>(type).getShape() != first.getShape()) // c1
      return op->emitOpError("inputs have types ")
             << first << " and " << type << ", expected one shape (" << name
             << "_c1)";
  if (axis >= uint64_t(first.getRank())) // c2
    return op->emitOpError("axis is ")
           << axis << ", the inputs have " << first.getRank() << " dimensions ("
           << name << "_c2)";
  if (op->getResultTypes() != op->getOperandTypes()) // c3
    return op->emitOpError("results do not have the inputs' types (")
           << name << "_c3)";
  return success();
}

LogicalResult SortOp::verify() {
  if (failed(verifyRows(*this, getAxis(), "sort"))) // c1, c2, c3
    return failure();
  Type key = getElementTypeOrSelf(getInputs().front().getType());
  if (!isOrdered(key, getIsUnsigned())) // c4
    return emitOpError("has keys of type ")
           << key << ", expected "
           << (getIsUnsigned() ? "integers" : "floats or integers")
           << " (sort_c4)";
  return success();
}

LogicalResult ScanOp::verify() {
  if (failed(verifyRows(*this, getAxis(), "scan"))) // c1, c2, c3
    return failure();
  Block &body = getBody().front();
  SmallVector<Type> elements;
  for (Value input : getInputs())
    elements.push_back(getElementTypeOrSelf(input.getType()));
  SmallVector<Type> both(elements);
  both.append(elements);
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  if (body.getArgumentTypes() != TypeRange(both) || !yield ||
      yield.getOperandTypes() != TypeRange(elements)) // c4
    return emitOpError("the body does not combine two elements of each input "
                       "(scan_c4)");
  auto isOutside = [&](Value operand) {
    return operand.getParentBlock() != &body &&
           !matchPattern(operand, m_Constant());
  };
  for (Operation &inner : body)
    if (llvm::any_of(inner.getOperands(), isOutside)) // c4
      return inner.emitOpError("reads a value from outside of the body "
                               "(scan_c4)");
  return success();
}

LogicalResult RequireOp::verify() {
  Type element = getElementTypeOrSelf(getSource().getType());
  if (!element.isSignlessInteger() && !element.isIndex()) // c1
    return emitOpError("has elements of type ")
           << element << ", expected integers (require_c1)";
  if (getBounds().size() != 0 && getBounds().size() != 2) // c2
    return emitOpError("has ") << getBounds().size()
                               << " bounds, expected none or two "
                                  "(require_c2)";
  return success();
}

/// Whether `type` is a tensor of i64 with all dimensions of the keys but the
/// last, and then `last`.
static bool isByBlock(Type type, RankedTensorType keys,
                      ArrayRef<int64_t> last) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(keys.getShape().drop_back());
  shape.append(last.begin(), last.end());
  return tensor.getElementType().isInteger(64) &&
         tensor.getShape() == ArrayRef(shape);
}

namespace {
/// What the ops on digits have in common; `name` begins their labels.
struct DigitRules {
  Operation *op;
  StringRef name;
  RankedTensorType keys;
  int64_t digit, block;

  LogicalResult verify() {
    Type element = keys.getElementType();
    if (!(element.isInteger(8) || element.isInteger(16) ||
          element.isInteger(32) || element.isInteger(64)) ||
        keys.getRank() == 0 || digit < 0 ||
        digit * 8 >= int64_t(element.getIntOrFloatBitWidth())) // c1
      return op->emitOpError("reads digit ")
             << digit << " of keys of type " << keys << " (" << name << "_c1)";
    if (block < 1) // c3
      return op->emitOpError("has blocks of ")
             << block << " keys, expected at least 1 (" << name << "_c3)";
    return success();
  }
  int64_t blocks() {
    const int64_t length = keys.getShape().back();
    return ShapedType::isDynamic(length) ? length
                                         : llvm::divideCeil(length, block);
  }
};
} // namespace

LogicalResult DigitCountsOp::verify() {
  auto keys = cast<RankedTensorType>(getKeys().getType());
  DigitRules rules{*this, "digit_counts", keys, int64_t(getDigit()),
                   int64_t(getBlock())};
  if (failed(rules.verify())) // c1, c3
    return failure();
  if (!isByBlock(getCounts().getType(), keys,
                 {digitValues, rules.blocks()})) // c2
    return emitOpError("has counts of type ")
           << getCounts().getType() << " for keys of type " << keys
           << " (digit_counts_c2)";
  return success();
}

LogicalResult DigitScatterOp::verify() {
  auto keys = cast<RankedTensorType>(getKeys().getType());
  auto values = cast<RankedTensorType>(getValues().getType());
  DigitRules rules{*this, "digit_scatter", keys, int64_t(getDigit()),
                   int64_t(getBlock())};
  if (failed(rules.verify())) // c1, c3
    return failure();
  if (!isByBlock(getOffsets().getType(), keys,
                 {digitValues, rules.blocks()})) // c2
    return emitOpError("has offsets of type ")
           << getOffsets().getType() << " for keys of type " << keys
           << " (digit_scatter_c2)";
  if (values.getShape() != keys.getShape() ||
      !values.getElementType().isSignlessInteger()) // c4
    return emitOpError("has values of type ")
           << values << " for keys of type " << keys << " (digit_scatter_c4)";
  if (!isByBlock(getEnds().getType(), keys,
                 {rules.blocks(), digitValues})) // c5
    return emitOpError("has ends of type ")
           << getEnds().getType() << " for keys of type " << keys
           << " (digit_scatter_c5)";
  return success();
}

SmallVector<unsigned> ScatterOp::getFreeLoops() {
  SmallVector<unsigned> loops;
  for (unsigned loop = 0; loop < getTarget().getNumDims(); ++loop)
    if (!llvm::is_contained(getTarget().getResults(),
                            getAffineDimExpr(loop, getContext())))
      loops.push_back(loop);
  return loops;
}

SmallVector<unsigned> ScatterOp::getOwnedDims() {
  SmallVector<unsigned> dims;
  for (auto [dim, subscript] : llvm::enumerate(getTarget().getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(subscript);
    if (!loop || llvm::any_of(getIndexMaps().getAsValueRange<AffineMapAttr>(),
                              [&](AffineMap map) {
                                return map.isFunctionOfDim(loop.getPosition());
                              }))
      dims.push_back(unsigned(dim));
  }
  return dims;
}

/// Whether `kind` combines elements of `type`.
static bool isScattered(StringRef kind, Type type) {
  const bool isInteger = type.isInteger(32) || type.isInteger(64);
  if (kind == "umin" || kind == "umax")
    return isInteger;
  return kind == "set" || isInteger || type.isF16() || type.isBF16() ||
         type.isF32() || type.isF64();
}

LogicalResult ScatterOp::verify() {
  auto data = cast<RankedTensorType>(getData().getType());
  auto updates = cast<RankedTensorType>(getUpdates().getType());
  if (!llvm::is_contained({"set", "add", "mul", "min", "max", "umin", "umax"},
                          getKind())) // c1
    return emitOpError("kind is '")
           << getKind()
           << "', expected set, add, mul, min, max, umin or umax (scatter_c1)";
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
  if (!isScattered(getKind(), data.getElementType())) // c4
    return emitOpError("of kind ")
           << getKind() << " has elements of type " << data.getElementType()
           << ", expected i32 or i64, or f16, bf16, f32 or f64 but for umin "
              "and umax (scatter_c4)";
  if (!getOwners())
    return success();
  auto owners = cast<RankedTensorType>(getOwners().getType());
  SmallVector<int64_t> shape;
  for (unsigned dim : getOwnedDims())
    shape.push_back(data.getDimSize(dim));
  if (getKind() != "set" || owners.getShape() != ArrayRef(shape) ||
      !(owners.getElementType().isInteger(32) ||
        owners.getElementType().isInteger(64))) // c5
    return emitOpError("of kind ")
           << getKind() << " has owners of type " << owners
           << " for data of type " << data << " (scatter_c5)";
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

LogicalResult ConditionOp::verify() {
  auto type = cast<RankedTensorType>(getTensor().getType());
  if (type.getRank() != 0 || !type.getElementType().isInteger(1)) // c1
    return emitOpError("reads a ")
           << type << ", expected a tensor<i1> (condition_c1)";
  return success();
}

/// Reads the tensor that the condition was read from.
LogicalResult ConditionOp::canonicalize(ConditionOp op,
                                        PatternRewriter &rewriter) {
  auto made = op.getTensor().getDefiningOp<tensor::FromElementsOp>();
  auto read =
      made ? made.getElements().front().getDefiningOp<tensor::ExtractOp>()
           : tensor::ExtractOp();
  if (!read || read.getTensor().getType() != op.getTensor().getType())
    return rewriter.notifyMatchFailure(op, "reads what is computed");
  rewriter.modifyOpInPlace(op, [&] { op.setOperand(read.getTensor()); });
  return success();
}

LogicalResult SizeOp::verify() {
  auto type = cast<RankedTensorType>(getTensor().getType());
  if (type.getRank() != 0 || !(type.getElementType().isInteger(64) ||
                               type.getElementType().isInteger(32))) // c1
    return emitOpError("reads a ")
           << type << ", expected a tensor<i64> or a tensor<i32> (size_c1)";
  return success();
}

LogicalResult ResizeRowsOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType()),
       result = cast<RankedTensorType>(getType());
  if (result.getRank() == 0 || source.getRank() != result.getRank() ||
      !result.isDynamicDim(0) ||
      source.getShape().drop_front() != result.getShape().drop_front()) // c1
    return emitOpError("makes a ")
           << result << " of a " << source
           << ", expected types that are equal but for dimension 0, which is "
              "dynamic in the result (resize_rows_c1)";
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
