//===- ErrorFunctions.cpp - Slopes of functions ---------------------------===//
#include "tileir/reference/Interval.h"
#include "verify/threads/ErrorRules.h"

#include <numbers>

using namespace mlir;

namespace tilewright::verify::threads {

/// Of an interval: the least and the greatest distance from 0.
static double nearest(double low, double high) {
  return low <= 0 && high >= 0 ? 0 : std::min(std::fabs(low), std::fabs(high));
}
static double farthest(double low, double high) {
  return std::max(std::fabs(low), std::fabs(high));
}
static double square(double x) { return x * x; }
static double positive(double x) { return x > 0 ? x : 0; }

/// 1 / (1 - x^2) is steep near 1.
static double gap(double low, double high) {
  const double far = farthest(low, high);
  return positive((1 - far) * (1 + far));
}

/// |sin| or |cos| changes by at most the distance.
static double wave(double middle, double low, double high) {
  // More than half of the interval: its middle is rounded.
  return std::min(1.0, std::fabs(middle) + (high - low));
}

static double tangentSlope(double low, double high) {
  using std::numbers::pi;
  // Further out the host's pi does not tell where the poles are.
  const bool isOneBranch =
      std::floor(low / pi + 0.5) == std::floor(high / pi + 0.5);
  const double least =
      std::min(std::fabs(std::cos(low)), std::fabs(std::cos(high)));
  if (!(farthest(low, high) < 1e6) || !isOneBranch || least < 1e-9)
    return kUnbounded;
  return 1 / square(least);
}

static const ErrorFunction kFunctions[] = {
    {"acos", [](double a, double b) { return 1 / std::sqrt(gap(a, b)); }},
    {"acosh",
     [](double a, double) {
       return a > 1 ? 1 / std::sqrt((a - 1) * (a + 1)) : kUnbounded;
     }},
    {"asin", [](double a, double b) { return 1 / std::sqrt(gap(a, b)); }},
    {"asinh",
     [](double a, double b) { return 1 / std::hypot(1, nearest(a, b)); }},
    {"atan",
     [](double a, double b) { return 1 / (1 + square(nearest(a, b))); }},
    {"atanh", [](double a, double b) { return 1 / gap(a, b); }},
    {"cbrt",
     [](double a, double b) {
       return 1 / 3. / square(std::cbrt(nearest(a, b)));
     }},
    {"cos",
     [](double a, double b) { return wave(std::sin(a + (b - a) / 2), a, b); }},
    {"cosh", [](double a, double b) { return std::sinh(farthest(a, b)); }},
    {"erf",
     [](double a, double b) {
       return std::numbers::inv_sqrtpi * 2 * std::exp(-square(nearest(a, b)));
     }},
    {"erfc",
     [](double a, double b) {
       return std::numbers::inv_sqrtpi * 2 * std::exp(-square(nearest(a, b)));
     }},
    {"exp", [](double, double b) { return std::exp(b); }},
    {"exp2", [](double, double b) { return std::numbers::ln2 * std::exp2(b); }},
    {"expm1", [](double, double b) { return std::exp(b); }},
    {"log", [](double a, double) { return 1 / positive(a); }},
    {"log10",
     [](double a, double) { return 1 / positive(a) / std::numbers::ln10; }},
    {"log1p", [](double a, double) { return 1 / positive(1 + a); }},
    {"log2",
     [](double a, double) { return 1 / positive(a) / std::numbers::ln2; }},
    {"rsqrt",
     [](double a, double) {
       return 0.5 / (positive(a) * std::sqrt(positive(a)));
     }},
    {"sin",
     [](double a, double b) { return wave(std::cos(a + (b - a) / 2), a, b); }},
    {"sinh", [](double a, double b) { return std::cosh(farthest(a, b)); }},
    {"sqrt", [](double a, double) { return 0.5 / std::sqrt(positive(a)); }},
    {"tan", tangentSlope},
    {"tanh",
     [](double a, double b) {
       return 1 - square(std::tanh(nearest(a, b))) + 0x1p-50;
     }},
};

/// What a bounded function differs by at most.
static double rangeOf(StringRef name) {
  if (name == "tanh" || name == "sin" || name == "cos" || name == "erf" ||
      name == "erfc")
    return 2;
  return name == "atan" ? std::numbers::pi * (1 + 0x1p-50) : kUnbounded;
}

std::optional<double> functionError(StringRef name, const Inexact &x) {
  const auto *found = llvm::find_if(
      kFunctions, [&](const ErrorFunction &each) { return each.name == name; });
  if (found == std::end(kFunctions))
    return std::nullopt;
  if (x.error == 0)
    return 0;
  const double reach = 2 * enlarged(x.error);
  if (!(reach < kUnbounded))
    return rangeOf(name);
  double bound = found->slope(reference::nextDown(x.value - reach),
                              reference::nextUp(x.value + reach)) *
                 (1 + 0x1p-40) * x.error;
  // Near 0 the root of a distance bounds the distance of roots.
  if (name == "sqrt" && x.value >= reach)
    bound = std::min(bound, std::sqrt(x.error) * 1.01);
  if (std::isnan(bound))
    bound = kUnbounded;
  return enlarged(std::min(bound, rangeOf(name)));
}

/// In units of the last place, for the implementation of a function.
static double unitsOf(const ErrorCall &call) {
  for (const reference::FunctionBound &bound : call.functions) {
    if (bound.function != call.name)
      continue;
    if (call.format.precision > 24)
      return bound.f64;
    // Computed in f32, and rounded once more.
    const double narrowing = std::ldexp(1.0, call.format.precision - 24);
    return bound.f32 * narrowing + (narrowing < 1 ? 0.5 : 0);
  }
  return 0.5;
}

double errorOfFunction(const ErrorCall &call) {
  const std::optional<double> error = functionError(call.name, call.x[0]);
  return error ? call.rounded(*error, unitsOf(call)) : kUnbounded;
}

} // namespace tilewright::verify::threads
