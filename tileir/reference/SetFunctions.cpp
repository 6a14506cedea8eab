// Functions of the math dialect on sets of floats.
#include "tileir/reference/Interval.h"
#include "tileir/reference/SetRules.h"
#include <algorithm>
#include <cmath>
#include <numbers>

using namespace mlir;

namespace tilewright::reference {

namespace {
enum class Shape {
  increasing,
  decreasing,
  /// Decreasing up to 0, increasing from there.
  valley,
};
/// A function, and where it is defined.
struct Function {
  const char *name;
  double (*of)(double);
  Shape shape;
  double first = -kInfinity, last = kInfinity;
  /// No implementation gives a number below.
  double bottom = -kInfinity;
};
} // namespace

static const Function kFunctions[] = {
    {"acos", std::acos, Shape::decreasing, -1, 1, 0},
    {"acosh", std::acosh, Shape::increasing, 1, kInfinity, 0},
    {"asin", std::asin, Shape::increasing, -1, 1},
    {"asinh", std::asinh, Shape::increasing},
    {"atan", std::atan, Shape::increasing},
    {"atanh", std::atanh, Shape::increasing, -1, 1},
    {"cbrt", std::cbrt, Shape::increasing},
    {"cosh", std::cosh, Shape::valley, -kInfinity, kInfinity, 0},
    {"erf", std::erf, Shape::increasing},
    {"erfc", std::erfc, Shape::decreasing, -kInfinity, kInfinity, 0},
    {"exp", std::exp, Shape::increasing, -kInfinity, kInfinity, 0},
    {"exp2", std::exp2, Shape::increasing, -kInfinity, kInfinity, 0},
    {"expm1", std::expm1, Shape::increasing},
    {"log", std::log, Shape::increasing, 0},
    {"log10", std::log10, Shape::increasing, 0},
    {"log1p", std::log1p, Shape::increasing, -1},
    {"log2", std::log2, Shape::increasing, 0},
    {"rsqrt", [](double x) { return 1 / std::sqrt(x); }, Shape::decreasing, 0},
    {"sinh", std::sinh, Shape::increasing},
    {"sqrt", std::sqrt, Shape::increasing, 0, kInfinity, 0},
    {"tanh", std::tanh, Shape::increasing},
};

/// Values of the host's library, as an interval around the exact ones.
static Permitted around(double low, double high) {
  return Permitted::numbers(looselyDown(low), looselyUp(high));
}

static Permitted monotone(const Function &function, const Permitted &x) {
  const double low = std::max(x.least, function.first);
  const double high = std::min(x.greatest, function.last);
  if (low > high)
    return Permitted::nan();
  const double a = function.of(low), b = function.of(high);
  Permitted result = around(std::min(a, b), std::max(a, b));
  if (function.shape == Shape::valley && low < 0 && high > 0)
    result.least = looselyDown(function.of(0));
  // The root of -0 is -0.
  if (function.of(0) == kInfinity && low == 0)
    result.least = -kInfinity;
  result.least = std::max(result.least, function.bottom);
  result.mayBeNaN =
      x.mayBeNaN || x.least < function.first || x.greatest > function.last;
  return result;
}

/// sin or cos, by the derivative at the middle and the bound 1 of the second
/// one.
static Permitted wave(double (*of)(double), double (*derivative)(double),
                      const Permitted &x) {
  Permitted result = Permitted::numbers(-1, 1);
  result.mayBeNaN = x.mayBeNaN || std::isinf(x.least) || std::isinf(x.greatest);
  if (result.mayBeNaN && (x.least == x.greatest))
    return Permitted::nan();
  const double radius = addUp(x.greatest, -x.least) / 2;
  if (!(radius < 2))
    return result;
  const double middle = x.least + (x.greatest - x.least) / 2;
  // The middle is rounded.
  const double distance = nextUp(
      nextUp(std::max(addUp(x.greatest, -middle), addUp(middle, -x.least))));
  const double slope = looselyUp(std::fabs(derivative(middle)));
  const double change =
      addUp(multiplyUp(slope, distance), multiplyUp(distance, distance) / 2);
  const Permitted center = around(of(middle), of(middle));
  result.least = std::max(-1.0, addDown(center.least, -change));
  result.greatest = std::min(1.0, addUp(center.greatest, change));
  return result;
}

static Permitted tangent(const Permitted &x) {
  // Further out the host's own pi decides which pole is where.
  constexpr double kFar = 1e6;
  auto branch = [](double a) { return std::floor(a / std::numbers::pi + 0.5); };
  auto isNearPole = [](double a) { return std::fabs(std::cos(a)) < 1e-9; };
  if (x.least == x.greatest && std::isfinite(x.least))
    return around(std::tan(x.least), std::tan(x.least));
  if (!(x.least > -kFar && x.greatest < kFar) || isNearPole(x.least) ||
      isNearPole(x.greatest) || branch(x.least) != branch(x.greatest))
    return {-kInfinity, kInfinity, true, false};
  Permitted result = around(std::tan(x.least), std::tan(x.greatest));
  result.mayBeNaN = x.mayBeNaN;
  return result;
}

double SetRules::unitsOf(StringRef function) const {
  const auto *found = llvm::find_if(options.functions, [&](auto &bound) {
    return bound.function == function;
  });
  if (found == options.functions.end())
    return 0.5;
  if (format.precision > 24)
    return found->f64;
  // Computed in f32, and rounded once more.
  const double narrowing = std::ldexp(1.0, format.precision - 24);
  return found->f32 * narrowing + (narrowing < 1 ? 0.5 : 0);
}

Permitted SetRules::function(StringRef name, const Permitted &x) const {
  if (x.isAny || !x.hasNumbers())
    return x;
  Permitted exact;
  const auto *found = llvm::find_if(
      kFunctions, [&](const Function &each) { return name == each.name; });
  if (found != std::end(kFunctions))
    exact = monotone(*found, x);
  else if (name == "sin")
    exact = wave(std::sin, std::cos, x);
  else if (name == "cos")
    exact = wave(std::cos, std::sin, x);
  else if (name == "tan")
    exact = tangent(x);
  else
    return Permitted::any();
  Permitted result = round(exact, unitsOf(name));
  if (found != std::end(kFunctions) && result.hasNumbers())
    result.least = std::max(result.least, found->bottom);
  return result;
}

ArrayRef<StringRef> SetRules::functions() {
  static const std::vector<StringRef> names = [] {
    std::vector<StringRef> found = {"sin", "cos", "sincos", "tan"};
    for (const Function &function : kFunctions)
      found.emplace_back(function.name);
    return found;
  }();
  return names;
}

/// A function of two operands that is monotone in each of them in this box.
static Permitted ofCorners(double (*of)(double, double), const Permitted &a,
                           const Permitted &b) {
  double low = kInfinity, high = -kInfinity;
  for (double x : {a.least, a.greatest})
    for (double y : {b.least, b.greatest}) {
      low = std::min(low, of(x, y));
      high = std::max(high, of(x, y));
    }
  Permitted result = around(low, high);
  result.mayBeNaN = a.mayBeNaN || b.mayBeNaN;
  return result;
}

static double powerOf(double x, double y) { return std::pow(x, y); }
static double angleOf(double y, double x) { return std::atan2(y, x); }

Permitted SetRules::power(const Permitted &base, const Permitted &exponent,
                          StringRef name) const {
  if (base.isAny || exponent.isAny || !base.hasNumbers() ||
      !exponent.hasNumbers())
    return Permitted::any();
  const double units = unitsOf(name);
  const bool isPoint = base.least == base.greatest &&
                       exponent.least == exponent.greatest && !base.mayBeNaN &&
                       !exponent.mayBeNaN;
  if (isPoint && std::isnan(std::pow(base.least, exponent.least)))
    return Permitted::nan();
  if (base.least > 0 || isPoint)
    return round(ofCorners(powerOf, base, exponent), units);
  const double n = exponent.least;
  const bool isNatural =
      n == exponent.greatest && n >= 1 && n == std::floor(n) && n < 0x1p53;
  if (!isNatural)
    return Permitted::any();
  // An odd power is increasing, an even one a valley.
  Permitted result = ofCorners(powerOf, base, exponent);
  if (std::fmod(n, 2) == 0 && base.greatest > 0)
    result.least = 0;
  return round(result, units);
}

Permitted SetRules::angle(const Permitted &y, const Permitted &x) const {
  if (y.isAny || x.isAny || !y.hasNumbers() || !x.hasNumbers())
    return Permitted::any();
  // On the negative axis and at 0 the signs of zeros decide.
  const bool isPoint =
      y.least == y.greatest && x.least == x.greatest && y.least != 0;
  const bool isOneSided = x.least > 0 || y.least > 0 || y.greatest < 0;
  const double units = unitsOf("atan2");
  if (isPoint || isOneSided)
    return round(ofCorners(angleOf, y, x), units);
  const double pi = nextUp(std::numbers::pi);
  return round({-pi, pi, y.mayBeNaN || x.mayBeNaN, false}, units);
}

} // namespace tilewright::reference
