#include "runtime/emulator/numeric/Approximate.h"
#include "test/runtime/emulator/numeric/Samples.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

using namespace tilewright::emulator;
using A = Approximate;

static constexpr float infinity = __builtin_inff();
static constexpr float nan32 = __builtin_nanf("");

/// The oracle: the host's functions of long double, whose errors are far below
/// 2^-60.
static long double exactValue(A function, long double a, long double b) {
  switch (function) {
  case A::ex2:
    return std::exp2(a);
  case A::lg2:
    return std::log2(a);
  case A::sin:
    return std::sin(a);
  case A::cos:
    return std::cos(a);
  case A::tanh:
    return std::tanh(a);
  case A::rcp:
    return 1 / a;
  case A::sqrt:
    return std::sqrt(a);
  case A::rsqrt:
    return 1 / std::sqrt(a);
  case A::div:
  case A::divFull:
    return a / b;
  }
  return 0;
}

/// The last place (ulp) of the float nearest to \p value.
static long double ulpOf(long double value) {
  auto nearest = static_cast<float>(value);
  int exponent = nearest == 0 ? -126 : std::ilogb(nearest);
  return std::ldexp(1.0L, std::max(exponent, -126) - 23);
}

/// The greatest error that PTX ISA 9.7.3 allows on f32.
static long double allowedError(A function, long double value, float a) {
  long double size = std::fabs(value);
  switch (function) {
  case A::ex2:
  case A::div:
  case A::divFull:
    return 2 * ulpOf(value);
  case A::rcp:
    return ulpOf(value);
  case A::lg2:
    return a > 0.5f && a < 2 ? 0x1p-22L : size * 0x1p-22L;
  case A::sin:
  case A::cos:
    return std::pow(2.0L, std::fabs(a) < 6.2831853f ? -20.5L : -14.7L);
  case A::tanh:
    return size * 0x1p-11L;
  case A::sqrt:
    return size * 0x1p-23L;
  case A::rsqrt:
    return size * std::pow(2.0L, -22.9L);
  }
  return 0;
}

/// Operands over which the function is neither constant nor special.
static std::vector<float> operands(A function, int count) {
  std::mt19937_64 engine(static_cast<unsigned>(function) + 1);
  std::vector<float> result;
  while (result.size() < static_cast<std::size_t>(count)) {
    auto bits = static_cast<std::uint32_t>(engine());
    bool positive =
        function == A::lg2 || function == A::sqrt || function == A::rsqrt;
    float value = fromBits<float>(positive ? bits >> 1 : bits);
    // Half of them near one.
    if (result.size() % 2)
      value = fromBits<float>(
          (bits & 0x80FFFFFF) % (positive ? 0x80000000u : ~0u) + 0x3F000000);
    if (function == A::ex2 && result.size() % 4 == 1)
      value = (bits >> 8) * 0x1p-16f - 128;
    if (!std::isfinite(value) || value == 0)
      continue;
    if (positive && value < 0)
      continue;
    result.push_back(value);
  }
  return result;
}

template <A O> static void checkNearest() {
  std::vector<float> list = operands(O, 40000);
  for (std::size_t i = 0; i < list.size(); ++i) {
    float a = list[i], b = list[(i * 17 + 1) % list.size()];
    if (O == A::div && std::fabs(b) > 0x1p126f)
      continue;
    long double exact = exactValue(O, a, b);
    double accurate = accurateValue<O>(a, b);
    float nearest = static_cast<float>(exact);
    bool close = std::fabs(accurate - exact) <= std::fabs(exact) * 0x1p-49L;
    // Beyond float it need only be beyond.
    if (std::fabs(exact) < 0x1p-200L || std::fabs(exact) > 0x1p200L)
      close = true;
    if (close && bitsOf(approximate<O>(a, b)) == bitsOf(nearest))
      continue;
    INFO(std::hexfloat << a << ", " << b);
    REQUIRE(close);
    REQUIRE(bitsOf(approximate<O>(a, b)) == bitsOf(nearest));
  }
}

