// The approximate functions: PTX sections 9.7.3.8, 9.7.3.13 to 9.7.3.22,
// 9.7.4.9 and 9.7.4.10. Each result must be within the manual's error of the
// exact one, computed by the host's functions of twice the precision.
#include "test/runtime/emulator/instructions/Probe.h"
#include "test/runtime/emulator/instructions/Reals.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace instructions;

namespace {

using Limit = Within<float>;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = 3.14159265358979323846;

Limit exactly(double value) { return {value, value}; }

/// The distance of neighbours of f32 at `value`.
double unitOf(double value) {
  int exponent = value == 0 ? -126 : std::max(std::ilogb(value), -126);
  return std::ldexp(1.0, exponent - 23);
}

/// `value`, give or take `error`. With `flushes`, subnormal results may be 0.
Limit around(double value, double error, bool flushes) {
  if (!std::isfinite(value) || value == 0)
    return exactly(value);
  Limit limit{value - error, value + error};
  const double most = std::numeric_limits<float>::max();
  const double normal = std::numeric_limits<float>::min();
  if (limit.high > most)
    limit.high = infinity;
  if (limit.low < -most)
    limit.low = -infinity;
  if (flushes && limit.low > 0 && limit.low < normal)
    limit.low = 0;
  if (flushes && limit.high < 0 && limit.high > -normal)
    limit.high = 0;
  return limit;
}
Limit units(double value, double count, bool flushes) {
  // Half a unit where the error is from the correctly rounded result.
  return around(value, count * unitOf(value), flushes);
}
Limit relative(double value, double exponent, bool flushes) {
  double error = std::fabs(value) * std::exp2(exponent);
  // A result that is subnormal is rounded to a multiple of 2^-149.
  return around(value, std::max(error, std::ldexp(1.0, -150)), flushes);
}

/// A function of f32, with and without .ftz.
template <class F> void checkBoth(const std::string &opcode, F function) {
  for (bool ftz : {false, true}) {
    Probe approximate =
        probe(opcode + ".approx" + (ftz ? ".ftz" : "") + ".f32",
              [=](float a) { return function(ftz ? flushed(a) : a, ftz); });
    approximate.lanes = 8192;
    run(approximate);
  }
}

} // namespace

TEST_CASE("div.approx, div.full", "[9.7.3.8]") {
  for (bool ftz : {false, true})
    for (bool full : {false, true}) {
      // Within 2 units for |b| in [2^-126, 2^126] (for div.full, in full
      // range where it scales); beyond, 0, or NaN of infinity; below,
      // unspecified.
      auto quotient = [=](float a, float b) -> std::optional<Limit> {
        a = ftz ? flushed(a) : a;
        b = ftz ? flushed(b) : b;
        double size = std::fabs(double(b)), exact = double(a) / double(b);
        if (std::isinf(b) || std::isnan(exact) || b == 0)
          return exactly(exact);
        if (size < std::ldexp(1.0, -126))
          return std::nullopt;
        if (size > std::ldexp(1.0, 126)) {
          // div.full is right or flushes there.
          if (full)
            return std::nullopt;
          return exactly(std::isinf(a) ? double(NAN) : 0.0);
        }
        return units(exact, 2, ftz);
      };
      check(std::string("div.") + (full ? "full" : "approx") +
                (ftz ? ".ftz" : "") + ".f32",
            quotient);
    }
}

TEST_CASE("rcp, sqrt, rsqrt approximately", "[9.7.3]") {
  checkBoth("rcp", [](double a, bool ftz) { return units(1 / a, 1, ftz); });
  checkBoth("sqrt", [](double a, bool ftz) {
    return relative(std::sqrt(a), -23, ftz);
  });
  checkBoth("rsqrt", [](double a, bool ftz) {
    return relative(1 / std::sqrt(a), -22.9, ftz);
  });
}

TEST_CASE("sin, cos approximately", "[9.7.3]") {
  // |a| up to 2 pi, 100 pi; beyond, the manual has no bound but that of the
  // function.
  auto error = [](double a) {
    return std::fabs(a) <= 2 * pi     ? std::exp2(-20.5)
           : std::fabs(a) <= 100 * pi ? std::exp2(-14.7)
                                      : 2.0;
  };
  auto limit = [=](double a, double exact) {
    if (!std::isfinite(a))
      return exactly(NAN);
    return Limit{exact - error(a), exact + error(a)};
  };
  checkBoth("sin", [=](double a, bool) {
    return a == 0 ? exactly(a) : limit(a, std::sin(a));
  });
  checkBoth("cos", [=](double a, bool) { return limit(a, std::cos(a)); });
}

