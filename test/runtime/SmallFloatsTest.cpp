#include "runtime/cpu/SmallFloats.h"
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

using namespace tilewright::runtime;

/// The value of a half, by the definition of the format.
static double valueOf(uint16_t bits, int exponentBits, int fractionBits) {
  int exponent = bits >> fractionBits & ((1 << exponentBits) - 1);
  double fraction = bits & ((1 << fractionBits) - 1);
  int bias = (1 << (exponentBits - 1)) - 1;
  double scaled = std::ldexp(fraction, -fractionBits);
  double magnitude = exponent == 0 ? std::ldexp(scaled, 1 - bias)
                                   : std::ldexp(1 + scaled, exponent - bias);
  return bits >> 15 ? -magnitude : magnitude;
}

/// Checks the conversion at each finite number, at each midpoint between
/// neighbours (ties to even) and a little to either side of it.
static void checkRounding(uint16_t (*convert)(double), int exponentBits,
                          int fractionBits) {
  uint16_t infinity = uint16_t(((1 << exponentBits) - 1) << fractionBits);
  for (uint16_t bits = 0; bits < infinity; ++bits) {
    double here = valueOf(bits, exponentBits, fractionBits);
    // The step beyond the largest number counts as a number.
    double next = bits + 1 == infinity
                      ? std::ldexp(1.0, 1 << (exponentBits - 1))
                      : valueOf(uint16_t(bits + 1), exponentBits, fractionBits);
    double middle = here + (next - here) / 2;
    auto up = uint16_t(bits + 1);
    bool good = convert(here) == bits && convert(-here) == (bits | 0x8000) &&
                convert(middle) == (bits & 1 ? up : bits) &&
                convert(std::nextafter(middle, 0)) == bits &&
                convert(std::nextafter(middle, 1e300)) == up;
    if (!good) {
      INFO(bits);
      REQUIRE(good);
    }
  }
}

TEST_CASE("half: every number and every tie rounds right") {
  checkRounding(halfFromDouble, 5, 10);
}

TEST_CASE("bfloat: every number and every tie rounds right") {
  checkRounding(bfloatFromDouble, 8, 7);
}

TEST_CASE("infinities, NaNs and extremes convert") {
  double infinity = std::numeric_limits<double>::infinity();
  CHECK(halfFromDouble(infinity) == 0x7c00);
  CHECK(halfFromDouble(-infinity) == 0xfc00);
  CHECK(halfFromDouble(1e308) == 0x7c00);
  CHECK(halfFromDouble(-5e-324) == 0x8000);
  CHECK(bfloatFromDouble(-infinity) == 0xff80);
  CHECK((halfFromDouble(std::nan("")) & 0x7e00) == 0x7e00);
  CHECK((bfloatFromDouble(std::nan("")) & 0x7fc0) == 0x7fc0);
  // A signalling NaN stays a NaN.
  CHECK((halfFromDouble(std::bit_cast<double>(0x7ff0000000000001ull)) &
         0x7e00) == 0x7e00);
}

TEST_CASE("half and bfloat convert to float exactly") {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    auto half = uint16_t(bits);
    bool special = (bits & 0x7c00) == 0x7c00;
    float wide = floatFromHalf(half);
    bool good = special ? std::isnan(wide) == ((bits & 0x3ff) != 0)
                        : double(wide) == valueOf(half, 5, 10);
    good &= std::signbit(wide) == (bits >> 15 != 0);
    if (!(bits & 0x3ff) || !special)
      good &= halfFromDouble(wide) == half;
    INFO(bits);
    if (!good)
      REQUIRE(good);
    if ((bits & 0x7f80) != 0x7f80)
      if (double(floatFromBfloat(half)) != valueOf(half, 8, 7))
        FAIL("bfloat");
  }
}
