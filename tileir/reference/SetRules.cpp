#include "tileir/reference/SetRules.h"

#include "tileir/reference/Interval.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using llvm::APFloat;

namespace tilewright::reference {

//===--- FloatFormat ------------------------------------------------------===//

FloatFormat::FloatFormat(FloatType type)
    : semantics(&type.getFloatSemantics()),
      precision(int(APFloat::semanticsPrecision(*semantics))),
      leastExponent(APFloat::semanticsMinExponent(*semantics)),
      largest(asDouble(APFloat::getLargest(*semantics))),
      hasInfinity(APFloat::semanticsHasInf(*semantics)),
      hasNaN(APFloat::semanticsHasNaN(*semantics)) {}

double FloatFormat::unitOf(double x) const {
  if (std::isinf(x))
    return 0;
  const int exponent = x == 0 ? leastExponent : std::ilogb(x);
  return std::ldexp(1.0, std::max(exponent, leastExponent) - precision + 1);
}

double FloatFormat::leastUnit() const {
  return std::ldexp(1.0, leastExponent - precision + 1);
}

double FloatFormat::overflow() const {
  return addDown(largest, unitOf(largest) / 2);
}

double FloatFormat::rounded(double x, const RoundingRule &rule) const {
  return asDouble(roundFloat(APFloat(x), *semantics, rule));
}

//===--- Rounding ---------------------------------------------------------===//

double SetRules::lossAt(double x, double units) const {
  if (std::isinf(x))
    return 0;
  return units * format.unitOf(x);
}

Permitted SetRules::round(const Permitted &exact, double units,
                          const RoundingRule &rule) const {
  if (exact.isAny || !exact.hasNumbers())
    return exact;
  double low = format.rounded(exact.least, rule);
  double high = format.rounded(exact.greatest, rule);
  Permitted result = exact;
  // A type without infinities has NaN behind its largest numbers, or none.
  result.mayBeNaN |= std::isnan(low) || std::isnan(high);
  if (std::isnan(low))
    low = format.largest;
  if (std::isnan(high))
    high = format.largest;
  if (!roundsFreely()) {
    result.least = low, result.greatest = std::max(low, high);
    return result;
  }
  // Rounding keeps what the type has; the error of a function is not one of
  // rounding.
  const bool isRounding =
      units <= 0.5 || rule.rounding != RoundingRule().rounding;
  const bool isExactLow = isRounding && low == exact.least;
  const bool isExactHigh = isRounding && high == exact.greatest;
  if (!isExactLow)
    result.least =
        std::min(low, addDown(exact.least, -lossAt(exact.least, units)));
  if (!isExactHigh)
    result.greatest =
        std::max(high, addUp(exact.greatest, lossAt(exact.greatest, units)));
  return result;
}

//===--- Exact operations -------------------------------------------------===//

Permitted negated(const Permitted &x) {
  return {-x.greatest, -x.least, x.mayBeNaN, x.isAny};
}

Permitted absolute(const Permitted &x) {
  if (x.isAny || !x.hasNumbers())
    return x;
  const double far = std::max(std::fabs(x.least), std::fabs(x.greatest));
  const bool hasZero = x.least <= 0 && x.greatest >= 0;
  const double near = std::min(std::fabs(x.least), std::fabs(x.greatest));
  return {hasZero ? 0 : near, far, x.mayBeNaN, false};
}

/// Of two sets of which one may be any, or have no number.
static std::optional<Permitted> withoutNumbers(const Permitted &a,
                                               const Permitted &b) {
  if (a.isAny || b.isAny)
    return Permitted::any();
  if (!a.hasNumbers() || !b.hasNumbers())
    return Permitted::nan();
  return std::nullopt;
}

Permitted maximum(const Permitted &a, const Permitted &b) {
  if (auto special = withoutNumbers(a, b))
    return *special;
  return {std::max(a.least, b.least), std::max(a.greatest, b.greatest),
          a.mayBeNaN || b.mayBeNaN, false};
}

Permitted minimum(const Permitted &a, const Permitted &b) {
  return negated(maximum(negated(a), negated(b)));
}

Permitted maxnum(const Permitted &a, const Permitted &b) {
  if (a.isAny || b.isAny)
    return Permitted::any();
  Permitted result = maximum(a, b);
  result.mayBeNaN = a.mayBeNaN && b.mayBeNaN;
  if (a.mayBeNaN)
    result = result.unite({b.least, b.greatest, false, false});
  if (b.mayBeNaN)
    result = result.unite({a.least, a.greatest, false, false});
  return result;
}

Permitted minnum(const Permitted &a, const Permitted &b) {
  return negated(maxnum(negated(a), negated(b)));
}

Permitted exactSum(const Permitted &a, const Permitted &b) {
  if (auto special = withoutNumbers(a, b))
    return *special;
  const bool cancels = (a.greatest == kInfinity && b.least == -kInfinity) ||
                       (a.least == -kInfinity && b.greatest == kInfinity);
  Permitted sum{addDown(a.least, b.least), addUp(a.greatest, b.greatest),
                a.mayBeNaN || b.mayBeNaN || cancels, false};
  return sum;
}

static bool hasZero(const Permitted &x) {
  return x.least <= 0 && x.greatest >= 0;
}
static bool hasInfinity(const Permitted &x) {
  return std::isinf(x.least) || std::isinf(x.greatest);
}

Permitted exactProduct(const Permitted &a, const Permitted &b) {
  if (auto special = withoutNumbers(a, b))
    return *special;
  const double lows[] = {
      multiplyDown(a.least, b.least), multiplyDown(a.least, b.greatest),
      multiplyDown(a.greatest, b.least), multiplyDown(a.greatest, b.greatest)};
  const double highs[] = {
      multiplyUp(a.least, b.least), multiplyUp(a.least, b.greatest),
      multiplyUp(a.greatest, b.least), multiplyUp(a.greatest, b.greatest)};
  const bool isInvalid =
      (hasZero(a) && hasInfinity(b)) || (hasZero(b) && hasInfinity(a));
  return {*std::min_element(lows, lows + 4),
          *std::max_element(highs, highs + 4),
          a.mayBeNaN || b.mayBeNaN || isInvalid, false};
}

//===--- Rounded operations -----------------------------------------------===//

Permitted SetRules::add(const Permitted &a, const Permitted &b) const {
  return round(exactSum(a, b));
}

Permitted SetRules::subtract(const Permitted &a, const Permitted &b) const {
  return round(exactSum(a, negated(b)));
}

Permitted SetRules::multiply(const Permitted &a, const Permitted &b) const {
  return round(exactProduct(a, b));
}

Permitted SetRules::multiplyAdd(const Permitted &a, const Permitted &b,
                                const Permitted &c) const {
  return round(exactSum(exactProduct(a, b), c));
}

Permitted SetRules::divide(const Permitted &a, const Permitted &b) const {
  if (auto special = withoutNumbers(a, b))
    return *special;
  const bool isInvalid =
      (hasZero(a) && hasZero(b)) || (hasInfinity(a) && hasInfinity(b));
  const bool mayBeNaN = a.mayBeNaN || b.mayBeNaN || isInvalid;
  // A zero may have any sign.
  if (hasZero(b))
    return {-kInfinity, kInfinity, mayBeNaN, false};
  const double lows[] = {
      divideDown(a.least, b.least), divideDown(a.least, b.greatest),
      divideDown(a.greatest, b.least), divideDown(a.greatest, b.greatest)};
  const double highs[] = {
      divideUp(a.least, b.least), divideUp(a.least, b.greatest),
      divideUp(a.greatest, b.least), divideUp(a.greatest, b.greatest)};
  return round({*std::min_element(lows, lows + 4),
                *std::max_element(highs, highs + 4), mayBeNaN, false});
}

} // namespace tilewright::reference