TEST_CASE("Approximate functions give the nearest float", "[approximate]") {
  checkNearest<A::ex2>();
  checkNearest<A::lg2>();
  checkNearest<A::sin>();
  checkNearest<A::cos>();
  checkNearest<A::tanh>();
  checkNearest<A::rcp>();
  checkNearest<A::sqrt>();
  checkNearest<A::rsqrt>();
  checkNearest<A::div>();
  checkNearest<A::divFull>();
}

template <A O, class T> static void checkEachSmall() {
  constexpr oracle::Format format = oracle::formatOf<T>;
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    T a = fromBits<T>(static_cast<std::uint16_t>(code));
    T found = approximate<O>(a);
    if (isNan(a)) {
      REQUIRE(found.bits == 0x7FFF);
      continue;
    }
    long double exact = exactValue(O, widen(a), 1);
    std::uint64_t expected = oracle::roundedMagnitude(
        [&](oracle::Dyadic number) {
          auto other = std::ldexp(static_cast<long double>(number.significand),
                                  number.exponent);
          return (std::fabs(exact) > other) - (std::fabs(exact) < other);
        },
        std::signbit(exact), format, oracle::Rounding::nearestEven);
    if (std::signbit(exact))
      expected |= format.signBit();
    CAPTURE(code);
    if (found.bits != expected)
      REQUIRE(found.bits == expected);
  }
}

// PTX ISA 9.7.4.9, 9.7.4.10.
TEST_CASE("Each f16 and bf16 number by ex2 and tanh", "[approximate]") {
  checkEachSmall<A::ex2, Half>();
  checkEachSmall<A::tanh, Half>();
  checkEachSmall<A::ex2, BFloat>();
  checkEachSmall<A::tanh, BFloat>();
}

/// f32 results by their bits, any NaN as the canonical one.
template <A O> static void checkSpecial(float a, float expected, float b = 1) {
  std::uint32_t bits = std::isnan(expected) ? 0x7FFFFFFF : bitsOf(expected);
  CAPTURE(static_cast<int>(O), a, b);
  a = samples::opaque(a);
  b = samples::opaque(b);
  CHECK(bitsOf(approximate<O>(a, b)) == bits);
  CHECK(bitsOf(perturbed<O>(a, b, 7)) == bits);
}

// The tables of special values in PTX ISA 9.7.3.8 and 9.7.3.13 to 9.7.3.22.
TEST_CASE("Special values", "[approximate]") {
  float tiny = 0x1p-149f;
  for (float sign : {1.0f, -1.0f}) {
    checkSpecial<A::rcp>(sign * infinity, sign * 0.0f);
    checkSpecial<A::rcp>(sign * 0.0f, sign * infinity);
    checkSpecial<A::sqrt>(sign * 0.0f, sign * 0.0f);
    checkSpecial<A::rsqrt>(sign * 0.0f, sign * infinity);
    checkSpecial<A::ex2>(sign * 0.0f, 1);
    checkSpecial<A::ex2>(sign * tiny, 1);
    checkSpecial<A::lg2>(sign * 0.0f, -infinity);
    checkSpecial<A::sin>(sign * 0.0f, sign * 0.0f);
    checkSpecial<A::sin>(sign * infinity, nan32);
    checkSpecial<A::cos>(sign * 0.0f, 1);
    checkSpecial<A::cos>(sign * infinity, nan32);
    checkSpecial<A::tanh>(sign * 0.0f, sign * 0.0f);
    checkSpecial<A::tanh>(sign * tiny, sign * tiny);
    checkSpecial<A::tanh>(sign * 0x0.fffffep-126f, sign * 0x0.fffffep-126f);
    checkSpecial<A::tanh>(sign * infinity, sign);
    checkSpecial<A::div>(1.0f, sign * infinity, sign * 0.0f);
    checkSpecial<A::div>(1.0f, sign * 0.0f, sign * 0x1.000002p126f);
    checkSpecial<A::div>(sign * infinity, nan32, 0x1p127f);
    checkSpecial<A::div>(sign * infinity, nan32, infinity);
    checkSpecial<A::divFull>(1.0f, sign * infinity, sign * 0.0f);
    checkSpecial<A::divFull>(sign * infinity, sign * infinity, 0x1p127f);
  }
  checkSpecial<A::sqrt>(infinity, infinity);
  checkSpecial<A::sqrt>(-infinity, nan32);
  checkSpecial<A::sqrt>(-1, nan32);
  checkSpecial<A::rsqrt>(infinity, 0);
  checkSpecial<A::rsqrt>(-infinity, nan32);
  checkSpecial<A::rsqrt>(-tiny, nan32);
  checkSpecial<A::ex2>(-infinity, 0);
  checkSpecial<A::ex2>(infinity, infinity);
  checkSpecial<A::ex2>(128, infinity);
  checkSpecial<A::lg2>(infinity, infinity);
  checkSpecial<A::lg2>(-infinity, nan32);
  checkSpecial<A::lg2>(-tiny, nan32);
  checkSpecial<A::div>(0, nan32, 0);
}

