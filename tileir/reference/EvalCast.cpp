// Conversions between element types: arith's casts.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tileir/reference/ProgramInstance.h"
#include "tileir/reference/Rounding.h"

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

namespace tilewright::reference {

static EvalElement castInteger(APInt (*fn)(const APInt &, unsigned)) {
  return [fn](Operation *, ArrayRef<Element> x, Type type) {
    return Element::ofInteger(type, fn(x[0].integer(), widthOf(type)));
  };
}

/// Truncates; poison if an overflow flag's assumption is violated.
static FailureOr<Element> truncate(Operation *op, ArrayRef<Element> x,
                                   Type type) {
  const APInt &value = x[0].integer();
  APInt result = value.trunc(widthOf(type));
  auto flags = cast<arith::TruncIOp>(op).getOverflowFlags();
  bool nsw = bitEnumContainsAny(flags, arith::IntegerOverflowFlags::nsw);
  bool nuw = bitEnumContainsAny(flags, arith::IntegerOverflowFlags::nuw);
  if ((nsw && result.sext(value.getBitWidth()) != value) ||
      (nuw && result.zext(value.getBitWidth()) != value))
    return Element::poison(type, op);
  return Element::ofInteger(type, result);
}

tile::Rounding truncationOf(Operation *op) {
  std::optional<arith::RoundingMode> mode;
  if (auto truncate = dyn_cast<arith::TruncFOp>(op))
    mode = truncate.getRoundingmode();
  if (auto truncate = dyn_cast<arith::ScalingTruncFOp>(op))
    mode = truncate.getRoundingmode();
  switch (mode.value_or(arith::RoundingMode::to_nearest_even)) {
  case arith::RoundingMode::to_nearest_even:
    return tile::Rounding::nearest_even;
  case arith::RoundingMode::downward:
    return tile::Rounding::down;
  case arith::RoundingMode::upward:
    return tile::Rounding::up;
  case arith::RoundingMode::toward_zero:
    return tile::Rounding::toward_zero;
  case arith::RoundingMode::to_nearest_away:
    return tile::Rounding::nearest_away;
  }
  llvm_unreachable("all rounding modes are listed");
}

static Element castFloat(const APFloat &value, Type type,
                         const RoundingRule &rule = {}) {
  return Element::ofFloat(
      type, roundFloat(value, cast<FloatType>(type).getFloatSemantics(), rule));
}

static FailureOr<Element> castFloat(Operation *op, ArrayRef<Element> x,
                                    Type type) {
  return castFloat(x[0].real(), type, {truncationOf(op)});
}

/// A scale in `type`: it is a power of two first.
static Element castScale(const Element &scale, Type type) {
  return castFloat(roundFloat(scale.real(), APFloat::Float8E8M0FNU()), type);
}

/// The input and the scale in the result's type, multiplied there.
static FailureOr<Element> scalingExtend(Operation *, ArrayRef<Element> x,
                                        Type type) {
  Element input = castFloat(x[0].real(), type);
  return computeFloat(type, {input, castScale(x[1], type)},
                      [](ArrayRef<APFloat> n) { return n[0] * n[1]; });
}

/// The input divided by the scale in the input's type, then rounded.
static FailureOr<Element> scalingTruncate(Operation *op, ArrayRef<Element> x,
                                          Type type) {
  Type wide = x[0].getType();
  Element quotient =
      computeFloat(wide, {x[0], castScale(x[1], wide)},
                   [](ArrayRef<APFloat> n) { return n[0] / n[1]; });
  return castFloat(quotient.real(), type, {truncationOf(op)});
}

/// Truncates toward zero; poison if the number does not fit.
static EvalElement floatToInt(bool isUnsigned) {
  return [isUnsigned](Operation *op, ArrayRef<Element> x, Type type) {
    APSInt result(widthOf(type), isUnsigned);
    bool exact = false;
    auto status =
        x[0].real().convertToInteger(result, APFloat::rmTowardZero, &exact);
    if (status & APFloat::opInvalidOp)
      return Element::poison(type, op);
    return Element::ofInteger(type, result);
  };
}

static EvalElement intToFloat(bool isSigned) {
  return [isSigned](Operation *, ArrayRef<Element> x, Type type) {
    // Exact for integers of up to 64 bits, then rounded as any number is.
    APFloat value(APFloat::IEEEquad());
    value.convertFromAPInt(x[0].integer(), isSigned,
                           APFloat::rmNearestTiesToEven);
    return Element::ofFloat(
        type, roundFloat(value, cast<FloatType>(type).getFloatSemantics()));
  };
}

static FailureOr<Element> bitcast(Operation *, ArrayRef<Element> x, Type type) {
  return Element::fromBits(type, x[0].toBits());
}

void addCastOps(OpTable &table) {
  EvalElement signExtend = castInteger(
      [](const APInt &x, unsigned width) { return x.sextOrTrunc(width); });
  EvalElement zeroExtend = castInteger(
      [](const APInt &x, unsigned width) { return x.zextOrTrunc(width); });
  table.addElementwise<arith::ExtSIOp>(signExtend);
  table.addElementwise<arith::ExtUIOp>(zeroExtend);
  table.addElementwise<arith::TruncIOp>(EvalElement(truncate));
  table.addElementwise<arith::IndexCastOp>(signExtend);
  table.addElementwise<arith::IndexCastUIOp>(zeroExtend);
  EvalElement toFloat = [](Operation *op, ArrayRef<Element> x, Type type) {
    return castFloat(op, x, type);
  };
  table.addElementwise<arith::ExtFOp>(toFloat);
  table.addElementwise<arith::TruncFOp>(toFloat);
  table.addElementwise<arith::ScalingExtFOp>(EvalElement(scalingExtend));
  table.addElementwise<arith::ScalingTruncFOp>(EvalElement(scalingTruncate));
  table.addElementwise<arith::FPToSIOp>(floatToInt(/*isUnsigned=*/false));
  table.addElementwise<arith::FPToUIOp>(floatToInt(/*isUnsigned=*/true));
  table.addElementwise<arith::SIToFPOp>(intToFloat(/*isSigned=*/true));
  table.addElementwise<arith::UIToFPOp>(intToFloat(/*isSigned=*/false));
  table.addElementwise<arith::BitcastOp>(EvalElement(bitcast));
}

} // namespace tilewright::reference
