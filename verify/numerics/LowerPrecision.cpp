// Products and casts of less precision, made explicit. What is left to the
// reference of graphs is exact, or rounded by a cast that is written down.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "verify/numerics/LowerableOps.h"
#include <map>

using namespace mlir;

namespace tilewright::verify {

namespace {
/// Changes one module. Floats that were f32 are f32 or f64 there.
class PrecisionLowering {
public:
  PrecisionLowering(ModuleOp module, OpPrecision precision,
                    const std::vector<bool> &lowered)
      : module(module), precision(precision),
        arithmetic(matrixArithmetic(precision)), lowered(lowered),
        b(module.getLoc(), module.getContext()) {}
  void run();

private:
  /// The floats of `value` as those of another type.
  Value convert(Value value, FloatType type, bool truncate = false);
  /// The floats of `value`, rounded to the type of the precision.
  Value rounded(Value value);
  /// A part of an operand of a product, as f64.
  Value partOf(Value operand, unsigned part);
  Value partOfElement(Value number, unsigned part);
  /// `acc` plus the sum of products of `lhs` and `rhs` that `op` makes.
  Value addProducts(linalg::LinalgOp op, Value lhs, Value rhs, Value acc);
  void fillBody(linalg::LinalgOp op);
  /// Where a chunk ends 1, else 0, as i64.
  Value isEndOfChunk(linalg::LinalgOp op);

  void lowerProduct(Operation *op);
  void roundOperands(Operation *op);
  void roundResult(Value result, Attribute unit);

  ModuleOp module;
  const OpPrecision precision;
  const MatrixArithmetic &arithmetic;
  const std::vector<bool> &lowered;
  ImplicitLocOpBuilder b;
  /// Of values what they are when they are rounded.
  llvm::DenseMap<Value, Value> known;
};
} // namespace

/// What an op is part of, or what is around it; null: of nothing.
static Attribute unitOf(Operation *op) {
  for (; op; op = op->getParentOp())
    if (Attribute unit = op->getAttr(lowerableAttr))
      return unit;
  return {};
}

//===--- Casts ------------------------------------------------------------===//

static Type withElement(Type type, Type element) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.clone(element) : element;
}

Value PrecisionLowering::convert(Value value, FloatType type, bool truncate) {
  Type from = getElementTypeOrSelf(value.getType());
  Type to = withElement(value.getType(), type);
  if (from == type)
    return value;
  if (from.getIntOrFloatBitWidth() < type.getWidth())
    return arith::ExtFOp::create(b, to, value);
  auto narrow = arith::TruncFOp::create(b, to, value);
  if (truncate)
    narrow.setRoundingmode(arith::RoundingMode::toward_zero);
  return narrow;
}

Value PrecisionLowering::rounded(Value value) {
  Value &result = known[value];
  if (result)
    return result;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(value);
  auto own = llvm::cast<FloatType>(getElementTypeOrSelf(value.getType()));
  FloatType narrow = precision == OpPrecision::f16 ? FloatType(b.getF16Type())
                                                   : FloatType(b.getBF16Type());
  Value made = convert(convert(value, narrow), own);
  known[made] = made;
  return known[value] = made;
}

//===--- Parts ------------------------------------------------------------===//

Value PrecisionLowering::partOfElement(Value number, unsigned part) {
  Value rest = convert(number, b.getF32Type());
  Value mask =
      arith::ConstantIntOp::create(b, b.getI32Type(), int32_t(arithmetic.mask));
  for (unsigned i = 0;; ++i) {
    Value bits = arith::BitcastOp::create(b, b.getI32Type(), rest);
    Value upper = arith::BitcastOp::create(
        b, b.getF32Type(), arith::AndIOp::create(b, bits, mask));
    if (i == part)
      return convert(upper, b.getF64Type());
    rest = arith::SubFOp::create(b, rest, upper);
  }
}

Value PrecisionLowering::partOf(Value operand, unsigned part) {
  if (!arithmetic.mask)
    return convert(rounded(operand), b.getF64Type());
  // Only its shape counts.
  Value shape = convert(operand, b.getF64Type());
  auto type = llvm::cast<RankedTensorType>(shape.getType());
  AffineMap same = b.getMultiDimIdentityMap(unsigned(type.getRank()));
  return linalg::GenericOp::create(
             b, TypeRange{type}, ValueRange{operand}, ValueRange{shape},
             ArrayRef{same, same},
             SmallVector(size_t(type.getRank()), utils::IteratorType::parallel),
             [&](OpBuilder &builder, Location, ValueRange arguments) {
               OpBuilder::InsertionGuard guard(b);
               b.restoreInsertionPoint(builder.saveInsertionPoint());
               linalg::YieldOp::create(b, partOfElement(arguments[0], part));
             })
      .getResult(0);
}

//===--- Products ---------------------------------------------------------===//

