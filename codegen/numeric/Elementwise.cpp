//===- Elementwise.cpp - Ops that work element by element -----------------===//
#include "codegen/numeric/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tileir/ir/FastMath.h"

using namespace mlir;
using llvm::APFloat;

namespace tilewright::numeric {

bool isElementwise(OperationName op) {
  StringRef name = op.getStringRef(), dialect = op.getDialectNamespace();
  if (dialect == "arith" || dialect == "math")
    return name != arith::ConstantOp::getOperationName();
  return name == tile::ConvertOp::getOperationName() ||
         name == tile::PhiloxOp::getOperationName();
}

bool isElementwise(Operation *op) { return isElementwise(op->getName()); }

static tile::Rounding roundingOf(std::optional<arith::RoundingMode> mode) {
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

/// The operand that has the shape of the results.
static Value shapeOf(ValueRange operands) {
  auto vector = llvm::find_if(operands, [](Value operand) {
    return isa<VectorType>(operand.getType());
  });
  return vector == operands.end() ? operands.front() : *vector;
}

static bool allowsApproximation(Operation *op) {
  return arith::bitEnumContainsAll(tile::fastMathFlagsOf(op),
                                   arith::FastMathFlags::afn);
}

//===--- The op itself ----------------------------------------------------===//

/// The op on `operands`; results of narrow floats become f32 if `widens`.
SmallVector<Value> Elementwise::clone(Operation *op, ValueRange operands,
                                      bool widens) {
  OperationState state(loc, op->getName());
  state.addOperands(operands);
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Value shape = shapeOf(operands);
  for (Type type : op->getResultTypes()) {
    Type element = registerType(getElementTypeOrSelf(type));
    if (widens && isNarrowFloat(getElementTypeOrSelf(type)))
      element = b.getF32Type();
    state.addTypes(typeLike(shape, element));
  }
  Operation *made = b.create(state);
  // LLVM would take a written rounding for one that may change at run time.
  if (auto truncation = dyn_cast<arith::TruncFOp>(made))
    truncation.removeRoundingmodeAttr();
  // LLVM's approximations are others than those that docs/math.md bounds.
  if (allowsApproximation(made))
    tile::setFastMathFlags(made, tile::fastMathFlagsOf(made) &
                                     ~arith::FastMathFlags::afn);
  return SmallVector<Value>(made->getResults());
}

//===--- Composed ops -----------------------------------------------------===//

static Value constantLike(OpBuilder &b, Location loc, Value value,
                          TypedAttr scalar) {
  Attribute attr = scalar;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    attr = DenseElementsAttr::get(vector.clone(scalar.getType()), attr);
  return arith::ConstantOp::create(b, loc, cast<TypedAttr>(attr));
}

/// Of what kind a float is, by its magnitude, which `x` has in 32 or 64 bits.
Value Elementwise::emitKindTest(Operation *op, Value x) {
  auto type = cast<FloatType>(getElementTypeOrSelf(x.getType()));
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  APFloat leastNormal = APFloat::getSmallestNormalized(
      cast<FloatType>(getElementTypeOrSelf(op->getOperand(0).getType()))
          .getFloatSemantics());
  bool isLossy = false;
  leastNormal.convert(semantics, APFloat::rmNearestTiesToEven, &isLossy);
  Value magnitude = math::AbsFOp::create(b, loc, x);
  auto compare = [&](arith::CmpFPredicate how, const APFloat &with) -> Value {
    return arith::CmpFOp::create(
        b, loc, how, magnitude,
        constantLike(b, loc, x, b.getFloatAttr(type, with)));
  };
  APFloat infinity = APFloat::getInf(semantics);
  if (isa<math::IsInfOp>(op))
    return compare(arith::CmpFPredicate::OEQ, infinity);
  if (isa<math::IsFiniteOp>(op))
    return compare(arith::CmpFPredicate::OLT, infinity);
  if (isa<math::IsNaNOp>(op))
    return compare(arith::CmpFPredicate::UNO, infinity);
  return arith::AndIOp::create(b, loc,
                               compare(arith::CmpFPredicate::OLT, infinity),
                               compare(arith::CmpFPredicate::OGE, leastNormal));
}

Value Elementwise::emitComposed(Operation *op, ValueRange operands) {
  if (isa<math::IsInfOp, math::IsFiniteOp, math::IsNaNOp, math::IsNormalOp>(op))
    return emitKindTest(op, operands[0]);
  if (isa<math::ClampFOp>(op))
    return arith::MinimumFOp::create(
        b, loc,
        arith::MaximumFOp::create(b, loc, operands[0], operands[1]).getResult(),
        operands[2]);
  if (isa<arith::RemFOp>(op))
    return emitRemainder(operands[0], operands[1]);
  return {};
}

Value Elementwise::emitApproximate(Operation *op, ValueRange operands) {
  return hardware.approximations && allowsApproximation(op)
             ? hardware.approximations->emit(b, loc, op, operands)
             : Value();
}

/// On the bits: a conversion may lose the sign of a NaN. Of floats of 16 bits
/// and fewer that have a sign.
Value Elementwise::emitCopySign(Type element, ValueRange operands) {
  unsigned width = element.getIntOrFloatBitWidth();
  Type type = operands[0].getType();
  Type stored = typeLike(
      operands[0],
      b.getIntegerType(getElementTypeOrSelf(type).getIntOrFloatBitWidth()));
  auto asBits = [&](Value x) -> Value {
    return type == stored ? x : arith::BitcastOp::create(b, loc, stored, x);
  };
  Value magnitude = asBits(operands[0]), sign = asBits(operands[1]);
  auto mask = [&](uint64_t bits) {
    auto element = cast<IntegerType>(getElementTypeOrSelf(stored));
    return constantLike(
        b, loc, magnitude,
        b.getIntegerAttr(element, APInt(element.getWidth(), bits)));
  };
  uint64_t signBit = uint64_t(1) << (width - 1);
  magnitude = arith::AndIOp::create(b, loc, magnitude, mask(signBit - 1));
  sign = arith::AndIOp::create(b, loc, sign, mask(signBit));
  Value result = arith::OrIOp::create(b, loc, magnitude, sign);
  return type == stored ? result
                        : arith::BitcastOp::create(b, loc, type, result);
}

//===--- Floats of 16 bits and fewer --------------------------------------===//

Value Elementwise::emitBitcast(Operation *op, Value operand) {
  Type type = typeLike(
      operand, registerType(getElementTypeOrSelf(op->getResult(0).getType())));
  if (operand.getType() == type)
    return operand;
  unsigned from =
      getElementTypeOrSelf(operand.getType()).getIntOrFloatBitWidth();
  unsigned to = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (from == to)
    return arith::BitcastOp::create(b, loc, type, operand);
  if (from < to)
    return arith::ExtUIOp::create(b, loc, type, operand);
  return arith::TruncIOp::create(b, loc, type, operand);
}

/// Conversions of arith from or to floats; null for other ops.
Value Elementwise::emitCast(Operation *op, Value operand) {
  auto to = dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    Rounding rounding;
    if (auto truncation = dyn_cast<arith::TruncFOp>(op))
      rounding.mode = roundingOf(truncation.getRoundingmode());
    Type from = getElementTypeOrSelf(op->getOperand(0));
    if (isSmallFloat(from))
      operand = bits.decode(operand, cast<FloatType>(from));
    return bits.round(operand, to, rounding);
  }
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return bits.fromInteger(operand, isa<arith::UIToFPOp>(op), to);
  return {};
}

/// arith.scaling_extf multiplies in the result's type, scaling_truncf divides
/// in the operand's. A scale is made a power of two first, then a number of
/// that type.
Value Elementwise::emitScaling(Operation *op, ValueRange operands) {
  auto typeOf = [](Value value) {
    return cast<FloatType>(getElementTypeOrSelf(value));
  };
  bool extends = isa<arith::ScalingExtFOp>(op);
  FloatType from = typeOf(op->getOperand(0)), to = typeOf(op->getResult(0));
  FloatType in = extends ? to : from;
  FloatType wide = in.isF64() ? in : FloatType(b.getF32Type());
  auto powers = Float8E8M0FNUType::get(b.getContext());
  // Neither format contains the other: powers of two, and other numbers.
  auto inType = [&](Value x) {
    return bits.toFloat(bits.round(x, in), in, wide);
  };
  Value x = bits.toFloat(operands[0], from, wide);
  if (from == powers || in == powers)
    x = inType(x);
  Value scale = operands[1];
  FloatType scaleType = typeOf(op->getOperand(1));
  if (isSmallFloat(scaleType) && scaleType != powers)
    scale = bits.decode(scale, scaleType);
  if (scaleType != powers)
    scale = bits.round(scale, powers);
  scale = inType(bits.decode(scale, powers));
  Value result = extends ? arith::MulFOp::create(b, loc, x, scale).getResult()
                         : arith::DivFOp::create(b, loc, x, scale).getResult();
  result = bits.round(result, in);
  if (extends)
    return result;
  auto truncation = cast<arith::ScalingTruncFOp>(op);
  return bits.round(bits.toFloat(result, in, wide), to,
                    {roundingOf(truncation.getRoundingmode())});
}

/// Ops that hardware for 16-bit floats has, rounding once.
static bool isNative(Operation *op) {
  auto has16 = [](Type type) {
    return !isSmallFloat(getElementTypeOrSelf(type));
  };
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp,
             arith::CmpFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, math::AbsFOp, math::FmaOp>(
             op) &&
         llvm::all_of(op->getOperandTypes(), has16);
}

/// In f32, then rounded. With its 24 bits a second rounding of sums, products,
/// quotients and roots is harmless (Figueroa, "When is double rounding
/// innocuous?", 1995).
SmallVector<Value> Elementwise::emitNarrowFloat(Operation *op,
                                                ValueRange operands) {
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  if (isa<arith::BitcastOp>(op))
    return {emitBitcast(op, operands[0])};
  if (isa<arith::SelectOp>(op) || (hardware.halves && isNative(op)))
    return clone(op, operands);
  if (Value value = emitCast(op, operands[0]))
    return {value};
  if (isa<math::CopySignOp>(op) && !isa<Float8E8M0FNUType>(from))
    return {emitCopySign(from, operands)};
  if (isa<math::FmaOp>(op)) {
    Values wide;
    for (Value operand : operands)
      wide.push_back(bits.toFloat(operand, from, b.getF64Type()));
    return {bits.round(bits.multiplyAdd(wide[0], wide[1], wide[2]),
                       cast<FloatType>(from))};
  }
  Values decoded;
  for (auto [operand, original] : llvm::zip(operands, op->getOperands())) {
    Type element = getElementTypeOrSelf(original.getType());
    decoded.push_back(isNarrowFloat(element)
                          ? bits.toFloat(operand, element, b.getF32Type())
                          : operand);
  }
  Values results;
  if (Value value = emitComposed(op, decoded))
    results = {value};
  else if (Value approximate = emitApproximate(op, decoded))
    results = {approximate};
  else
    results = clone(op, decoded, /*widens=*/true);
  for (auto [value, original] : llvm::zip(results, op->getResults()))
    if (Type to = getElementTypeOrSelf(original.getType()); isNarrowFloat(to))
      value = bits.round(value, cast<FloatType>(to));
  return results;
}

//===--- All ops ----------------------------------------------------------===//

SmallVector<Value> Elementwise::emit(Operation *op, ValueRange operands) {
  if (auto convert = dyn_cast<tile::ConvertOp>(op))
    return {emitConvert(convert, operands)};
  if (isa<tile::PhiloxOp>(op))
    return emitPhilox(operands);
  if (isa<arith::ScalingExtFOp, arith::ScalingTruncFOp>(op))
    return {emitScaling(op, operands)};
  auto isNarrow = [](Type type) {
    return isNarrowFloat(getElementTypeOrSelf(type));
  };
  if (llvm::any_of(op->getOperandTypes(), isNarrow) ||
      llvm::any_of(op->getResultTypes(), isNarrow))
    return emitNarrowFloat(op, operands);
  // Instructions know no other rounding.
  if (auto truncation = dyn_cast<arith::TruncFOp>(op);
      truncation &&
      roundingOf(truncation.getRoundingmode()) != tile::Rounding::nearest_even)
    return {emitCast(op, operands[0])};
  if (isIntegerDivision(op))
    return {emitDivision(op, operands[0], operands[1])};
  if (Value value = emitComposed(op, operands))
    return {value};
  if (Value value = emitApproximate(op, operands))
    return {value};
  return clone(op, operands);
}

} // namespace tilewright::numeric