TEST_CASE("lg2, ex2, tanh approximately", "[9.7.3]") {
  checkBoth("lg2", [](double a, bool ftz) {
    double exact = std::log2(a);
    if (a > 0.5 && a < 2)
      return Limit{exact - std::exp2(-22), exact + std::exp2(-22)};
    return relative(exact, -22, ftz);
  });
  checkBoth("ex2", [](double a, bool ftz) {
    double exact = std::exp2(a);
    if (exact < std::ldexp(1.0, -151) && exact > 0)
      return Limit{0, std::ldexp(1.0, -148)};
    return units(exact, 2.5, ftz);
  });
  Probe tanh = probe("tanh.approx.f32", [](float a) {
    return relative(std::tanh(double(a)), -11, false);
  });
  tanh.lanes = 8192;
  run(tanh);
}

//===--- f64 --------------------------------------------------------------===//

/// The upper word of the operand counts; the lower word of the result is 0.
TEST_CASE("rcp.approx.ftz.f64, rsqrt.approx.f64", "[9.7.3]") {
  auto flushed = [](double a) {
    return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0, a) : a;
  };
  // 20 bits of the operand and of the result are right.
  auto about = [=](double exact) {
    if (!std::isfinite(exact) || exact == 0)
      return Within<double>{exact, exact};
    double error = std::fabs(exact) * std::exp2(-19);
    Within<double> limit{exact - error, exact + error};
    if (std::fabs(exact) < 2 * std::numeric_limits<double>::min())
      return Within<double>{std::min(limit.low, 0.0),
                            std::max(limit.high, 0.0)};
    return limit;
  };
  check("rcp.approx.ftz.f64", [=](double a) { return about(1 / flushed(a)); });
  check("rsqrt.approx.ftz.f64",
        [=](double a) { return about(1 / std::sqrt(flushed(a))); });
  check("rsqrt.approx.f64", [=](double a) { return about(1 / std::sqrt(a)); });
}

//===--- f16 and bf16 -----------------------------------------------------===//

namespace {
/// All numbers of the type.
template <class T, class F> void checkAll(const std::string &text, F function) {
  Probe all = probe(text, [=](T a) -> Within<T> { return function(a); });
  all.lanes = 1 << 16;
  all.samples.resize(1);
  for (Bits bits = 0; bits < 1 << 16; ++bits)
    all.samples[0].push_back(bits);
  run(all);
}
/// The pairs of numbers: both halves are the same.
template <class T2, class T, class F>
void checkPairs(const std::string &text, const F &function) {
  Probe pairs = probe(text, [](T2 a) { return a; });
  pairs.reference = [=](const Bits *sources, Expected *results) {
    Within<T> limit = function(T{uint16_t(sources[0])});
    results[0] = {0, true, false, limit.low, limit.high};
  };
  pairs.lanes = 1 << 14;
  pairs.samples.resize(1);
  for (Bits bits = 0; bits < 1 << 16; bits += 5)
    pairs.samples[0].push_back(bits << 16 | bits);
  run(pairs);
}

/// exact +- error; the format's neighbours are `step` apart at its ends.
template <class T>
Within<T> limit(double exact, double error, double least, double most) {
  if (!std::isfinite(exact) || exact == 0)
    return {exact, exact};
  error = std::max(error, least);
  return {exact - error < -most ? -infinity : exact - error,
          exact + error > most ? infinity : exact + error};
}
} // namespace

TEST_CASE("tanh, ex2 of f16 and bf16", "[9.7.4]") {
  const double half = std::ldexp(1.0, -25), small = std::ldexp(1.0, -134);
  auto tanhHalf = [=](Half a) {
    return limit<Half>(std::tanh(valueOf(a)), std::exp2(-10.987), half, 65504);
  };
  auto tanhBFloat = [=](BFloat a) {
    return limit<BFloat>(std::tanh(valueOf(a)), std::exp2(-8), small, 3.4e38);
  };
  auto ex2Half = [=](Half a) {
    double exact = std::exp2(valueOf(a));
    return limit<Half>(exact, exact * std::exp2(-9.9), half, 65504);
  };
  // .ftz: subnormal operands and results are 0.
  auto ex2BFloat = [=](BFloat a) {
    double exact = std::exp2(valueOf(a));
    Within<BFloat> within =
        limit<BFloat>(exact, exact * std::exp2(-7), small, 3.38e38);
    if (exact < std::ldexp(1.01, -126))
      within.low = 0;
    return within;
  };
  checkAll<Half>("tanh.approx.f16", tanhHalf);
  checkAll<BFloat>("tanh.approx.bf16", tanhBFloat);
  checkAll<Half>("ex2.approx.f16", ex2Half);
  checkAll<BFloat>("ex2.approx.ftz.bf16", ex2BFloat);
  checkPairs<Half2, Half>("tanh.approx.f16x2", tanhHalf);
  checkPairs<BFloat2, BFloat>("tanh.approx.bf16x2", tanhBFloat);
  checkPairs<Half2, Half>("ex2.approx.f16x2", ex2Half);
  checkPairs<BFloat2, BFloat>("ex2.approx.ftz.bf16x2", ex2BFloat);
}
