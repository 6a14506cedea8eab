#include "tileir/reference/AnyOrder.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace tilewright::reference {

//===--- Sums -------------------------------------------------------------===//

/// The power of two of which all numbers of the type in a set are multiples.
static double powerOfTwoIn(const Permitted &term, const FloatFormat &format) {
  if (term.least == term.greatest)
    return powerOfTwoIn(term.least);
  const double nearest =
      std::min(std::fabs(term.least), std::fabs(term.greatest));
  const bool hasZero = term.least <= 0 && term.greatest >= 0;
  return hasZero ? format.leastUnit() : format.unitOf(nearest);
}

void AnyOrder::Infinities::add(const Permitted &term) {
  above |= term.greatest == kInfinity;
  below |= term.least == -kInfinity;
  mustBeAbove |= term.least == kInfinity;
  mustBeBelow |= term.greatest == -kInfinity;
}

Permitted AnyOrder::Infinities::widen(Permitted set,
                                      const FloatFormat &format) const {
  if (mustBeAbove && mustBeBelow)
    return Permitted::nan();
  if ((above || below) && !format.hasInfinity)
    return Permitted::any();
  set.mayBeNaN |= above && below;
  if (above)
    set.greatest = kInfinity;
  if (below)
    set.least = -kInfinity;
  // One that must be there stays, or is NaN with the other one.
  if (mustBeAbove)
    set.least = set.greatest = kInfinity;
  if (mustBeBelow)
    set.least = set.greatest = -kInfinity;
  return set;
}

void AnyOrder::SumParts::add(const Permitted &term, const FloatFormat &format,
                             bool isOfType) {
  low.add(term.least);
  high.add(term.greatest);
  positive.push_back(std::max(term.greatest, 0.0));
  negative.push_back(std::max(-term.least, 0.0));
  mostPositive = addUp(mostPositive, positive.back());
  mostNegative = addUp(mostNegative, negative.back());
  size = addUp(size, absolute(term).greatest);
  const bool isPoint = term.least == term.greatest;
  power = std::min(power, isPoint || isOfType ? powerOfTwoIn(term, format) : 0);
  arePoints &= isPoint;
}

void AnyOrder::addTerm(const Permitted &term, bool isOfType) {
  const FloatFormat &format = rules.getFormat();
  const double limit = rules.roundsFreely() ? DBL_MAX : format.largest;
  sumParts.infinities.add(term);
  // Adding 0 changes nothing.
  if (term.least != 0 || term.greatest != 0)
    sumParts.add({std::clamp(term.least, -limit, limit),
                  std::clamp(term.greatest, -limit, limit), false, false},
                 format, isOfType);
}

/// What the additions but the last one may lose. `before` is what a partial sum
/// may have lost before.
double AnyOrder::lossOf(const SumParts &parts, double before,
                        bool isWide) const {
  const FloatFormat &format = rules.getFormat();
  const double exactBelow = std::ldexp(parts.power, format.precision);
  const auto count = double(parts.positive.size());
  if (std::max(parts.mostPositive, parts.mostNegative) <= exactBelow)
    return 0;
  auto lossBelow = [&](double largest) {
    return format.unitOf(addUp(largest, before)) / 2;
  };
  if (isWide)
    return multiplyUp(
        std::max(count - 2, 0.0),
        lossBelow(std::max(parts.mostPositive, parts.mostNegative)));
  std::vector<double> positive = parts.positive, negative = parts.negative;
  std::sort(positive.begin(), positive.end(), std::greater<>());
  std::sort(negative.begin(), negative.end(), std::greater<>());
  double loss = 0, above = 0, below = 0;
  // One term is no addition; all terms are the last one.
  for (size_t k = 0; k + 1 < positive.size(); ++k) {
    above = addUp(above, positive[k]);
    below = addUp(below, negative[k]);
    const double largest = std::max(above, below);
    if (k > 0 && largest > exactBelow)
      loss = addUp(loss, lossBelow(largest));
  }
  return loss;
}

