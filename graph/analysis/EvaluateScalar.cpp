// Scalars of bodies that are known while a model is imported.
#include "graph/analysis/Evaluator.h"
#include "graph/analysis/Polynomial.h"
#include "graph/analysis/SizeBounds.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::graph {

using Known = std::optional<KnownElement>;

TypedAttr constantAs(const KnownElement &element, Type type) {
  if (element.constant)
    return element.constant;
  if (element.divisor)
    return {};
  std::optional<int64_t> value = constantOf(element.size);
  if (!value)
    return {};
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat number(floatType.getFloatSemantics());
    number.convertFromAPInt(APInt(64, *value, true), true,
                            APFloat::rmNearestTiesToEven);
    return FloatAttr::get(type, number);
  }
  if (type.isIndex())
    return IntegerAttr::get(type, *value);
  return IntegerAttr::get(
      type, APInt(64, *value, true).trunc(type.getIntOrFloatBitWidth()));
}

std::optional<std::pair<Expr, Expr>> ratioOf(Sizes &sizes,
                                             const KnownElement &element) {
  if (element.divisor)
    return std::pair(element.size, element.divisor);
  Expr whole = sizeOf(sizes, element);
  if (!whole)
    return std::nullopt;
  return std::pair(whole, sizes.constant(1));
}

Expr sizeOf(Sizes &sizes, const KnownElement &element) {
  if (element.divisor)
    return {};
  if (element.size)
    return element.size;
  if (auto integer = dyn_cast<IntegerAttr>(element.constant))
    return sizes.constant(integer.getType().isInteger(1)
                              ? integer.getValue().getZExtValue()
                              : integer.getValue().getSExtValue());
  auto number = dyn_cast<FloatAttr>(element.constant);
  APSInt whole(64, /*isUnsigned=*/false);
  bool isExact = false;
  if (!number ||
      number.getValue().convertToInteger(whole, APFloat::rmTowardZero,
                                         &isExact) ||
      !isExact)
    return {};
  return sizes.constant(whole.getExtValue());
}

Known Evaluator::scalar(Value value, Iteration &iteration) {
  if (auto found = iteration.scalars.find(value);
      found != iteration.scalars.end())
    return found->second;
  Known result = --budget > 0 ? computeScalar(value, iteration) : std::nullopt;
  iteration.scalars[value] = result;
  return result;
}

Known Evaluator::computeScalar(Value value, Iteration &iteration) {
  TypedAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return KnownElement{constant, {}};
  if (Expr size = sizeOfIndex(value))
    return KnownElement{{}, size};
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofArgument(argument, iteration);
  Operation *op = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return KnownElement{
        IntegerAttr::get(value.getType(), iteration.loops[index.getDim()]), {}};
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return ofExtract(extract, iteration);
  return ofOperation(op, iteration);
}

Known Evaluator::ofArgument(BlockArgument argument, Iteration &iteration) {
  auto op = dyn_cast<linalg::GenericOp>(argument.getOwner()->getParentOp());
  if (!op)
    return std::nullopt;
  OpOperand *operand = op.getMatchingOpOperand(argument);
  Position at;
  for (AffineExpr subscript : op.getMatchingIndexingMap(operand).getResults()) {
    SmallVector<Expr> dims;
    for (int64_t index : iteration.loops)
      dims.push_back(sizes.constant(index));
    auto position = constantOf(subscript.replaceDims(dims));
    if (!position)
      return std::nullopt;
    at.push_back(*position);
  }
  return element(operand->get(), at);
}

Known Evaluator::ofExtract(tensor::ExtractOp op, Iteration &iteration) {
  Position at;
  for (Value index : op.getIndices()) {
    Known position = scalar(index, iteration);
    Expr size = position ? graph::sizeOf(sizes, *position) : Expr();
    std::optional<int64_t> constant = size ? constantOf(size) : std::nullopt;
    if (!constant)
      return std::nullopt;
    at.push_back(*constant);
  }
  return element(op.getTensor(), at);
}

