// Sizes as sums of products: the canonical form behind Sizes.
#ifndef TILEWRIGHT_GRAPH_ANALYSIS_POLYNOMIAL_H
#define TILEWRIGHT_GRAPH_ANALYSIS_POLYNOMIAL_H

#include "graph/analysis/Sizes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <vector>

namespace tilewright::graph {

/// A product of atoms (symbols and floor divisions), sorted.
using Monomial = std::vector<Expr>;

/// More factors first, the empty product last. Does not depend on addresses.
struct MonomialLess {
  bool operator()(const Monomial &a, const Monomial &b) const;
};

/// A sum of products with integer coefficients; the empty product comes last.
class Polynomial {
public:
  using Terms = std::map<Monomial, int64_t, MonomialLess>;

  explicit Polynomial(Sizes &sizes) : sizes(&sizes) {}
  Polynomial(Sizes &sizes, int64_t value) : sizes(&sizes) {
    addTerm({}, value);
  }
  Polynomial(Sizes &sizes, Expr e) : sizes(&sizes) { read(e); }

  Terms terms;

  void addTerm(const Monomial &m, int64_t coefficient);
  /// Adds `p` times `scale` times the atoms `m`.
  void addScaled(const Polynomial &p, int64_t scale, const Monomial &m = {});
  Polynomial times(const Polynomial &p) const;
  /// Substitutes `value` for an atom of its products.
  Polynomial replaced(Expr atom, const Polynomial &value) const;
  std::optional<int64_t> constant() const;
  /// Long division; the quotient if nothing remains.
  std::optional<Polynomial> exactDiv(const Polynomial &divisor) const;
  Polynomial floorDiv(const Polynomial &divisor) const;
  /// The greatest common divisor of the coefficients; 0 without terms.
  int64_t content() const;
  Expr expr() const;
  /// The product; an overflow is noted.
  int64_t multiply(int64_t a, int64_t b) const;
  /// Computes what is no size itself: its faults are not those of the sizes.
  /// False if there were some.
  static bool tries(Sizes &sizes, llvm::function_ref<void()> compute);

private:
  Sizes *sizes;
  void read(Expr e);
  Polynomial floorDivConstant(int64_t divisor) const;
};

} // namespace tilewright::graph

#endif // TILEWRIGHT_GRAPH_ANALYSIS_POLYNOMIAL_H