Permitted AnyOrder::sum(bool isWide) const {
  const FloatFormat &format = rules.getFormat();
  const SumParts &parts = sumParts;
  const auto count = double(parts.positive.size());
  const double before =
      multiplyUp(count * std::ldexp(1.0, -format.precision), parts.size);
  const double loss = lossOf(parts, before, isWide);
  Permitted set = Permitted::numbers(addDown(parts.low.down(), -loss),
                                     addUp(parts.high.up(), loss));
  // Two numbers have one sum, and the host rounds it as f64 does.
  if (count <= 2 && parts.arePoints && !rules.roundsFreely())
    set = Permitted::value(parts.low.nearest());
  set = rules.round(set);
  Infinities infinities = parts.infinities;
  // With two terms or fewer the rounding above knows.
  if (count > 2) {
    infinities.above |= addUp(parts.mostPositive, before) >= format.overflow();
    infinities.below |= addUp(parts.mostNegative, before) >= format.overflow();
  }
  return infinities.widen(set, format);
}

//===--- Products ---------------------------------------------------------===//

/// Bits of the odd number that times a power of two is this number; 0 for 1.
static int oddBitsOf(double number) {
  if (number == 0 || std::isinf(number))
    return 0;
  const int bits = std::ilogb(number) - std::ilogb(powerOfTwoIn(number));
  return bits == 0 ? 0 : bits + 1;
}

void AnyOrder::ProductParts::add(const Permitted &term) {
  // Multiplying by 1 changes nothing.
  if (term.least == 1 && term.greatest == 1)
    return;
  const Permitted size = absolute(term);
  exact = exactProduct(exact, term);
  large = multiplyUp(large, std::max(size.greatest, 1.0));
  if (size.least > 0)
    small = multiplyDown(small, std::min(size.least, 1.0));
  hasZero |= size.least == 0;
  arePoints &= term.least == term.greatest;
  oddBits += arePoints ? oddBitsOf(term.least) : 0;
  ++count;
}

Permitted AnyOrder::product() const {
  const FloatFormat &format = rules.getFormat();
  const ProductParts &parts = productParts;
  const bool isLarge = parts.large >= format.overflow();
  const bool isSmall = parts.small < std::ldexp(1.0, format.leastExponent);
  const bool isExact = parts.arePoints && parts.oddBits <= format.precision &&
                       !isLarge && !isSmall;
  if (parts.count <= 2 || isExact)
    return rules.round(parts.exact);
  if (isLarge && !format.hasInfinity)
    return Permitted::any();
  // Each product but the last one has a relative error of at most u, and below
  // the normal numbers one of half a unit, times what is multiplied later.
  const double u = std::ldexp(1.0, -format.precision);
  const auto count = double(parts.count);
  double loss = multiplyUp(absolute(parts.exact).greatest,
                           looselyUp(std::expm1(count * u * (1 + 2 * u))));
  if (isSmall)
    loss = addUp(loss, multiplyUp(multiplyUp(count, format.leastUnit()),
                                  multiplyUp(parts.large, 2)));
  Permitted set = parts.exact;
  set.least = addDown(set.least, -loss);
  set.greatest = addUp(set.greatest, loss);
  set = rules.round(set);
  if (!isLarge)
    return set;
  // A partial product may be infinite, and another one 0.
  set.mayBeNaN |= parts.hasZero || isSmall;
  if (parts.exact.greatest >= 0)
    set.greatest = kInfinity;
  if (parts.exact.least <= 0)
    set.least = -kInfinity;
  return set;
}

//===--- Terms ------------------------------------------------------------===//

void AnyOrder::add(const Permitted &term, bool isOfType) {
  isAny |= term.isAny;
  isNaN |= !term.hasNumbers();
  mayBeNaN |= term.mayBeNaN;
  if (isAny || isNaN)
    return;
  if (kind == Kind::sum)
    addTerm(term, isOfType && !rules.roundsFreely());
  else
    productParts.add(term);
}

Permitted AnyOrder::result(bool isWide) const {
  if (isAny)
    return Permitted::any();
  if (isNaN)
    return Permitted::nan();
  Permitted set = kind == Kind::sum ? sum(isWide) : product();
  set.mayBeNaN |= mayBeNaN;
  return set;
}

} // namespace tilewright::reference
