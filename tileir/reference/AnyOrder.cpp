#include "tileir/reference/AnyOrder.h"

#include "tileir/reference/Interval.h"
#include <algorithm>
#include <cfloat>
#include <cmath>

namespace tilewright::reference {

//===--- Sums -------------------------------------------------------------===//

namespace {
/// The exact sum of doubles, as a double and what it lacks.
class ExactSum {
public:
  void add(double term) {
    const double next = total + term;
    const double second = next - total;
    const double lost = (total - (next - second)) + (term - second);
    total = next;
    rest += lost;
    lostSize = addUp(lostSize, std::fabs(lost));
    ++count;
  }
  double nearest() const { return total; }
  double down() const { return addDown(addDown(total, rest), -slack()); }
  double up() const { return addUp(addUp(total, rest), slack()); }

private:
  /// What adding up the rests may have lost.
  double slack() const {
    return lostSize == 0 ? 0 : multiplyUp(lostSize, count * 0x1p-52);
  }

  double total = 0, rest = 0, lostSize = 0, count = 0;
};

/// Terms of one sign, from the greatest on: the sums of the first ones, rounded
/// up.
class Greatest {
public:
  void add(double size) { sizes.push_back(size); }
  void sort() { std::sort(sizes.begin(), sizes.end(), std::greater<>()); }
  double next() {
    if (used < sizes.size())
      sum = addUp(sum, sizes[used++]);
    return sum;
  }

private:
  std::vector<double> sizes;
  size_t used = 0;
  double sum = 0;
};
} // namespace

/// The power of two of which all numbers of the type in a set are multiples.
static double powerOfTwoIn(const Permitted &term, const FloatFormat &format) {
  if (term.least == term.greatest)
    return powerOfTwoIn(term.least);
  const double nearest =
      std::min(std::fabs(term.least), std::fabs(term.greatest));
  const bool hasZero = term.least <= 0 && term.greatest >= 0;
  return hasZero ? format.leastUnit() : format.unitOf(nearest);
}

namespace {
/// The finite terms of a sum.
struct SumParts {
  ExactSum low, high;
  Greatest positive, negative;
  double size = 0;
  /// Of which all terms are multiples.
  double power = kInfinity;
  int64_t count = 0;
  bool arePoints = true;

  void add(const Permitted &term, const FloatFormat &format, bool isOfType) {
    low.add(term.least);
    high.add(term.greatest);
    positive.add(std::max(term.greatest, 0.0));
    negative.add(std::max(-term.least, 0.0));
    size = addUp(size, absolute(term).greatest);
    const bool isPoint = term.least == term.greatest;
    power =
        std::min(power, isPoint || isOfType ? powerOfTwoIn(term, format) : 0);
    arePoints &= isPoint;
    ++count;
  }
};

/// What the additions but the last one may lose, and the greatest magnitudes of
/// partial sums above and below 0.
struct SumLoss {
  double loss = 0, mostPositive = 0, mostNegative = 0;
};
} // namespace

static SumLoss lossOf(SumParts &parts, const FloatFormat &format) {
  const double unit = std::ldexp(1.0, -format.precision);
  const double before =
      multiplyUp(multiplyUp(double(parts.count), unit), parts.size);
  const double exactBelow = std::ldexp(parts.power, format.precision);
  parts.positive.sort();
  parts.negative.sort();
  SumLoss result;
  for (int64_t k = 1; k <= parts.count; ++k) {
    result.mostPositive = parts.positive.next();
    result.mostNegative = parts.negative.next();
    const double largest = std::max(result.mostPositive, result.mostNegative);
    // One term is no addition; all terms are the last one.
    if (k > 1 && k < parts.count && largest > exactBelow)
      result.loss =
          addUp(result.loss, format.unitOf(addUp(largest, before)) / 2);
  }
  result.mostPositive = addUp(result.mostPositive, before);
  result.mostNegative = addUp(result.mostNegative, before);
  return result;
}

namespace {
/// Which infinities a sum may have, and must have.
struct Infinities {
  bool above = false, below = false, mustBeAbove = false, mustBeBelow = false;

  void add(const Permitted &term) {
    above |= term.greatest == kInfinity;
    below |= term.least == -kInfinity;
    mustBeAbove |= term.least == kInfinity;
    mustBeBelow |= term.greatest == -kInfinity;
  }
  /// A set of finite sums with them.
  Permitted widen(Permitted set, const FloatFormat &format) const {
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
};
} // namespace

Permitted AnyOrder::sum() const {
  const FloatFormat &format = rules.getFormat();
  const double limit = rules.roundsFreely() ? DBL_MAX : format.largest;
  SumParts parts;
  Infinities infinities;
  bool mayBeNaN = false;
  for (const auto &[term, isOfType] : terms) {
    if (term.isAny)
      return Permitted::any();
    if (!term.hasNumbers())
      return Permitted::nan();
    mayBeNaN |= term.mayBeNaN;
    infinities.add(term);
    // Adding 0 changes nothing.
    if (term.least != 0 || term.greatest != 0)
      parts.add({std::clamp(term.least, -limit, limit),
                 std::clamp(term.greatest, -limit, limit), false, false},
                format, isOfType);
  }
  const SumLoss loss = lossOf(parts, format);
  Permitted set = Permitted::numbers(addDown(parts.low.down(), -loss.loss),
                                     addUp(parts.high.up(), loss.loss));
  // Two numbers have one sum, and the host rounds it as f64 does.
  if (parts.count <= 2 && parts.arePoints && !rules.roundsFreely())
    set = Permitted::value(parts.low.nearest());
  set = rules.round(set);
  set.mayBeNaN |= mayBeNaN;
  // With two terms or fewer the rounding above knows.
  if (parts.count > 2) {
    infinities.above |= loss.mostPositive >= format.overflow();
    infinities.below |= loss.mostNegative >= format.overflow();
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

namespace {
/// The factors of a product.
struct ProductParts {
  Permitted exact = Permitted::value(1);
  /// The products of all magnitudes above 1, and of all below.
  double large = 1, small = 1;
  int64_t count = 0, oddBits = 0;
  bool hasZero = false, arePoints = true;

  void add(const Permitted &term) {
    const Permitted size = absolute(term);
    exact = exactProduct(exact, term);
    large = multiplyUp(large, std::max(size.greatest, 1.0));
    if (size.least > 0)
      small = multiplyDown(small, std::min(size.least, 1.0));
    hasZero |= size.least == 0;
    arePoints &= term.least == term.greatest && !term.mayBeNaN;
    oddBits += arePoints ? oddBitsOf(term.least) : 0;
    ++count;
  }
};
} // namespace

Permitted AnyOrder::product() const {
  const FloatFormat &format = rules.getFormat();
  ProductParts parts;
  for (const auto &[term, isOfType] : terms) {
    if (term.isAny)
      return Permitted::any();
    if (!term.hasNumbers())
      return Permitted::nan();
    if (term.least != 1 || term.greatest != 1 || term.mayBeNaN)
      parts.add(term);
  }
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

Permitted AnyOrder::result() const {
  return kind == Kind::sum ? sum() : product();
}

} // namespace tilewright::reference
