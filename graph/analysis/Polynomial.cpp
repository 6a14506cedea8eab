#include "graph/analysis/Polynomial.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace tilewright::graph {

namespace {

/// A total order that does not depend on addresses.
int compareExprs(Expr a, Expr b) {
  if (a == b)
    return 0;
  if (a.getKind() != b.getKind())
    return a.getKind() < b.getKind() ? -1 : 1;
  if (auto ca = dyn_cast<AffineConstantExpr>(a))
    return ca.getValue() < cast<AffineConstantExpr>(b).getValue() ? -1 : 1;
  if (auto sa = dyn_cast<AffineSymbolExpr>(a))
    return sa.getPosition() < cast<AffineSymbolExpr>(b).getPosition() ? -1 : 1;
  auto ba = dyn_cast<AffineBinaryOpExpr>(a);
  auto bb = dyn_cast<AffineBinaryOpExpr>(b);
  if (!ba || !bb)
    return 0;
  if (int order = compareExprs(ba.getLHS(), bb.getLHS()))
    return order;
  return compareExprs(ba.getRHS(), bb.getRHS());
}

/// The quotient of two products, if the divisor's atoms are all there.
std::optional<Monomial> divide(const Monomial &a, const Monomial &b) {
  Monomial rest = a;
  for (Expr atom : b) {
    auto it = llvm::find(rest, atom);
    if (it == rest.end())
      return std::nullopt;
    rest.erase(it);
  }
  return rest;
}

} // namespace

bool MonomialLess::operator()(const Monomial &a, const Monomial &b) const {
  if (a.size() != b.size())
    return a.size() > b.size();
  for (auto [x, y] : llvm::zip(a, b))
    if (int order = compareExprs(x, y))
      return order < 0;
  return false;
}

void Polynomial::addTerm(const Monomial &m, int64_t coefficient) {
  int64_t &slot = terms[m];
  if (__builtin_add_overflow(slot, coefficient, &slot))
    sizes->overflow = true;
  if (slot == 0)
    terms.erase(m);
}

void Polynomial::addScaled(const Polynomial &p, int64_t scale,
                           const Monomial &m) {
  // More factors of 2 overflow 64 bits.
  constexpr size_t mostFactors = 64;
  for (const auto &[monomial, coefficient] : p.terms) {
    if (monomial.size() + m.size() > mostFactors) {
      sizes->overflow = true;
      continue;
    }
    Monomial product = monomial;
    product.insert(product.end(), m.begin(), m.end());
    llvm::sort(product, [](Expr a, Expr b) { return compareExprs(a, b) < 0; });
    addTerm(product, multiply(coefficient, scale));
  }
}

Polynomial Polynomial::times(const Polynomial &p) const {
  Polynomial result(*sizes);
  for (const auto &[monomial, coefficient] : terms)
    result.addScaled(p, coefficient, monomial);
  return result;
}

Polynomial Polynomial::replaced(Expr atom, const Polynomial &value) const {
  Polynomial result(*sizes);
  for (const auto &[monomial, coefficient] : terms) {
    Polynomial product(*sizes, coefficient);
    Monomial rest;
    for (Expr factor : monomial)
      if (factor == atom)
        product = product.times(value);
      else
        rest.push_back(factor);
    result.addScaled(product, 1, rest);
  }
  return result;
}

std::optional<int64_t> Polynomial::constant() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

int64_t Polynomial::content() const {
  int64_t common = 0;
  for (const auto &[monomial, coefficient] : terms)
    common = std::gcd(common, coefficient);
  return common;
}

int64_t Polynomial::multiply(int64_t a, int64_t b) const {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result))
    sizes->overflow = true;
  return result;
}

bool Polynomial::tries(Sizes &sizes, llvm::function_ref<void()> compute) {
  const bool overflow = std::exchange(sizes.overflow, false);
  const bool dividesByZero = std::exchange(sizes.dividesByZero, false);
  compute();
  const bool isFaultless = sizes.fault().empty();
  sizes.overflow = overflow;
  sizes.dividesByZero = dividesByZero;
  return isFaultless;
}

std::optional<Polynomial>
Polynomial::exactDiv(const Polynomial &divisor) const {
  if (divisor.terms.empty())
    return std::nullopt;
  Polynomial rest = *this, quotient(*sizes);
  auto [leading, leadingCoefficient] = *divisor.terms.begin();
  for (int step = 0; step < 64 && !rest.terms.empty(); ++step) {
    auto [monomial, coefficient] = *rest.terms.begin();
    auto m = divide(monomial, leading);
    if (!m || leadingCoefficient == 0 ||
        (leadingCoefficient == -1 && coefficient == INT64_MIN) ||
        coefficient % leadingCoefficient != 0)
      return std::nullopt;
    int64_t factor = coefficient / leadingCoefficient;
    quotient.addTerm(*m, factor);
    rest.addScaled(divisor, multiply(factor, -1), *m);
  }
  if (!rest.terms.empty())
    return std::nullopt;
  return quotient;
}

