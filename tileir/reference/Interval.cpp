#include "tileir/reference/Interval.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>

namespace tilewright::reference {

double nextDown(double x) {
  return std::isinf(x) ? x : std::nextafter(x, -kInfinity);
}

double nextUp(double x) {
  return std::isinf(x) ? x : std::nextafter(x, kInfinity);
}

/// `result` is rounded to nearest from finite operands, and `error` has the
/// sign of what is missing.
static double roundDown(double result, double error) {
  if (result == kInfinity)
    return DBL_MAX;
  return error < 0 ? nextDown(result) : result;
}

/// What is missing from the sum `a + b`: exact (Knuth).
static double sumError(double a, double b, double sum) {
  const double second = sum - a;
  return (a - (sum - second)) + (b - second);
}

double addDown(double a, double b) {
  const double sum = a + b;
  if (std::isinf(a) || std::isinf(b))
    return std::isnan(sum) ? -kInfinity : sum;
  return roundDown(sum, std::isinf(sum) ? 0 : sumError(a, b, sum));
}

double addUp(double a, double b) { return -addDown(-a, -b); }

/// Below this the error of a product or quotient may not be a double.
static constexpr double kTiny = 0x1p-900;

double multiplyDown(double a, double b) {
  if (a == 0 || b == 0)
    return 0;
  const double product = a * b;
  if (std::isinf(a) || std::isinf(b))
    return product;
  if (std::fabs(product) < kTiny)
    return nextDown(product);
  return roundDown(product, std::isinf(product) ? 0 : std::fma(a, b, -product));
}

double multiplyUp(double a, double b) { return -multiplyDown(-a, b); }

double divideDown(double a, double b) {
  if (a == 0 || (std::isinf(a) && std::isinf(b)))
    return 0;
  const double quotient = a / b;
  if (std::isinf(a))
    return quotient;
  if (std::isinf(b))
    return 0;
  if (std::fabs(quotient) < kTiny || std::fabs(a) < kTiny)
    return nextDown(quotient);
  if (std::isinf(quotient))
    return roundDown(quotient, 0);
  // The rest has the sign of what is missing, times that of b.
  const double rest = std::fma(-quotient, b, a);
  return roundDown(quotient, b > 0 ? rest : -rest);
}

double divideUp(double a, double b) { return -divideDown(-a, b); }

double powerOfTwoIn(double number) {
  const auto bits = std::bit_cast<uint64_t>(number);
  const uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  const int exponent = int(bits >> 52 & 0x7ff);
  const int position = fraction == 0 ? 52 : std::countr_zero(fraction);
  return std::ldexp(1.0, std::max(exponent, 1) - 1075 + position);
}

double looselyDown(double x) {
  for (int i = 0; i < 4; ++i)
    x = nextDown(x);
  return x;
}

double looselyUp(double x) { return -looselyDown(-x); }

void ExactSum::add(double term) {
  const double next = total + term;
  const double lost = sumError(total, term, next);
  total = next;
  rest += lost;
  lostSize = addUp(lostSize, std::fabs(lost));
  ++count;
}

} // namespace tilewright::reference
