#include "frontends/onnx/Sizes.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <numeric>

using namespace mlir;

namespace tilewright::onnx {

std::optional<int64_t> constantOf(Expr e) {
  if (auto constant = dyn_cast_or_null<AffineConstantExpr>(e))
    return constant.getValue();
  return std::nullopt;
}

bool isConst(Expr e, int64_t value) { return constantOf(e) == value; }

std::optional<SmallVector<int64_t>> constantsOf(ArrayRef<Expr> exprs) {
  SmallVector<int64_t> values;
  for (Expr e : exprs) {
    std::optional<int64_t> value = constantOf(e);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

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

/// A product of atoms (symbols and floor divisions), sorted.
using Monomial = std::vector<Expr>;

struct MonomialLess {
  bool operator()(const Monomial &a, const Monomial &b) const {
    if (a.size() != b.size())
      return a.size() > b.size();
    for (auto [x, y] : llvm::zip(a, b))
      if (int order = compareExprs(x, y))
        return order < 0;
    return false;
  }
};

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

/// A sum of products with integer coefficients; the empty product comes last.
class Polynomial {
public:
  using Terms = std::map<Monomial, int64_t, MonomialLess>;

  Polynomial(Sizes &sizes) : sizes(&sizes) {}
  Polynomial(Sizes &sizes, int64_t value) : sizes(&sizes) {
    addTerm({}, value);
  }
  Polynomial(Sizes &sizes, Expr e) : sizes(&sizes) { read(e); }

  Terms terms;

  void addTerm(const Monomial &m, int64_t coefficient) {
    int64_t &slot = terms[m];
    if (__builtin_add_overflow(slot, coefficient, &slot))
      sizes->overflow = true;
    if (slot == 0)
      terms.erase(m);
  }

  void addScaled(const Polynomial &p, int64_t scale, const Monomial &m = {}) {
    for (const auto &[monomial, coefficient] : p.terms) {
      Monomial product = monomial;
      product.insert(product.end(), m.begin(), m.end());
      llvm::sort(product,
                 [](Expr a, Expr b) { return compareExprs(a, b) < 0; });
      addTerm(product, multiply(coefficient, scale));
    }
  }

  Polynomial times(const Polynomial &p) const {
    Polynomial result(*sizes);
    for (const auto &[monomial, coefficient] : terms)
      result.addScaled(p, coefficient, monomial);
    return result;
  }

  std::optional<int64_t> constant() const {
    if (terms.empty())
      return 0;
    if (terms.size() == 1 && terms.begin()->first.empty())
      return terms.begin()->second;
    return std::nullopt;
  }

  /// Long division; the quotient if nothing remains.
  std::optional<Polynomial> exactDiv(const Polynomial &divisor) const {
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

  Polynomial floorDiv(const Polynomial &divisor) const;
  Expr expr() const;
  int64_t multiply(int64_t a, int64_t b) const {
    int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result))
      sizes->overflow = true;
    return result;
  }

private:
  Sizes *sizes;
  void read(Expr e);
  Polynomial floorDivConstant(int64_t divisor) const;
};

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

Expr Sizes::symbol(StringRef name) {
  auto [it, inserted] = positions.try_emplace(name, symbolNames.size());
  if (inserted)
    symbolNames.push_back(name.str());
  return getAffineSymbolExpr(it->second, context);
}

Expr Sizes::constant(int64_t value) {
  return getAffineConstantExpr(value, context);
}

Expr Sizes::add(Expr a, Expr b) {
  Polynomial p(*this, a);
  p.addScaled(Polynomial(*this, b), 1);
  return p.expr();
}

Expr Sizes::sub(Expr a, Expr b) {
  Polynomial p(*this, a);
  p.addScaled(Polynomial(*this, b), -1);
  return p.expr();
}

Expr Sizes::mul(Expr a, Expr b) {
  return Polynomial(*this, a).times(Polynomial(*this, b)).expr();
}

Expr Sizes::floorDiv(Expr a, Expr b) {
  return Polynomial(*this, a).floorDiv(Polynomial(*this, b)).expr();
}

Expr Sizes::ceilDiv(Expr a, Expr b) {
  return floorDiv(add(a, sub(b, constant(1))), b);
}

Expr Sizes::mod(Expr a, Expr b) { return sub(a, mul(floorDiv(a, b), b)); }

std::optional<Expr> Sizes::exactDiv(Expr a, Expr b) {
  auto quotient = Polynomial(*this, a).exactDiv(Polynomial(*this, b));
  if (!quotient)
    return std::nullopt;
  return quotient->expr();
}

std::optional<Expr> Sizes::min(Expr a, Expr b) {
  if (a == b)
    return a;
  if (auto decided = less(a, b))
    return *decided ? a : b;
  if (auto decided = less(b, a))
    return *decided ? b : a;
  return std::nullopt;
}

std::optional<Expr> Sizes::max(Expr a, Expr b) {
  std::optional<Expr> smaller = min(a, b);
  if (!smaller)
    return std::nullopt;
  return *smaller == a ? b : a;
}

Expr Sizes::product(ArrayRef<Expr> factors) {
  Expr result = constant(1);
  for (Expr factor : factors)
    result = mul(result, factor);
  return result;
}

namespace {
struct Bounds {
  std::optional<int64_t> low, high;
};

Bounds scale(Bounds a, int64_t c) {
  auto times = [c](std::optional<int64_t> v) -> std::optional<int64_t> {
    int64_t result;
    if (!v || __builtin_mul_overflow(*v, c, &result))
      return std::nullopt;
    return result;
  };
  return c >= 0 ? Bounds{times(a.low), times(a.high)}
                : Bounds{times(a.high), times(a.low)};
}

Bounds plus(Bounds a, Bounds b) {
  auto sum = [](std::optional<int64_t> x,
                std::optional<int64_t> y) -> std::optional<int64_t> {
    int64_t result;
    if (!x || !y || __builtin_add_overflow(*x, *y, &result))
      return std::nullopt;
    return result;
  };
  return {sum(a.low, b.low), sum(a.high, b.high)};
}

Bounds boundsOf(Sizes &sizes, Expr e);

Bounds boundsOfAtom(Sizes &sizes, Expr atom) {
  if (isa<AffineSymbolExpr>(atom))
    return {1, std::nullopt};
  auto binary = dyn_cast<AffineBinaryOpExpr>(atom);
  if (!binary || binary.getKind() != AffineExprKind::FloorDiv)
    return {};
  Bounds a = boundsOf(sizes, binary.getLHS());
  auto c = constantOf(binary.getRHS());
  if (!c || *c <= 0) {
    // A quotient of a size by a size is at least 0.
    Bounds b = boundsOf(sizes, binary.getRHS());
    if (a.low && *a.low >= 0 && b.low && *b.low > 0)
      return {0, a.high};
    return {};
  }
  Bounds result;
  if (a.low)
    result.low = llvm::divideFloorSigned(*a.low, *c);
  if (a.high)
    result.high = llvm::divideFloorSigned(*a.high, *c);
  return result;
}

Bounds boundsOf(Sizes &sizes, Expr e) {
  Polynomial p(sizes, e);
  Bounds sum{0, 0};
  for (const auto &[monomial, coefficient] : p.terms) {
    Bounds product{1, 1};
    for (Expr atom : monomial) {
      Bounds factor = boundsOfAtom(sizes, atom);
      if (!product.low || *product.low < 0 || !factor.low || *factor.low < 0) {
        product = {};
        break;
      }
      int64_t low;
      bool overflow = __builtin_mul_overflow(*product.low, *factor.low, &low);
      product = {overflow ? std::nullopt : std::optional<int64_t>(low),
                 std::nullopt};
      if (monomial.size() == 1)
        product.high = factor.high;
    }
    sum = plus(sum, scale(product, coefficient));
  }
  return sum;
}
} // namespace

std::optional<int64_t> Sizes::lowerBound(Expr a) {
  return boundsOf(*this, a).low;
}

std::optional<int64_t> Sizes::upperBound(Expr a) {
  return boundsOf(*this, a).high;
}

std::optional<bool> Sizes::less(Expr a, Expr b) {
  Bounds difference = boundsOf(*this, sub(a, b));
  if (difference.high && *difference.high < 0)
    return true;
  if (difference.low && *difference.low >= 0)
    return false;
  return std::nullopt;
}

std::optional<bool> Sizes::equal(Expr a, Expr b) {
  if (a == b)
    return true;
  Bounds difference = boundsOf(*this, sub(a, b));
  if ((difference.high && *difference.high < 0) ||
      (difference.low && *difference.low > 0))
    return false;
  return std::nullopt;
}

std::string Sizes::str(Expr e) const {
  if (auto value = constantOf(e))
    return std::to_string(*value);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(e))
    return symbolNames[symbol.getPosition()];
  auto binary = dyn_cast<AffineBinaryOpExpr>(e);
  if (!binary)
    return "?";
  std::string a = str(binary.getLHS()), b = str(binary.getRHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    if (auto value = constantOf(binary.getRHS()); value && *value < 0)
      return "(" + a + " - " + b.substr(1) + ")";
    return "(" + a + " + " + b + ")";
  case AffineExprKind::Mul:
    return a + "*" + b;
  case AffineExprKind::FloorDiv:
    return "floordiv(" + a + ", " + b + ")";
  case AffineExprKind::CeilDiv:
    return "ceildiv(" + a + ", " + b + ")";
  case AffineExprKind::Mod:
    return "mod(" + a + ", " + b + ")";
  default:
    return "?";
  }
}

std::string Sizes::str(ArrayRef<Expr> dims) const {
  std::string text = "[";
  for (auto [i, dim] : llvm::enumerate(dims))
    text += (i ? ", " : "") + str(dim);
  return text + "]";
}

} // namespace tilewright::onnx
