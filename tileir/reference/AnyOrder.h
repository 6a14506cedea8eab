// What a sum or a product of floats may be if its order is not specified.
#pragma once

#include "tileir/reference/Interval.h"
#include "tileir/reference/SetRules.h"
#include <vector>

namespace tilewright::reference {

/// Terms that are combined in any order and association, each step rounded to
/// the type of the accumulator.
///
/// A sum. Of n terms that are not 0, the n - 1 additions are the inner nodes of
/// a tree. The j-th smallest of its subtrees has at most j + 1 leaves, so the
/// exact value of its root is at most B(j + 1) in magnitude, where B(k) is the
/// sum of the k greatest positive terms or of the k greatest negative ones.
/// Each addition loses at most half a unit in the last place of its result, and
/// nothing if all terms are multiples of some q and the result is below
/// 2^precision * q: then its exact result is a number of the type. The last
/// addition rounds the sum of what is left. That a partial sum deviates from
/// the exact one by what was lost before is allowed for by the bound
/// (n - 1) * u * sum |x| of Jeannerod and Rump ("Improved error bounds for
/// inner products in floating-point arithmetic", 2013).
///
/// A product likewise, with relative errors. It is exact if the significands of
/// all terms together have no more bits than the type, and no partial product
/// is too large or too small.
class AnyOrder {
public:
  enum class Kind { sum, product };

  AnyOrder(Kind kind, const SetRules &rules) : kind(kind), rules(rules) {}

  const SetRules &getRules() const { return rules; }
  /// `isOfType` is false if the set has numbers that the type may not have.
  void add(const Permitted &term, bool isOfType = true);
  /// The sets of all terms so far, combined. If `isWide`, a sum in constant
  /// time: the set may be twice as wide, as B(k) is taken for B(n).
  Permitted result(bool isWide = false) const;

private:
  /// Which infinities a sum may have, and must have.
  struct Infinities {
    bool above = false, below = false, mustBeAbove = false, mustBeBelow = false;

    void add(const Permitted &term);
    /// A set of finite sums with them.
    Permitted widen(Permitted set, const FloatFormat &format) const;
  };
  /// The terms of a sum that are not 0, as finite numbers.
  struct SumParts {
    ExactSum low, high;
    /// By term, how far above and below 0 it may be.
    std::vector<double> positive, negative;
    /// Their sums, and that of magnitudes.
    double mostPositive = 0, mostNegative = 0, size = 0;
    /// Of which all terms are multiples.
    double power = kInfinity;
    bool arePoints = true;
    Infinities infinities;

    void add(const Permitted &term, const FloatFormat &format, bool isOfType);
  };
  /// The factors of a product.
  struct ProductParts {
    Permitted exact = Permitted::value(1);
    /// The products of all magnitudes above 1, and of all below.
    double large = 1, small = 1;
    int64_t count = 0, oddBits = 0;
    bool hasZero = false, arePoints = true;

    void add(const Permitted &term);
  };

  void addTerm(const Permitted &term, bool isOfType);
  double lossOf(const SumParts &parts, double before, bool isWide) const;
  Permitted sum(bool isWide) const;
  Permitted product() const;

  Kind kind;
  SetRules rules;
  bool isAny = false, isNaN = false, mayBeNaN = false;
  SumParts sumParts;
  ProductParts productParts;
};

} // namespace tilewright::reference