TEST_CASE("NaN operands of approximate functions", "[approximate]") {
  float nan = fromBits<float>(0xFF800001);
  checkSpecial<A::ex2>(nan, nan32);
  checkSpecial<A::lg2>(nan, nan32);
  checkSpecial<A::sin>(nan, nan32);
  checkSpecial<A::cos>(nan, nan32);
  checkSpecial<A::tanh>(nan, nan32);
  checkSpecial<A::rcp>(nan, nan32);
  checkSpecial<A::sqrt>(nan, nan32);
  checkSpecial<A::rsqrt>(nan, nan32);
  checkSpecial<A::div>(nan, nan32, 2);
  checkSpecial<A::div>(2, nan32, nan);
  checkSpecial<A::divFull>(2, nan32, nan);
}

/// Results other than \p O's nearest float: within the manual's bound, decided
/// by the seed, and far enough from the exact value to be of use.
template <A O> static void checkPerturbed() {
  std::vector<float> list = operands(O, 4000);
  long double farthest = 0;
  int different = 0, count = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    float a = list[i], b = list[(i * 17 + 1) % list.size()];
    if (O == A::div && !(std::fabs(b) <= 0x1p126f && std::fabs(b) >= 0x1p-126f))
      continue;
    float nearest = approximate<O>(a, b);
    long double exact = exactValue(O, a, b);
    long double bound = allowedError(O, exact, a);
    for (std::uint64_t seed : {1, 2}) {
      float found = perturbed<O>(a, b, seed);
      REQUIRE(bitsOf(found) == bitsOf(perturbed<O>(a, b, seed)));
      REQUIRE(std::isfinite(found) == std::isfinite(nearest));
      if (!std::isfinite(nearest))
        continue;
      long double error = std::fabs(found - exact);
      INFO(std::hexfloat << a << ", " << b << ": " << found);
      if (found != nearest && error > bound * 1.0000001L)
        REQUIRE(error <= bound);
      farthest = std::max(farthest, error / bound);
      different += found != perturbed<O>(a, b, seed + 2);
      ++count;
    }
  }
  CAPTURE(static_cast<int>(O), different, count);
  CHECK(farthest > 0.9L);
  CHECK(different > count / 8);
}

TEST_CASE("Perturbed results keep to the manual's bounds", "[approximate]") {
  checkPerturbed<A::ex2>();
  checkPerturbed<A::lg2>();
  checkPerturbed<A::sin>();
  checkPerturbed<A::cos>();
  checkPerturbed<A::tanh>();
  checkPerturbed<A::rcp>();
  checkPerturbed<A::sqrt>();
  checkPerturbed<A::rsqrt>();
  checkPerturbed<A::div>();
  checkPerturbed<A::divFull>();
}

// Two units in the last place below 2^-149 would be a negative number.
TEST_CASE("A perturbed power stays positive", "[approximate]") {
  for (float a = -152; a < -146; a += 0x1p-6f) {
    float found = perturbed<A::ex2>(a, 1, 3);
    CAPTURE(a, found);
    CHECK_FALSE(std::signbit(found));
  }
}

