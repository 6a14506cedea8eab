// Special functions, computed in f64.
#include "frontends/torch/Promotion.h"
#include "graph/build/Broadcast.h"
#include "graph/build/Special.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace tilewright::torch {
namespace {

/// A function of floats; integers become f32.
template <Value (*fn)(Scalar &, Value)> LogicalResult importSpecial(Call &c) {
  TRY(Tensor x, c.tensor(c.find("self") ? "self" : "x"));
  TRY(x, convert(c.b, x, floating(c.b, x->element)));
  return c.done(mapInF64(c.b, x, fn));
}

template <Value (*fn)(Scalar &, Value, bool), bool scaled>
Value bessel(Scalar &s, Value x) {
  return fn(s, x, scaled);
}

LogicalResult importPolygamma(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(int64_t n, c.integer("n"));
  TRY(x, convert(c.b, x, floating(c.b, x->element)));
  if (n < 0 || n > 100)
    return c.fail("argument 'n' is " + llvm::Twine(n) + ", expected 0 to 100");
  return c.done(mapInF64(c.b, x, [&](Scalar &s, Value v) {
    return n == 0 ? digamma(s, v) : polygamma(s, v, n);
  }));
}

/// The sum of log(gamma(x - j / 2)) for j below p, and p (p - 1) / 4 log(pi).
LogicalResult importMultiGamma(Call &c) {
  TRY(Tensor x, c.tensor("self"));
  TRY(int64_t p, c.integer("p"));
  TRY(x, convert(c.b, x, floating(c.b, x->element)));
  if (p < 1 || p > 100)
    return c.fail("argument 'p' is " + llvm::Twine(p) + ", expected 1 to 100");
  double rest = p * (p - 1) / 4.0 * std::log(std::numbers::pi);
  return c.done(mapInF64(c.b, x, [&](Scalar &s, Value v) {
    Value sum = s.like(v, rest);
    for (int64_t j = 0; j < p; ++j)
      sum = s.add(sum, logGamma(s, s.sub(v, s.like(v, j / 2.0))));
    return sum;
  }));
}

LogicalResult importZeta(Call &c) {
  TRY(Pair p, promotedPair(c, "self", "other"));
  Element out = floating(c.b, p.common);
  TRY(p.x, convert(c.b, p.x, out));
  TRY(p.y, convert(c.b, p.y, out));
  return c.done(elementwise(c.b, {p.x, p.y}, out, [](Scalar &s, Values v) {
    Type wide = s.builder.getF64Type();
    return s.convert(zeta(s, s.convert(v[0], wide), s.convert(v[1], wide)),
                     v[0].getType());
  }));
}

/// Chebyshev polynomials of whole degrees n; `shifted`: at 2 x - 1. Degrees
/// below 0 have the value 0.
template <ChebyshevKind kind, bool shifted>
LogicalResult importChebyshev(Call &c) {
  TRY(Term x, termOf(c, "x"));
  TRY(Term n, termOf(c, "n"));
  TRY(Element out, promote(c.b, {x, n}));
  out = floating(c.b, out);
  TRY(Tensor at, convert(c.b, x.tensor, out));
  TRY(Tensor degree, convert(c.b, n.tensor, out));
  return c.done(elementwise(c.b, {at, degree}, out, [](Scalar &s, Values v) {
    Type wide = s.builder.getF64Type();
    Value point = s.convert(v[0], wide), n = s.convert(v[1], wide);
    if (shifted)
      point = s.sub(s.mul(point, s.like(point, 2)), s.like(point, 1));
    return s.convert(chebyshevOf(s, kind, point, s.make<math::TruncOp>(n)),
                     v[0].getType());
  }));
}

struct SpecialRow {
  StringRef name;
  Handler handler;
};
const SpecialRow specialRows[] = {
    {"aten.lgamma.default", importSpecial<logGamma>},
    {"aten.digamma.default", importSpecial<digamma>},
    {"aten.erfinv.default", importSpecial<inverseErf>},
    {"aten.special_erfcx.default", importSpecial<scaledErfc>},
    {"aten.special_ndtr.default", importSpecial<normalBelow>},
    {"aten.special_log_ndtr.default", importSpecial<logNormalBelow>},
    {"aten.special_ndtri.default", importSpecial<inverseNormal>},
    {"aten.i0.default", importSpecial<bessel<besselI0, false>>},
    {"aten.special_i0e.default", importSpecial<bessel<besselI0, true>>},
    {"aten.special_i1.default", importSpecial<bessel<besselI1, false>>},
    {"aten.special_i1e.default", importSpecial<bessel<besselI1, true>>},
    {"aten.special_modified_bessel_i0.default",
     importSpecial<bessel<besselI0, false>>},
    {"aten.special_modified_bessel_i1.default",
     importSpecial<bessel<besselI1, false>>},
    {"aten.special_modified_bessel_k0.default",
     importSpecial<bessel<besselK0, false>>},
    {"aten.special_modified_bessel_k1.default",
     importSpecial<bessel<besselK1, false>>},
    {"aten.special_scaled_modified_bessel_k0.default",
     importSpecial<bessel<besselK0, true>>},
    {"aten.special_scaled_modified_bessel_k1.default",
     importSpecial<bessel<besselK1, true>>},
    {"aten.special_bessel_j0.default", importSpecial<besselJ0>},
    {"aten.special_bessel_j1.default", importSpecial<besselJ1>},
    {"aten.special_bessel_y0.default", importSpecial<besselY0>},
    {"aten.special_bessel_y1.default", importSpecial<besselY1>},
    {"aten.special_spherical_bessel_j0.default",
     importSpecial<sphericalBessel>},
    {"aten.special_airy_ai.default", importSpecial<airy>},
    {"aten.special_chebyshev_polynomial_t.default",
     importChebyshev<ChebyshevKind::First, false>},
    {"aten.special_chebyshev_polynomial_u.default",
     importChebyshev<ChebyshevKind::Second, false>},
    {"aten.special_chebyshev_polynomial_v.default",
     importChebyshev<ChebyshevKind::Third, false>},
    {"aten.special_chebyshev_polynomial_w.default",
     importChebyshev<ChebyshevKind::Fourth, false>},
    {"aten.special_shifted_chebyshev_polynomial_t.default",
     importChebyshev<ChebyshevKind::First, true>},
    {"aten.special_shifted_chebyshev_polynomial_u.default",
     importChebyshev<ChebyshevKind::Second, true>},
    {"aten.special_shifted_chebyshev_polynomial_v.default",
     importChebyshev<ChebyshevKind::Third, true>},
    {"aten.special_shifted_chebyshev_polynomial_w.default",
     importChebyshev<ChebyshevKind::Fourth, true>},
    {"aten.polygamma.default", importPolygamma},
    {"aten.mvlgamma.default", importMultiGamma},
    {"aten.special_zeta.default", importZeta},
    {"aten.special_zeta.self_scalar", importZeta},
    {"aten.special_zeta.other_scalar", importZeta},
};

} // namespace

void addSpecialOps(OpTable &t) {
  for (const SpecialRow &row : specialRows)
    t.add(row.name, row.handler);
}

} // namespace tilewright::torch
