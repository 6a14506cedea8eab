#include "graph/analysis/SizeBounds.h"

#include "graph/analysis/Polynomial.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::graph {

namespace {

using Bound = std::optional<int64_t>;

/// Nothing where a bound is not known.
struct Bounds {
  Bound low, high;
};

Bound greater(Bound a, Bound b) {
  return a && b ? std::max(*a, *b) : a ? a : b;
}

Bound lesser(Bound a, Bound b) { return a && b ? std::min(*a, *b) : a ? a : b; }

/// Both hold.
Bounds both(Bounds a, Bounds b) {
  return {greater(a.low, b.low), lesser(a.high, b.high)};
}

/// At least one of them is true.
Bounds either(Bounds a, Bounds b) {
  Bounds result;
  if (a.low && b.low)
    result.low = std::min(*a.low, *b.low);
  if (a.high && b.high)
    result.high = std::max(*a.high, *b.high);
  return result;
}

Bounds scale(Bounds a, int64_t c) {
  auto times = [c](Bound v) -> Bound {
    int64_t result;
    if (!v || __builtin_mul_overflow(*v, c, &result))
      return std::nullopt;
    return result;
  };
  return c >= 0 ? Bounds{times(a.low), times(a.high)}
                : Bounds{times(a.high), times(a.low)};
}

Bounds plus(Bounds a, Bounds b) {
  auto sum = [](Bound x, Bound y) -> Bound {
    int64_t result;
    if (!x || !y || __builtin_add_overflow(*x, *y, &result))
      return std::nullopt;
    return result;
  };
  return {sum(a.low, b.low), sum(a.high, b.high)};
}

/// The bounds of expressions whose dimensions are at least `least`.
class BoundFinder {
public:
  BoundFinder(Sizes &sizes, int64_t least) : sizes(sizes), least(least) {}

  Bounds find(const Polynomial &p, int depth = 0);

private:
  Bounds ofAtom(Expr atom, int depth);
  Bounds computeAtom(Expr atom, int depth);
  Bounds byIntervals(const Polynomial &p, int depth);