Known Evaluator::ofOperation(Operation *op, Iteration &iteration) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return std::nullopt;
  // What is not chosen need not be known.
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Known condition = scalar(select.getCondition(), iteration);
    if (!condition || !condition->constant)
      return std::nullopt;
    bool isTrue = !cast<IntegerAttr>(condition->constant).getValue().isZero();
    return scalar(isTrue ? select.getTrueValue() : select.getFalseValue(),
                  iteration);
  }
  SmallVector<KnownElement> operands;
  for (Value operand : op->getOperands()) {
    Known known = scalar(operand, iteration);
    if (!known)
      return std::nullopt;
    operands.push_back(*known);
  }
  return fold(op, operands);
}

Known Evaluator::fold(Operation *op, ArrayRef<KnownElement> operands) {
  SmallVector<Attribute> constants;
  for (auto [operand, value] : llvm::zip(operands, op->getOperands()))
    constants.push_back(constantAs(operand, value.getType()));
  if (llvm::is_contained(constants, Attribute()))
    return combineSizes(op, operands);
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(constants, results)) || results.size() != 1)
    return std::nullopt;
  auto folded = dyn_cast<Attribute>(results[0]);
  if (!folded) {
    // One of its operands.
    auto same = llvm::find(op->getOperands(), cast<Value>(results[0]));
    if (same == op->getOperands().end())
      return std::nullopt;
    folded = constants[same - op->getOperands().begin()];
  }
  auto typed = dyn_cast<TypedAttr>(folded);
  return typed ? Known(KnownElement{typed, {}}) : std::nullopt;
}

std::optional<bool> Evaluator::areEqual(Expr a, Expr b) {
  std::optional<bool> truth = equal(sizes, a, b);
  if (truth || !assumesEqual)
    return truth;
  assumed.push_back({a, b});
  return true;
}

/// The truth of a comparison of whole numbers, where it is the same for all
/// sizes.
std::optional<bool> Evaluator::compareSizes(arith::CmpIPredicate predicate,
                                            Expr a, Expr b) {
  Sizes &z = sizes;
  auto negated = [](std::optional<bool> t) -> std::optional<bool> {
    return t ? std::optional<bool>(!*t) : std::nullopt;
  };
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return areEqual(a, b);
  case arith::CmpIPredicate::ne:
    return negated(areEqual(a, b));
  case arith::CmpIPredicate::slt:
    return less(z, a, b);
  case arith::CmpIPredicate::sge:
    return negated(less(z, a, b));
  case arith::CmpIPredicate::sgt:
    return less(z, b, a);
  case arith::CmpIPredicate::sle:
    return negated(less(z, b, a));
  default:
    return std::nullopt;
  }
}

/// The predicate on whole numbers; NaN is none.
static std::optional<arith::CmpIPredicate>
wholePredicate(arith::CmpFPredicate predicate) {
  using Float = arith::CmpFPredicate;
  using Integer = arith::CmpIPredicate;
  switch (predicate) {
  case Float::OEQ:
  case Float::UEQ:
    return Integer::eq;
  case Float::ONE:
  case Float::UNE:
    return Integer::ne;
  case Float::OLT:
  case Float::ULT:
    return Integer::slt;
  case Float::OLE:
  case Float::ULE:
    return Integer::sle;
  case Float::OGT:
  case Float::UGT:
    return Integer::sgt;
  case Float::OGE:
  case Float::UGE:
    return Integer::sge;
  default:
    return std::nullopt;
  }
}

/// A comparison of sizes as floats. No size reaches a number beyond 32 bits
/// where it becomes one of 32 bits: so what guards the conversion of a float to
/// an integer is known.
Known Evaluator::compareFloats(arith::CmpFOp op,
                               ArrayRef<KnownElement> operands) {
  auto predicate = wholePredicate(op.getPredicate());
  if (!predicate)
    return std::nullopt;
  Expr v[2];
  for (unsigned i : {0, 1}) {
    v[i] = graph::sizeOf(sizes, operands[i]);
    auto constant = dyn_cast_or_null<FloatAttr>(operands[i].constant);
    if (!constant || constant.getValue().isNaN())
      continue;
    double number = constant.getValueAsDouble();
    if (std::abs(number) < 0x1p31)
      continue;
    v[i] = sizes.constant(number < 0 ? -1 : 1);
    v[1 - i] = sizes.constant(0);
    break;
  }
  if (!v[0] || !v[1])
    return std::nullopt;
  auto truth = compareSizes(*predicate, v[0], v[1]);
  return truth
             ? Known(KnownElement{BoolAttr::get(op->getContext(), *truth), {}})
             : std::nullopt;
}

