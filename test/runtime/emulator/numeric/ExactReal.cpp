#include "test/runtime/emulator/numeric/ExactReal.h"

#include <cmath>

namespace oracle {

Dyadic exactly(double value) {
  int exponent;
  double fraction = std::frexp(value, &exponent);
  return {static_cast<std::int64_t>(std::ldexp(fraction, 53)), exponent - 53};
}

Dyadic times(Dyadic a, Dyadic b) {
  return {a.significand * b.significand, a.exponent + b.exponent};
}

Dyadic minus(Dyadic a) { return {-a.significand, a.exponent}; }

ExactReal &ExactReal::add(Dyadic value) {
  if (value.significand == 0)
    return *this;
  int position = value.exponent - lowest;
  Int128 rest = value.significand;
  // The first limb gets the bits above its bit `position % 32`.
  std::uint64_t carry = 0;
  auto limb = static_cast<std::size_t>(position / 32);
  int shift = position % 32;
  auto addend = static_cast<std::uint32_t>(rest << shift);
  rest >>= 32 - shift;
  for (; limb < limbs.size(); ++limb) {
    carry += std::uint64_t{limbs[limb]} + addend;
    limbs[limb] = static_cast<std::uint32_t>(carry);
    carry >>= 32;
    addend = static_cast<std::uint32_t>(rest);
    rest >>= 32; // ends in all zeros or, if negative, all ones
  }
  return *this;
}

int ExactReal::sign() const {
  if (limbs.back() >> 31)
    return -1;
  for (std::uint32_t limb : limbs)
    if (limb != 0)
      return 1;
  return 0;
}

Dyadic Format::value(std::uint64_t magnitude) const {
  std::uint64_t hidden = std::uint64_t{1} << fractionBits;
  std::uint64_t field = magnitude >> fractionBits;
  std::uint64_t fraction = magnitude & (hidden - 1);
  int bias = (1 << (exponentBits - 1)) - 1;
  int exponent = static_cast<int>(field ? field : 1) - bias - fractionBits;
  return {static_cast<Int128>(field ? fraction | hidden : fraction), exponent};
}

/// The largest code whose value is not above the number.
static std::uint64_t codeBelow(const Comparison &comparison, Format format) {
  std::uint64_t low = 0, high = format.largest + 1;
  while (low < high) {
    std::uint64_t middle = low + (high - low + 1) / 2;
    if (comparison(format.value(middle)) >= 0)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

std::uint64_t roundedMagnitude(const Comparison &comparison, bool negative,
                               Format format, Rounding mode) {
  std::uint64_t below = codeBelow(comparison, format);
  bool finite = below <= format.largest;
  bool inexact = !finite || comparison(format.value(below)) > 0;
  // One fraction bit more has a code for the middle between two.
  Format finer = {format.exponentBits, format.fractionBits + 1, 0};
  int half = finite ? comparison(finer.value(2 * below + 1)) : 1;
  bool away = false;
  switch (mode) {
  case Rounding::nearestEven:
    away = half > 0 || (half == 0 && (below & 1));
    break;
  case Rounding::nearestAway:
    away = half >= 0;
    break;
  case Rounding::towardZero:
    break;
  case Rounding::down:
    away = negative && inexact;
    break;
  case Rounding::up:
    away = !negative && inexact;
    break;
  }
  if (!finite)
    return format.largest + away;
  return below + away;
}

std::uint64_t rounded(const ExactReal &value, Format format, Rounding mode) {
  int sign = value.sign();
  if (sign == 0)
    return mode == Rounding::down ? format.signBit() : 0;
  Comparison comparison = [&](Dyadic other) {
    ExactReal difference = value;
    return sign * difference.add(sign > 0 ? minus(other) : other).sign();
  };
  std::uint64_t magnitude =
      roundedMagnitude(comparison, sign < 0, format, mode);
  return sign < 0 ? magnitude | format.signBit() : magnitude;
}

} // namespace oracle
