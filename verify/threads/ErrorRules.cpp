#include "verify/threads/ErrorRules.h"

#include "tileir/reference/Element.h"
#include "tileir/reference/HostFormats.h"
#include "tileir/reference/Interval.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tilewright::reference;

namespace tilewright::verify::threads {

//===--- Formats ----------------------------------------------------------===//

template <typename F> static double loadAs(uint64_t bits) {
  return double(F::load(bits));
}

NumberFormat::NumberFormat(FloatType type)
    : type(type), bitsOfType(type.getWidth()) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  precision = int(APFloat::semanticsPrecision(semantics));
  leastExponent = APFloat::semanticsMinExponent(semantics);
  APFloat largest = APFloat::getLargest(semantics);
  bool isLost = false;
  largest.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &isLost);
  this->largest = largest.convertToDouble();
  overflow = this->largest * (1 + std::ldexp(0.5, -precision));
  convert = type.isF32()    ? loadAs<F32Format>
            : type.isF64()  ? loadAs<F64Format>
            : type.isF16()  ? loadAs<F16Format>
            : type.isBF16() ? loadAs<BF16Format>
                            : nullptr;
}

double NumberFormat::load(uint64_t bits) const {
  if (convert)
    return convert(bits);
  return Element::fromBits(type, APInt(bitsOfType, bits)).toDouble();
}

double NumberFormat::unit(double size) const {
  // The largest f64 has no room above it.
  if (!(size < overflow) || std::isinf(size))
    return kUnbounded;
  const int exponent = int(std::bit_cast<uint64_t>(size) >> 52 & 0x7ff) - 1023;
  return std::ldexp(1.0, std::max(exponent, leastExponent) - precision + 1);
}

double NumberFormat::leastNormal() const {
  return std::ldexp(1.0, leastExponent);
}

//===--- Rounding ---------------------------------------------------------===//

bool ErrorCall::isExact() const {
  return llvm::all_of(x, [](const Inexact &each) { return each.error == 0; });
}

double ErrorCall::rounded(double error, double units) const {
  return enlarged(error +
                  units * format.unit(std::fabs(made) + 2 * enlarged(error)));
}

/// Of a result whose operands are exact, as is `exact` plus at most `rest`:
/// what rounding lost.
static double knownError(const ErrorCall &call, double exact, double rest) {
  if (exact == call.made && rest == 0)
    return 0;
  const double known = addUp(std::fabs(call.made - exact), std::fabs(rest));
  return enlarged(std::min(known, call.rounded(0)));
}

double errorOfRounding(const ErrorCall &call) {
  if (call.isExact())
    return knownError(call, call.x[0].value, 0);
  return call.rounded(call.x[0].error);
}

/// a + b - sum, which is rounded from it.
static double restOfSum(double a, double b, double sum) {
  const double second = sum - a;
  return (a - (sum - second)) + (b - second);
}

static double errorOfSum(const ErrorCall &call, double b) {
  const double a = call.x[0].value;
  if (call.isExact())
    return knownError(call, a + b, restOfSum(a, b, a + b));
  return call.rounded(call.x[0].error + call.x[1].error);
}

double errorOfSum(const ErrorCall &call) {
  return errorOfSum(call, call.x[1].value);
}
double errorOfDifference(const ErrorCall &call) {
  return errorOfSum(call, -call.x[1].value);
}

double productError(const Inexact &a, const Inexact &b) {
  if (a.error == 0 && b.error == 0)
    return 0;
  auto times = [](double x, double y) { return x == 0 || y == 0 ? 0 : x * y; };
  return enlarged(times(a.size(), b.error) + times(b.size(), a.error) +
                  3 * times(a.error, b.error));
}

/// Below this the rest of a product may be no f64.
static constexpr double kTiny = 0x1p-900;

static double restOfProduct(double a, double b, double product) {
  if (a == 0 || b == 0)
    return 0;
  return std::fabs(product) < kTiny ? kTiny : std::fma(a, b, -product);
}

double errorOfProduct(const ErrorCall &call) {
  const Inexact &a = call.x[0], &b = call.x[1];
  const double product = a.value * b.value;
  if (call.isExact())
    return knownError(call, product, restOfProduct(a.value, b.value, product));
  return call.rounded(productError(a, b));
}

double errorOfMultiplyAdd(const ErrorCall &call) {
  const Inexact &a = call.x[0], &b = call.x[1], &c = call.x[2];
  if (!call.isExact())
    return call.rounded(productError(a, b) + c.error);
  const double product = a.value * b.value, sum = product + c.value;
  const double rest = addUp(std::fabs(restOfProduct(a.value, b.value, product)),
                            std::fabs(restOfSum(product, c.value, sum)));
  return knownError(call, sum, rest);
}