void Polynomial::read(Expr e) {
  if (auto value = constantOf(e))
    return addTerm({}, *value);
  if (isa<AffineSymbolExpr>(e))
    return addTerm({e}, 1);
  auto binary = dyn_cast<AffineBinaryOpExpr>(e);
  if (!binary)
    return addTerm({e}, 1);
  Polynomial a(*sizes, binary.getLHS()), b(*sizes, binary.getRHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    addScaled(a, 1);
    return addScaled(b, 1);
  case AffineExprKind::Mul:
    return addScaled(a.times(b), 1);
  case AffineExprKind::FloorDiv:
    return addScaled(a.floorDiv(b), 1);
  case AffineExprKind::CeilDiv:
    a.addScaled(b, 1);
    a.addTerm({}, -1);
    return addScaled(a.floorDiv(b), 1);
  case AffineExprKind::Mod:
    addScaled(a, 1);
    return addScaled(a.floorDiv(b).times(b), -1);
  default:
    return addTerm({e}, 1);
  }
}

/// Takes whole multiples out, reduces by the common divisor, and merges nested
/// divisions: floor((floor(x / m) + r) / c) = floor((x + r m) / (m c)).
Polynomial Polynomial::floorDivConstant(int64_t divisor) const {
  Polynomial whole(*sizes), rest(*sizes);
  int64_t common = divisor;
  for (const auto &[monomial, coefficient] : terms) {
    int64_t quotient = llvm::divideFloorSigned(coefficient, divisor);
    int64_t remainder = coefficient - quotient * divisor;
    whole.addTerm(monomial, quotient);
    rest.addTerm(monomial, remainder);
    if (!monomial.empty() && remainder)
      common = std::gcd(common, remainder);
  }
  if (rest.constant())
    return whole;
  Polynomial reduced(*sizes);
  for (const auto &[monomial, coefficient] : rest.terms)
    reduced.addTerm(monomial, coefficient / common);
  int64_t c = divisor / common;
  if (c == 1) {
    whole.addScaled(reduced, 1);
    return whole;
  }
  const auto &[first, coefficient] = *reduced.terms.begin();
  bool nested = first.size() == 1 && coefficient == 1 &&
                (reduced.terms.size() == 1 ||
                 (reduced.terms.size() == 2 &&
                  std::next(reduced.terms.begin())->first.empty()));
  auto inner = nested ? dyn_cast<AffineBinaryOpExpr>(first[0])
                      : AffineBinaryOpExpr(nullptr);
  if (inner && inner.getKind() == AffineExprKind::FloorDiv)
    if (auto m = constantOf(inner.getRHS()); m && *m > 0) {
      Polynomial x(*sizes, inner.getLHS());
      if (reduced.terms.size() == 2)
        x.addTerm({}, multiply(std::next(reduced.terms.begin())->second, *m));
      whole.addScaled(x.floorDiv(Polynomial(*sizes, multiply(*m, c))), 1);
      return whole;
    }
  Expr atom = getAffineBinaryOpExpr(AffineExprKind::FloorDiv, reduced.expr(),
                                    sizes->constant(c));
  whole.addTerm({atom}, 1);
  return whole;
}

Polynomial Polynomial::floorDiv(const Polynomial &divisor) const {
  std::optional<int64_t> c = divisor.constant();
  if (c == 0)
    sizes->dividesByZero = true;
  if (c && *c > 0)
    return floorDivConstant(*c);
  if (c && *c < 0 && *c != INT64_MIN) {
    Polynomial negated(*sizes);
    negated.addScaled(*this, -1);
    return negated.floorDivConstant(-*c);
  }
  if (auto quotient = exactDiv(divisor))
    return *quotient;
  Polynomial result(*sizes);
  Expr atom =
      getAffineBinaryOpExpr(AffineExprKind::FloorDiv, expr(), divisor.expr());
  result.addTerm({atom}, 1);
  return result;
}

Expr Polynomial::expr() const {
  Expr sum = sizes->constant(0);
  for (const auto &[monomial, coefficient] : terms) {
    Expr product = sizes->constant(1);
    for (Expr atom : monomial)
      product = product * atom;
    sum = sum + product * coefficient;
  }
  return sum;
}

} // namespace tilewright::graph