/// The number of the point of now among those of the reduction loops, as far as
/// their sizes are known.
static Value pointOf(ImplicitLocOpBuilder &b, linalg::LinalgOp op) {
  Value point;
  int64_t step = 1;
  const SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  for (unsigned loop : llvm::reverse(loops)) {
    Value index = linalg::IndexOp::create(b, loop);
    if (step > 1)
      index = arith::MulIOp::create(b, index,
                                    arith::ConstantIndexOp::create(b, step));
    point = point ? arith::AddIOp::create(b, point, index).getResult() : index;
    if (ShapedType::isDynamic(sizes[loop]))
      break;
    step *= sizes[loop];
  }
  return point;
}

Value PrecisionLowering::isEndOfChunk(linalg::LinalgOp op) {
  Value last = arith::ConstantIndexOp::create(b, arithmetic.chunk - 1);
  Value inChunk = arith::AndIOp::create(b, pointOf(b, op), last);
  Value isEnd =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, inChunk, last);
  return arith::ExtUIOp::create(b, b.getI64Type(), isEnd);
}

/// In f64, where the products are exact. At the end of a chunk the bits that
/// f32 does not have become 0.
void PrecisionLowering::fillBody(linalg::LinalgOp op) {
  constexpr int64_t lowBits = (int64_t(1) << (53 - 24)) - 1;
  Block &body = op->getRegion(0).front();
  while (!body.empty())
    body.back().erase();
  for (BlockArgument argument : body.getArguments())
    argument.setType(b.getF64Type());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&body);
  Value product =
      arith::MulFOp::create(b, body.getArgument(0), body.getArgument(1));
  Value sum = arith::AddFOp::create(b, body.getArgument(2), product);
  Type word = b.getI64Type();
  Value bits = arith::BitcastOp::create(b, word, sum);
  Value mask = arith::ConstantIntOp::create(b, word, lowBits);
  Value lost = arith::AndIOp::create(
      b, bits, arith::MulIOp::create(b, isEndOfChunk(op), mask));
  Value kept = arith::XOrIOp::create(b, bits, lost);
  linalg::YieldOp::create(
      b, arith::BitcastOp::create(b, b.getF64Type(), kept).getResult());
}

Value PrecisionLowering::addProducts(linalg::LinalgOp op, Value lhs, Value rhs,
                                     Value acc) {
  Operation *copy = clone(b, op, TypeRange{acc.getType()}, {lhs, rhs, acc});
  fillBody(llvm::cast<linalg::LinalgOp>(copy));
  return copy->getResult(0);
}

void PrecisionLowering::lowerProduct(Operation *op) {
  b.setInsertionPoint(op);
  auto product = llvm::cast<linalg::LinalgOp>(op);
  auto own =
      llvm::cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  std::map<std::pair<unsigned, unsigned>, Value> parts;
  auto part = [&](unsigned operand, unsigned number) {
    Value &made = parts[{operand, number}];
    return made ? made : made = partOf(op->getOperand(operand), number);
  };
  Value sum = convert(op->getOperand(2), b.getF64Type());
  for (auto [left, right] : arithmetic.products)
    sum = addProducts(product, part(0, left), part(1, right), sum);
  Value result = convert(convert(sum, b.getF32Type(), /*truncate=*/true), own);
  // What of the same node reads it has it as it is.
  result.getDefiningOp()->setAttr(lowerableAttr, unitOf(op));
  Attribute unit = unitOf(op);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  if (isNarrowType(precision))
    roundResult(result, unit);
}

//===--- Other ops --------------------------------------------------------===//

void PrecisionLowering::roundOperands(Operation *op) {
  Attribute unit = unitOf(op);
  auto wereF32 = op->getAttrOfType<DenseBoolArrayAttr>(lowerableOperandsAttr);
  for (auto [operand, wasF32] :
       llvm::zip_equal(op->getOpOperands(), wereF32.asArrayRef())) {
    Operation *from = operand.get().getDefiningOp();
    if (wasF32 && !(from && unitOf(from) == unit))
      operand.set(rounded(operand.get()));
  }
}

void PrecisionLowering::roundResult(Value result, Attribute unit) {
  Value narrow = rounded(result);
  Operation *rounding = narrow.getDefiningOp()->getOperand(0).getDefiningOp();
  result.replaceUsesWithIf(narrow, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return unitOf(user) != unit && user != rounding;
  });
}

void PrecisionLowering::run() {
  std::vector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto unit = op->getAttrOfType<IntegerAttr>(lowerableAttr);
    if (unit && lowered[size_t(unit.getInt())])
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (op->hasAttr(lowerableProductAttr)) {
      lowerProduct(op);
      continue;
    }
    roundOperands(op);
    auto wereF32 = op->getAttrOfType<DenseBoolArrayAttr>(lowerableResultsAttr);
    for (auto [result, wasF32] :
         llvm::zip_equal(op->getResults(), wereF32.asArrayRef()))
      if (wasF32)
        roundResult(result, unitOf(op));
  }
}

void lowerPrecision(ModuleOp module, OpPrecision precision,
                    const std::vector<bool> &lowered) {
  PrecisionLowering(module, precision, lowered).run();
}

} // namespace tilewright::verify
