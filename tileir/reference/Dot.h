// The contraction of two tiles, for the ops that are one.
#pragma once

#include "tileir/reference/SetRules.h"
#include "tileir/reference/TileValue.h"
#include <limits>

namespace tilewright::reference {

/// How a dot reads its operands; see tile.dot.
struct DotTraits {
  tile::DotPrecision precision = tile::DotPrecision::ieee;
  bool lhsUnsigned = false, rhsUnsigned = false;
  /// Of the run.
  FreedomOptions freedom = {};
};

/// `computed`, which is acc + sum of lhs[k] * rhs[k] of floats, with what else
/// is permitted.
Element openDot(llvm::ArrayRef<Element> lhs, llvm::ArrayRef<Element> rhs,
                const Element &acc, const Element &computed,
                tile::DotPrecision precision, const FreedomOptions &options);

/// A sum of products: the exact one, and the sum of magnitudes.
struct DotSum {
  Permitted exact = Permitted::value(0);
  double size = 0;
  /// Of which all terms are multiples.
  double power = std::numeric_limits<double>::infinity();

  void add(const Permitted &term, double magnitude);
};

/// What is permitted for an element of tile.scaled_dot, beginning with acc.
class OpenScaledDot {
public:
  OpenScaledDot(const Element &acc, const FreedomOptions &options);
  /// The next product, of a times its scale and b times its scale.
  void add(const Element &a, const Element &aScale, const Element &b,
           const Element &bScale);
  Element result(const Element &computed) const;

private:
  SetRules rules;
  DotSum sum;
  int64_t count = 0;
  bool areSingle;
};

/// result[.., m, n] = acc[.., m, n] + sum over k of
/// lhs[.., m, k] * rhs[.., k, n], poison where an element of the row, the
/// column or acc is.
TileValue dot(const TileValue &lhs, const TileValue &rhs, const TileValue &acc,
              const DotTraits &traits);

} // namespace tilewright::reference