/// The manual's bounds on f16 and bf16, relative for ex2, absolute for tanh.
template <A O, class T> static void checkSmallPerturbed(long double bound) {
  int different = 0;
  for (std::uint32_t code = 0; code < 0x10000; code += 7) {
    T a = fromBits<T>(static_cast<std::uint16_t>(code));
    float nearest = widen(approximate<O>(a));
    float found = widen(perturbed<O>(a, std::uint64_t{5}));
    REQUIRE(std::isfinite(found) == std::isfinite(nearest));
    if (!std::isfinite(nearest) || found == nearest)
      continue;
    long double exact = exactValue(O, widen(a), 1);
    long double error = std::fabs(found - exact);
    CAPTURE(code);
    REQUIRE(error <= (O == A::ex2 ? bound * exact : bound));
    ++different;
  }
  CHECK(different > 50);
}

TEST_CASE("Perturbed f16 and bf16 keep to the bounds", "[approximate]") {
  checkSmallPerturbed<A::ex2, Half>(std::pow(2.0L, -9.9L));
  checkSmallPerturbed<A::ex2, BFloat>(0x1p-7L);
  checkSmallPerturbed<A::tanh, Half>(std::pow(2.0L, -10.987L));
  checkSmallPerturbed<A::tanh, BFloat>(0x1p-8L);
}

// PTX ISA 9.7.3.14 and 9.7.3.17: the lower words neither count nor are made.
TEST_CASE("Approximations of f64", "[approximate]") {
  double inf = __builtin_inf(), tiny = 0x1p-1060;
  std::uint64_t nan = 0x7FFFFFFF00000000;
  for (double sign : {1.0, -1.0}) {
    CHECK(bitsOf(rcpApproxFtz(sign * inf)) == bitsOf(sign * 0.0));
    CHECK(rcpApproxFtz(sign * 0.0) == sign * inf);
    CHECK(rcpApproxFtz(sign * tiny) == sign * inf);
    // The inverse is subnormal.
    CHECK(bitsOf(rcpApproxFtz(sign * 0x1.8p1023)) == bitsOf(sign * 0.0));
    CHECK(rcpApproxFtz(sign * 4) == sign * 0.25);
    CHECK(rsqrtApproxFtz(sign * 0.0) == sign * inf);
    CHECK(rsqrtApproxFtz(sign * tiny) == sign * inf);
    CHECK(rsqrtApprox(sign * 0.0) == sign * inf);
  }
  CHECK(bitsOf(rcpApproxFtz(__builtin_nan(""))) == nan);
  CHECK(bitsOf(rsqrtApproxFtz(__builtin_nan(""))) == nan);
  CHECK(bitsOf(rsqrtApproxFtz(-inf)) == nan);
  CHECK(bitsOf(rsqrtApproxFtz(-1)) == nan);
  CHECK(bitsOf(rsqrtApproxFtz(inf)) == 0);
  CHECK(rsqrtApproxFtz(16) == 0.25);
  CHECK(bitsOf(rsqrtApprox(inf)) == 0);
  CHECK(isNan(rsqrtApprox(-1)));
  CHECK(bitsOf(approximate<A::ex2>(-151.0f)) == 0);
  CHECK(bitsOf(approximate<A::ex2>(-150.0f)) == 0);
  CHECK(bitsOf(approximate<A::ex2>(-149.0f)) == 1);
  CHECK(bitsOf(rcpApproxFtz(3)) == 0x3FD5555500000000);
  CHECK(bitsOf(rcpApproxFtz(5)) == 0x3FC9999A00000000);
  CHECK(bitsOf(rcpApproxFtz(fromBits<double>(0x40080000FFFFFFFF))) ==
        0x3FD5555500000000);
  std::mt19937_64 engine(8);
  for (int i = 0; i < 1000; ++i) {
    double a = fromBits<double>((engine() >> 2) + 0x2000000000000000);
    double exact = fromBits<double>(bitsOf(a) >> 32 << 32);
    REQUIRE(std::fabs(rcpApproxFtz(a) * exact - 1) < 0x1p-20);
    REQUIRE((bitsOf(rcpApproxFtz(a)) & 0xFFFFFFFF) == 0);
    long double root = 1 / std::sqrt(static_cast<long double>(exact));
    REQUIRE(std::fabs(rsqrtApproxFtz(a) / root - 1) < 0x1p-20L);
    root = 1 / std::sqrt(static_cast<long double>(a));
    REQUIRE(std::fabs(rsqrtApprox(a) / root - 1) <= 0x1.0001p-52L);
  }
}