  Sizes &sizes;
  int64_t least;
  /// Each atom is looked at once, and so many maxima are looked into: what is
  /// nested deeply may have wider bounds than it could.
  llvm::DenseMap<Expr, Bounds> atoms;
  int splitsLeft = 300;
};

Bounds BoundFinder::ofAtom(Expr atom, int depth) {
  if (auto known = atoms.find(atom); known != atoms.end())
    return known->second;
  Bounds bounds = computeAtom(atom, depth);
  atoms[atom] = bounds;
  return bounds;
}

Bounds BoundFinder::computeAtom(Expr atom, int depth) {
  if (auto symbol = dyn_cast<AffineSymbolExpr>(atom)) {
    Expr part = sizes.symbols.positivePartOf(symbol);
    if (!part) {
      auto [low, high] = sizes.symbols.boundsOf(symbol, least);
      return {low, high};
    }
    Bounds inner = find(Polynomial(sizes, part), depth + 1);
    Bounds result{0, std::nullopt};
    if (inner.low)
      result.low = std::max<int64_t>(0, *inner.low);
    if (inner.high)
      result.high = std::max<int64_t>(0, *inner.high);
    return result;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(atom);
  if (!binary || binary.getKind() != AffineExprKind::FloorDiv)
    return {};
  Bounds a = find(Polynomial(sizes, binary.getLHS()), depth + 1);
  auto c = constantOf(binary.getRHS());
  if (!c || *c <= 0) {
    // A quotient of a size by a size is at least 0.
    Bounds b = find(Polynomial(sizes, binary.getRHS()), depth + 1);
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

Bounds BoundFinder::byIntervals(const Polynomial &p, int depth) {
  Bounds sum{0, 0};
  for (const auto &[monomial, coefficient] : p.terms) {
    Bounds product{1, 1};
    for (Expr atom : monomial) {
      Bounds factor = ofAtom(atom, depth);
      if (!product.low || *product.low < 0 || !factor.low || *factor.low < 0) {
        product = {};
        break;
      }
      product = {scale(product, *factor.low).low,
                 factor.high ? scale(product, *factor.high).high
                             : std::nullopt};
    }
    sum = plus(sum, scale(product, coefficient));
  }
  return sum;
}

/// Where an atom is max(d, 0), both cases are looked at. Where d >= 0, the atom
/// is d, and p - d <= p <= p + d; the other case likewise.
Bounds BoundFinder::find(const Polynomial &p, int depth) {
  constexpr int deepest = 4;
  Bounds result = byIntervals(p, depth);
  if (depth >= deepest || splitsLeft <= 0)
    return result;
  Expr atom;
  unsigned last = 0;
  for (const auto &[monomial, coefficient] : p.terms)
    for (Expr factor : monomial)
      if (auto symbol = dyn_cast<AffineSymbolExpr>(factor))
        if (sizes.symbols.positivePartOf(symbol) &&
            symbol.getPosition() >= last) {
          atom = factor;
          last = symbol.getPosition();
        }
  if (!atom)
    return result;
  --splitsLeft;
  Polynomial d(sizes,
               sizes.symbols.positivePartOf(cast<AffineSymbolExpr>(atom)));
  // In each case `sign` * d >= 0.
  auto inCase = [&](const Polynomial &value, int64_t sign) {
    // Of p, and a multiple of d; beyond 64 bits nothing is known.
    auto boundsWith = [&](int64_t factor) {
      Bounds bounds;
      const bool isKnown = Polynomial::tries(sizes, [&] {
        Polynomial here = p.replaced(atom, value);
        if (factor != 0)
          here.addScaled(d, factor);
        bounds = find(here, depth + 1);
      });
      return isKnown ? bounds : Bounds();
    };
    return both(boundsWith(0), {boundsWith(-sign).low, boundsWith(sign).high});
  };
  Bounds cases = either(inCase(d, 1), inCase(Polynomial(sizes), -1));
  return both(result, cases);
}

} // namespace

static Bounds boundsOf(Sizes &sizes, Expr e, int64_t least = 0) {
  Bounds bounds;
  const bool isKnown = Polynomial::tries(sizes, [&] {
    bounds = BoundFinder(sizes, least).find(Polynomial(sizes, e));
  });
  return isKnown ? bounds : Bounds();
}

std::optional<int64_t> lowerBound(Sizes &sizes, Expr a) {
  return boundsOf(sizes, a).low;
}

std::optional<int64_t> upperBound(Sizes &sizes, Expr a) {
  return boundsOf(sizes, a).high;
}

std::optional<int64_t> lowerBoundUnlessEmpty(Sizes &sizes, Expr a) {
  return boundsOf(sizes, a, 1).low;
}

std::optional<int64_t> constantUnlessEmpty(Sizes &sizes, Expr a) {
  Bounds bounds = boundsOf(sizes, a, 1);
  return bounds.low && bounds.low == bounds.high ? bounds.low : std::nullopt;
}

static Bounds boundsOfDifference(Sizes &sizes, Expr a, Expr b) {
  Expr difference;
  if (Polynomial::tries(sizes, [&] { difference = sizes.sub(a, b); }))
    return boundsOf(sizes, difference);
  return {};
}

std::optional<bool> less(Sizes &sizes, Expr a, Expr b) {
  if (constantOf(a) && constantOf(b))
    return *constantOf(a) < *constantOf(b);
  Bounds difference = boundsOfDifference(sizes, a, b);
  if (difference.high && *difference.high < 0)
    return true;
  if (difference.low && *difference.low >= 0)
    return false;
  return std::nullopt;
}

std::optional<bool> equal(Sizes &sizes, Expr a, Expr b) {
  if (a == b)
    return true;
  if (constantOf(a) && constantOf(b))
    return false;
  Bounds difference = boundsOfDifference(sizes, a, b);
  if ((difference.high && *difference.high < 0) ||
      (difference.low && *difference.low > 0))
    return false;
  return std::nullopt;
}

} // namespace tilewright::graph
