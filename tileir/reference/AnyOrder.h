// What a sum or a product of floats may be if its order is not specified.
#pragma once

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
  void add(const Permitted &term, bool isOfType = true) {
    terms.push_back({term, isOfType && !rules.roundsFreely()});
  }
  /// The sets of all terms so far, combined.
  Permitted result() const;

private:
  Permitted sum() const;
  Permitted product() const;

  Kind kind;
  SetRules rules;
  struct Term {
    Permitted set;
    bool isOfType;
  };
  std::vector<Term> terms;
};

} // namespace tilewright::reference
