// Contractions, reductions, scans.
#include "tileir/ir/Support.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::tile;
using support::noteAt;
using support::opError;
using support::sameButLayouts;
using support::shapeOf;
using support::shapeText;

//===--- dot --------------------------------------------------------------===//

/// True if products of `lhs` and `rhs` elements may be added up in `acc`.
static bool canAccumulate(Type lhs, Type rhs, Type acc) {
  auto isFloat8 = [](Type type) {
    return isa<Float8E4M3FNType, Float8E5M2Type>(type);
  };
  if (isa<FloatType>(acc)) {
    bool same = lhs == rhs || (isFloat8(lhs) && isFloat8(rhs));
    return same && isa<FloatType>(lhs) && !isa<Float8E8M0FNUType>(lhs) &&
           isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(acc) &&
           (lhs == acc ||
            lhs.getIntOrFloatBitWidth() < acc.getIntOrFloatBitWidth());
  }
  auto isOperand = [&](Type type) {
    return type.isInteger() && !type.isInteger(1) &&
           type.getIntOrFloatBitWidth() <= acc.getIntOrFloatBitWidth();
  };
  return (acc.isInteger(32) || acc.isInteger(64)) && isOperand(lhs) &&
         isOperand(rhs);
}

/// dot_c1 to dot_c3: ranks, inner and outer dimensions.
static LogicalResult verifyDotShapes(DotOp op) {
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs()),
                    acc = shapeOf(op.getAcc());
  // dot_c1
  size_t rank = lhs.size();
  if ((rank != 2 && rank != 3) || rhs.size() != rank || acc.size() != rank)
    return opError(op) << "lhs is " << shapeText(lhs) << ", rhs "
                       << shapeText(rhs) << ", acc " << shapeText(acc)
                       << "; expected all with 2 or all with 3 dimensions "
                          "(dot_c1)";
  // dot_c2
  if (lhs[rank - 1] != rhs[rank - 2]) {
    InFlightDiagnostic diagnostic =
        opError(op) << "inner dimensions differ: lhs is " << shapeText(lhs)
                    << ", rhs is " << shapeText(rhs) << " (dot_c2)";
    noteAt(diagnostic, op.getRhs(),
           "rhs is made here with " + Twine(rhs[rank - 2]) + " rows");
    return diagnostic;
  }
  // dot_c3
  SmallVector<int64_t> expected(lhs.drop_back());
  expected.push_back(rhs[rank - 1]);
  bool batched = rank == 2 || lhs[0] == rhs[0];
  if (batched && acc == ArrayRef<int64_t>(expected))
    return success();
  InFlightDiagnostic diagnostic =
      opError(op) << "acc is " << shapeText(acc) << ", lhs " << shapeText(lhs)
                  << " times rhs " << shapeText(rhs);
  if (batched)
    diagnostic << " is " << shapeText(expected);
  else
    diagnostic << " have different batch sizes";
  return diagnostic << " (dot_c3)";
}

LogicalResult DotOp::verify() {
  if (failed(verifyDotShapes(*this)))
    return failure();
  Type lhs = getElementTypeOrSelf(getLhs()),
       rhs = getElementTypeOrSelf(getRhs()),
       acc = getElementTypeOrSelf(getAcc());
  // dot_c4
  if (!canAccumulate(lhs, rhs, acc))
    return opError(*this) << "elements " << lhs << " times " << rhs
                          << " cannot be added up in " << acc
                          << "; expected one type, and an accumulator no "
                             "narrower: f16, bf16, f32 or f64 for floats, i32 "
                             "or i64 for integers (dot_c4)";
  // dot_c5
  bool isFast = getPrecision() == DotPrecision::fast;
  if (getPrecision() != DotPrecision::ieee &&
      !(isFast ? lhs.isFloat(8) : lhs.isF32()))
    return opError(*this) << "precision "
                          << stringifyDotPrecision(getPrecision()) << " is for "
                          << (isFast ? "8-bit floats" : "f32")
                          << ", the elements are " << lhs << " (dot_c5)";
  // dot_c6
  if ((getLhsUnsigned() || getRhsUnsigned()) && !lhs.isInteger())
    return opError(*this) << "unsigned operands must be integers, found " << lhs
                          << " (dot_c6)";
  return success();
}

//===--- reduce, scan -----------------------------------------------------===//

namespace {
/// The rules that reduce and scan share.
struct CombineRules {
  StringRef inputs, axis, results, arguments, yields;
};
} // namespace