/// What an op of arith or math computes of whole numbers.
static Known arithmeticOf(Sizes &z, Operation *op, ArrayRef<Expr> v) {
  auto size = [](Expr e) { return Known(KnownElement{{}, e}); };
  auto isNatural = [&](Expr e, int64_t least) {
    auto low = lowerBound(z, e);
    return low && *low >= least;
  };
  return llvm::TypeSwitch<Operation *, Known>(op)
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp,
            arith::SIToFPOp, arith::FPToSIOp, arith::ExtFOp, arith::TruncFOp,
            math::FloorOp, math::CeilOp, math::RoundEvenOp, math::TruncOp>(
          [&](auto) { return size(v[0]); })
      .Case<arith::AddIOp, arith::AddFOp>(
          [&](auto) { return size(z.add(v[0], v[1])); })
      .Case<arith::SubIOp, arith::SubFOp>(
          [&](auto) { return size(z.sub(v[0], v[1])); })
      .Case<arith::MulIOp, arith::MulFOp>(
          [&](auto) { return size(z.mul(v[0], v[1])); })
      .Case<arith::MinSIOp, arith::MinimumFOp>(
          [&](auto) { return size(z.min(v[0], v[1])); })
      .Case<arith::MaxSIOp, arith::MaximumFOp>(
          [&](auto) { return size(z.max(v[0], v[1])); })
      .Case<arith::FloorDivSIOp>([&](auto) -> Known {
        if (!isNatural(v[1], 1))
          return std::nullopt;
        return size(z.floorDiv(v[0], v[1]));
      })
      .Case<arith::DivSIOp>([&](auto) -> Known {
        if (!isNatural(v[0], 0) || !isNatural(v[1], 1))
          return std::nullopt;
        return size(z.floorDiv(v[0], v[1]));
      })
      .Case<arith::RemSIOp>([&](auto) -> Known {
        if (!isNatural(v[0], 0) || !isNatural(v[1], 1))
          return std::nullopt;
        return size(z.mod(v[0], v[1]));
      })
      .Default([](Operation *) { return Known(); });
}

/// Quotients of sizes as floats, and products of those.
static Known quotientOf(Sizes &z, Operation *op,
                        ArrayRef<KnownElement> operands) {
  if (!isa<arith::DivFOp, arith::MulFOp, arith::ExtFOp, arith::TruncFOp>(op))
    return std::nullopt;
  SmallVector<std::pair<Expr, Expr>> v;
  for (const KnownElement &operand : operands) {
    auto ratio = ratioOf(z, operand);
    if (!ratio)
      return std::nullopt;
    v.push_back(*ratio);
  }
  if (isa<arith::DivFOp>(op))
    std::swap(v[1].first, v[1].second);
  if (v.size() == 2)
    v[0] = {z.mul(v[0].first, v[1].first), z.mul(v[0].second, v[1].second)};
  return KnownElement{{}, v[0].first, v[0].second};
}

/// Arithmetic on whole numbers that are not all constant. Numbers of fewer than
/// 32 bits may overflow; sizes in those are not followed.
Known Evaluator::combineSizes(Operation *op, ArrayRef<KnownElement> operands) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return compareFloats(compare, operands);
  Sizes &z = sizes;
  SmallVector<Expr> v;
  for (const KnownElement &operand : operands)
    v.push_back(graph::sizeOf(z, operand));
  const bool isQuotient =
      isa<arith::DivFOp>(op) || llvm::is_contained(v, Expr());
  if (isQuotient && isa<arith::CmpIOp>(op))
    return std::nullopt;
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    auto truth = compareSizes(compare.getPredicate(), v[0], v[1]);
    return truth ? Known(KnownElement{BoolAttr::get(op->getContext(), *truth),
                                      {}})
                 : std::nullopt;
  }
  Type type = op->getResult(0).getType();
  if (!type.isIndex() && type.getIntOrFloatBitWidth() < 32)
    return std::nullopt;
  // Numbers that are no sizes may overflow.
  Known result;
  const bool isSize = Polynomial::tries(z, [&] {
    result = isQuotient ? quotientOf(z, op, operands) : arithmeticOf(z, op, v);
  });
  return isSize ? result : std::nullopt;
}

} // namespace tilewright::graph