double quotientError(const Inexact &a, const Inexact &b) {
  if (a.error == 0 && b.error == 0)
    return 0;
  const double least = b.size() - 2 * enlarged(b.error);
  if (!(least > 0))
    return kUnbounded;
  const double quotient = (a.size() + a.error) / least;
  return enlarged((a.error + quotient * b.error) / least);
}

double errorOfQuotient(const ErrorCall &call) {
  const Inexact &a = call.x[0], &b = call.x[1];
  if (call.isExact() && std::fma(call.made, b.value, -a.value) == 0 &&
      a.size() > kTiny)
    return 0;
  return call.rounded(quotientError(a, b));
}

double greatestError(const ErrorCall &call) {
  double greatest = 0;
  for (const Inexact &each : call.x)
    greatest = std::max(greatest, each.error);
  return greatest;
}

double errorOfInverseProduct(const ErrorCall &call) {
  return call.rounded(quotientError(call.x[0], call.x[1]), 1.75);
}

double errorOfExtremum(const ErrorCall &call) {
  const Inexact &a = call.x[0], &b = call.x[1];
  // The same one on each device.
  const double reach = enlarged(2 * (a.error + b.error));
  if (std::fabs(a.value - b.value) > reach)
    return (call.made == a.value ? a : b).error;
  return std::max(a.error, b.error);
}

/// floor(x) and the like: monotone, and exact.
template <double (*fn)(double)>
static double errorOfIntegral(const ErrorCall &call) {
  const Inexact &x = call.x[0];
  const double reach = 2 * enlarged(x.error);
  return fn(x.value + reach) - fn(x.value - reach);
}

/// The sign is that of a number which may have another one.
static double errorOfCopySign(const ErrorCall &call) {
  const Inexact &size = call.x[0], &sign = call.x[1];
  if (sign.error == 0 || sign.size() > 2 * sign.error)
    return size.error;
  return enlarged(2 * size.size() + 3 * size.error);
}

/// The rest of a division has the size of the dividend at most.
static double errorOfRemainder(const ErrorCall &call) {
  return call.isExact() ? 0 : kUnbounded;
}

static double errorOfPower(const ErrorCall &call) {
  const Inexact &base = call.x[0], &exponent = call.x[1];
  double units = 0.5;
  for (const FunctionBound &bound : call.functions)
    if (bound.function == "powf")
      units = call.format.precision > 24 ? bound.f64 : bound.f32;
  if (call.isExact())
    return call.rounded(0, units);
  const double low = base.value - 2 * enlarged(base.error);
  const double high = base.value + 2 * enlarged(base.error);
  const double y = exponent.value;
  // x^y changes by y x^(y - 1) with x.
  if (exponent.error == 0 && (low > 0 || (y >= 1 && y == std::floor(y)))) {
    const double far = std::max(std::fabs(low), std::fabs(high));
    const double steepest =
        std::fabs(y) * std::pow(y < 1 ? low : far, y - 1) * (1 + 0x1p-40);
    return call.rounded(enlarged(steepest * base.error), units);
  }
  if (!(low > 0))
    return kUnbounded;
  // x^y = exp(y log x).
  const double logs =
      std::max(std::fabs(std::log(low)), std::fabs(std::log(high)));
  const double change = logs * exponent.error +
                        (std::fabs(y) + 2 * exponent.error) * base.error / low;
  const double largest = std::max(std::pow(low, y), std::pow(high, y)) *
                         std::exp(2 * logs * exponent.error);
  return call.rounded(enlarged(largest * std::expm1(change) * (1 + 0x1p-40)),
                      units);
}

ErrorRule errorRuleOf(StringRef name) {
  if (functionError(name, {}))
    return errorOfFunction;
  return llvm::StringSwitch<ErrorRule>(name)
      .Case("addf", errorOfSum)
      .Case("subf", errorOfDifference)
      .Case("mulf", errorOfProduct)
      .Case("divf", errorOfQuotient)
      .Case("remf", errorOfRemainder)
      .Case("fma", errorOfMultiplyAdd)
      .Cases({"maximumf", "minimumf", "maxnumf", "minnumf"}, errorOfExtremum)
      .Case("clampf", greatestError)
      .Cases({"negf", "absf", "extf"}, greatestError)
      .Case("truncf", errorOfRounding)
      .Case("floor", errorOfIntegral<std::floor>)
      .Case("ceil", errorOfIntegral<std::ceil>)
      .Case("trunc", errorOfIntegral<std::trunc>)
      .Case("round", errorOfIntegral<std::round>)
      .Case("roundeven", errorOfIntegral<std::nearbyint>)
      .Case("copysign", errorOfCopySign)
      .Cases({"powf", "fpowi"}, errorOfPower)
      .Default(nullptr);
}

} // namespace tilewright::verify::threads
