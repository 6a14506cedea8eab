#include "tileir/reference/Rounding.h"

#include <cmath>
#include <limits>

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

namespace tilewright::reference {

llvm::RoundingMode roundingMode(tile::Rounding rounding) {
  switch (rounding) {
  case tile::Rounding::nearest_even:
    return APFloat::rmNearestTiesToEven;
  case tile::Rounding::nearest_away:
    return APFloat::rmNearestTiesToAway;
  case tile::Rounding::down:
    return APFloat::rmTowardNegative;
  case tile::Rounding::up:
    return APFloat::rmTowardPositive;
  // Stochastic rounding begins with the neighbour toward zero.
  case tile::Rounding::toward_zero:
  case tile::Rounding::stochastic:
    return APFloat::rmTowardZero;
  }
  llvm_unreachable("all roundings are listed");
}

double asDouble(APFloat value) {
  // Some conversions in APFloat make an infinity of a NaN without payload.
  if (value.isNaN())
    return std::copysign(std::numeric_limits<double>::quiet_NaN(),
                         value.isNegative() ? -1 : 1);
  bool lost = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return value.convertToDouble();
}

/// As asDouble, but a number that is no double becomes the neighbour with an
/// odd last bit, so that it is on the same side of all numbers of 52 bits.
static double asOddDouble(APFloat value) {
  if (value.isNaN())
    return asDouble(value);
  bool lost = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmTowardZero, &lost);
  APInt bits = value.bitcastToAPInt();
  if (lost)
    bits.setBit(0);
  return APFloat(APFloat::IEEEdouble(), bits).convertToDouble();
}

/// A power of two for f8E8M0FNU, which has no sign, zero or infinity: zero
/// becomes the least power, a negative number and an overflow NaN.
static APFloat toPowerOfTwo(double x, const RoundingRule &rule) {
  const llvm::fltSemantics &semantics = APFloat::Float8E8M0FNU();
  auto power = [&](int exponent) {
    return APFloat(semantics, APInt(8, exponent + 127));
  };
  APFloat nan(semantics, APInt(8, 255));
  if (std::isnan(x) || x < 0)
    return nan;
  if (x < std::ldexp(1.0, -127))
    return power(-127);
  int exponent = std::isinf(x) ? 1024 : std::ilogb(x);
  // The distance of x from its power toward the next one, 0 to 1.
  double part = std::isinf(x) ? 0 : x / std::ldexp(1.0, exponent) - 1;
  switch (rule.rounding) {
  case tile::Rounding::nearest_even:
    exponent += part > 0.5 || (part == 0.5 && (exponent + 127) % 2 != 0);
    break;
  case tile::Rounding::nearest_away:
    exponent += part >= 0.5;
    break;
  case tile::Rounding::up:
    exponent += part > 0;
    break;
  case tile::Rounding::stochastic:
    exponent += part > 0 && part >= 1 - rule.random;
    break;
  case tile::Rounding::down:
  case tile::Rounding::toward_zero:
    break;
  }
  if (exponent > 127)
    return rule.saturate ? power(127) : nan;
  return power(exponent);
}

/// The neighbour of `lower` away from zero if the random number selects it.
static APFloat roundStochastic(const APFloat &exact, APFloat lower,
                               double random) {
  APFloat unit = lower;
  if (!lower.isLargest()) {
    unit.next(/*nextDown=*/lower.isNegative());
  } else {
    unit.next(/*nextDown=*/!lower.isNegative());
  }
  double step = std::abs(asDouble(unit) - asDouble(lower));
  double part = std::abs(asDouble(exact) - asDouble(lower)) / step;
  if (part == 0 || part < 1 - random) // 1 - random is exact
    return lower;
  if (!lower.isLargest())
    return unit;
  const llvm::fltSemantics &semantics = lower.getSemantics();
  if (APFloat::semanticsHasInf(semantics))
    return APFloat::getInf(semantics, lower.isNegative());
  if (APFloat::semanticsHasNaN(semantics))
    return APFloat::getNaN(semantics, lower.isNegative());
  return lower;
}

APFloat roundFloat(const APFloat &source, const llvm::fltSemantics &semantics,
                   const RoundingRule &rule) {
  if (&semantics == &APFloat::Float8E8M0FNU())
    return toPowerOfTwo(asOddDouble(source), rule);
  bool negative = source.isNegative();
  APFloat largest = APFloat::getLargest(semantics, negative);
  if (source.isNaN())
    return APFloat::semanticsHasNaN(semantics)
               ? APFloat::getNaN(semantics, negative)
               : APFloat::getLargest(semantics);
  if (source.isInfinity()) {
    if (rule.saturate || !APFloat::semanticsHasNaN(semantics))
      return largest;
    return APFloat::semanticsHasInf(semantics)
               ? APFloat::getInf(semantics, negative)
               : APFloat::getNaN(semantics, negative);
  }
  APFloat result = source;
  bool lost = false;
  result.convert(semantics, roundingMode(rule.rounding), &lost);
  if (rule.rounding == tile::Rounding::stochastic && result.isFinite())
    result = roundStochastic(source, result, rule.random);
  if (rule.saturate && !result.isFinite())
    return largest;
  return result;
}

Element computeFloat(Type type, ArrayRef<Element> operands,
                     llvm::function_ref<APFloat(ArrayRef<APFloat>)> compute) {
  SmallVector<APFloat> numbers;
  bool isSmall = widthOf(type) <= 8;
  for (const Element &operand : operands)
    numbers.push_back(isSmall ? APFloat(operand.toDouble()) : operand.real());
  APFloat result = compute(numbers);
  if (isSmall)
    result = roundFloat(result, cast<FloatType>(type).getFloatSemantics());
  return Element::ofFloat(type, result);
}

} // namespace tilewright::reference