/// Builds the combining region and fills it by `combine`.
static void buildCombiner(OpBuilder &builder, OperationState &state,
                          ValueRange inputs, CombineFn combine) {
  Region *region = state.addRegion();
  SmallVector<Type> elements;
  for (int side = 0; side < 2; ++side)
    for (Value input : inputs)
      elements.push_back(getElementTypeOrSelf(input));
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(
      region, {}, elements,
      SmallVector<Location>(elements.size(), state.location));
  SmallVector<Value> combined =
      combine(builder, state.location, block->getArguments());
  YieldOp::create(builder, state.location, combined);
}

/// The type of `input` with dimension `axis` removed.
static Type reducedType(Type input, int64_t axis) {
  auto tile = cast<RankedTensorType>(input);
  SmallVector<int64_t> shape(tile.getShape());
  shape.erase(shape.begin() + axis);
  return RankedTensorType::get(shape, tile.getElementType());
}

static LogicalResult verifyCombiner(Operation *op, Block &block,
                                    const CombineRules &rules) {
  SmallVector<Type> elements;
  for (Type type : op->getOperandTypes())
    elements.push_back(getElementTypeOrSelf(type));
  SmallVector<Type> both(elements);
  both.append(elements);
  if (TypeRange(both) != block.getArgumentTypes())
    return opError(op) << "the region takes (" << block.getArgumentTypes()
                       << "), expected (" << TypeRange(both) << ") ("
                       << rules.arguments << ")";
  if (block.getTerminator()->getOperandTypes() != TypeRange(elements))
    return opError(op) << "the region yields ("
                       << block.getTerminator()->getOperandTypes()
                       << "), expected (" << TypeRange(elements) << ") ("
                       << rules.yields << ")";
  return success();
}

static LogicalResult verifyCombine(Operation *op, int64_t axis, Block &block,
                                   bool removesAxis,
                                   const CombineRules &rules) {
  if (op->getNumOperands() == 0)
    return opError(op) << "expected at least one input (" << rules.inputs
                       << ")";
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  for (Value input : op->getOperands())
    if (shapeOf(input) != shape)
      return opError(op) << "the inputs are " << shapeText(shape) << " and "
                         << shapeText(shapeOf(input))
                         << ", expected equal shapes (" << rules.inputs << ")";
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size()))
    return opError(op) << "axis " << axis << " of inputs with " << shape.size()
                       << " dimensions (" << rules.axis << ")";
  SmallVector<Type> expected;
  for (Type type : op->getOperandTypes())
    expected.push_back(removesAxis ? reducedType(type, axis) : type);
  if (!sameButLayouts(expected, op->getResultTypes()))
    return opError(op) << "the results are (" << op->getResultTypes()
                       << "), expected (" << TypeRange(expected) << ") ("
                       << rules.results << ")";
  return verifyCombiner(op, block, rules);
}

void ReduceOp::build(OpBuilder &builder, OperationState &state,
                     ValueRange inputs, int64_t axis, CombineFn combine) {
  state.addOperands(inputs);
  state.addAttribute(getAxisAttrName(state.name),
                     builder.getI64IntegerAttr(axis));
  for (Type type : inputs.getTypes())
    state.addTypes(reducedType(type, axis));
  buildCombiner(builder, state, inputs, combine);
}

// reduce_c1, reduce_c2, reduce_c3, reduce_c4, reduce_c5
LogicalResult ReduceOp::verifyRegions() {
  return verifyCombine(
      *this, getAxis(), *getBody(), /*removesAxis=*/true,
      {"reduce_c1", "reduce_c2", "reduce_c3", "reduce_c4", "reduce_c5"});
}

void ScanOp::build(OpBuilder &builder, OperationState &state, ValueRange inputs,
                   int64_t axis, bool reverse, CombineFn combine) {
  state.addOperands(inputs);
  state.addAttribute(getAxisAttrName(state.name),
                     builder.getI64IntegerAttr(axis));
  if (reverse)
    state.addAttribute(getReverseAttrName(state.name), builder.getUnitAttr());
  state.addTypes(inputs.getTypes());
  buildCombiner(builder, state, inputs, combine);
}

// scan_c1, scan_c2, scan_c3, scan_c4, scan_c5
LogicalResult ScanOp::verifyRegions() {
  return verifyCombine(*this, getAxis(), *getBody(), /*removesAxis=*/false,
                       {"scan_c1", "scan_c2", "scan_c3", "scan_c4", "scan_c5"});
}
