#include "test/runtime/emulator/numeric/Samples.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace tilewright::emulator;
using oracle::exactly;
using oracle::ExactReal;

namespace oracle {
template <> inline constexpr Format formatOf<TF32> = tf32;
template <> inline constexpr Format formatOf<E5M2> = e5m2;
template <> inline constexpr Format formatOf<E4M3> = e4m3;
template <> inline constexpr Format formatOf<E3M2> = e3m2;
template <> inline constexpr Format formatOf<E2M3> = e2m3;
template <> inline constexpr Format formatOf<E2M1> = e2m1;
} // namespace oracle

/// The stored bits for the number \p code: tf32 is at the top of 32 bits.
template <class F> static F stored(std::uint64_t code) {
  constexpr int unused = sizeof(F) == 4 ? 13 : 0;
  return F{static_cast<decltype(F::bits)>(code << unused)};
}

static double valueOf(oracle::Dyadic number) {
  return std::ldexp(static_cast<double>(number.significand), number.exponent);
}

// PTX ISA 5.2.3: e4m3 has one NaN and no infinity, e2m3, e3m2 and e2m1 neither.
template <class F> static void checkWidening() {
  constexpr oracle::Format format = oracle::formatOf<F>;
  for (std::uint64_t code = 0; code <= format.largest; ++code) {
    auto value = static_cast<float>(valueOf(format.value(code)));
    bool equal =
        bitsOf(widen(stored<F>(code))) == bitsOf(value) &&
        bitsOf(widen(stored<F>(code | format.signBit()))) == bitsOf(-value);
    CAPTURE(code);
    if (!equal)
      REQUIRE(widen(stored<F>(code)) == value);
  }
}

TEMPLATE_TEST_CASE("Each number of a narrow format widens exactly", "[formats]",
                   Half, BFloat, TF32, E5M2, E4M3, E3M2, E2M3, E2M1) {
  checkWidening<TestType>();
}

TEST_CASE("Infinities and NaNs widen", "[formats]") {
  constexpr float infinity = __builtin_inff();
  CHECK(widen(Half{0x7C00}) == infinity);
  CHECK(widen(Half{0xFC00}) == -infinity);
  CHECK(widen(BFloat{0xFF80}) == -infinity);
  CHECK(widen(E5M2{0xFC}) == -infinity);
  CHECK(widen(TF32{0x7F800000}) == infinity);
  for (std::uint32_t bits = 0x7C01; bits < 0x8000; ++bits)
    REQUIRE(bitsOf(widen(Half{static_cast<std::uint16_t>(bits)})) ==
            0x7FFFFFFF);
  CHECK(bitsOf(widen(Half{0xFC01})) == 0x7FFFFFFF);
  CHECK(bitsOf(widen(E4M3{0x7F})) == 0x7FFFFFFF);
  CHECK(bitsOf(widen(E4M3{0xFF})) == 0x7FFFFFFF);
  CHECK(bitsOf(widen(E5M2{0x7D})) == 0x7FFFFFFF);
  CHECK(bitsOf(widen(BFloat{0x7FC1})) == 0x7FC10000);
}

TEST_CASE("Scales widen to powers of two", "[formats]") {
  for (int code = 0; code < 255; ++code)
    CHECK(widen(UE8M0{static_cast<std::uint8_t>(code)}) ==
          std::ldexp(1.0, code - 127));
  CHECK(bitsOf(widen(UE8M0{255})) == 0x7FFFFFFF);
}

/// Both results for one operand: without and with .satfinite.
template <class F, Rounding R, class Source>
static void checkOne(Source value) {
  constexpr oracle::Format format = oracle::formatOf<F>;
  // The checked numbers have few bits, so doubles compare exactly.
  double size = std::fabs(value);
  std::uint64_t expected = oracle::roundedMagnitude(
      [&](oracle::Dyadic number) {
        double other = valueOf(number);
        return (size > other) - (size < other);
      },
      std::signbit(value), format, R);
  std::uint64_t sign = std::signbit(value) ? format.signBit() : 0;
  std::uint64_t saturated = std::min(expected, format.largest);
  bool equal = narrow<F, R, Overflow::finite>(value).bits ==
               stored<F>(saturated | sign).bits;
  if constexpr (layoutOf<F>.infinity != 0)
    equal &= narrow<F, R>(value).bits == stored<F>(expected | sign).bits;
  if (equal)
    return;
  INFO(std::hexfloat << value << ", mode " << static_cast<int>(R));
  CHECK(int(narrow<F, R, Overflow::finite>(value).bits) ==
        int(stored<F>(saturated | sign).bits));
  REQUIRE(equal);
}

/// The number, the middle above it, and the neighbours of both.
template <class F, Rounding R> static void checkNear(std::uint64_t code) {
  constexpr oracle::Format format = oracle::formatOf<F>;
  double here = valueOf(format.value(code));
  double next = valueOf(format.value(code + 1));
  for (double value : {here, here + (next - here) / 2}) {
    for (double signedValue : {value, -value}) {
      auto number = static_cast<float>(signedValue);
      checkOne<F, R>(number);
      // Only what stays a finite float.
      if (std::isfinite(std::nextafter(number, 1e38f)) && code > 0) {
        checkOne<F, R>(std::nextafter(number, 0.0f));
        checkOne<F, R>(std::nextafter(number, number * 2));
      }
      checkOne<F, R>(signedValue);
      checkOne<F, R>(std::nextafter(signedValue, 0.0));
      checkOne<F, R>(std::nextafter(signedValue, signedValue * 2));
    }
  }
}

template <class F, Rounding R> static void checkNarrowing() {
  constexpr oracle::Format format = oracle::formatOf<F>;
  std::uint64_t step = sizeof(F) == 4 ? 61 : 1;
  for (std::uint64_t code = 0; code <= format.largest; code += step)
    checkNear<F, R>(code);
  checkNear<F, R>(format.largest);
  for (float edge : samples::finiteEdges<float>())
    checkOne<F, R>(edge);
  for (double edge : samples::finiteEdges<double>())
    checkOne<F, R>(edge);
  samples::Random<float> random(5);
  for (int i = 0; i < 3000; ++i)
    checkOne<F, R>(random());
}

TEMPLATE_TEST_CASE("Narrowing rounds once in each mode", "[formats]", Half,
                   BFloat, TF32, E5M2, E4M3, E3M2, E2M3, E2M1) {
  checkNarrowing<TestType, Rounding::nearestEven>();
  checkNarrowing<TestType, Rounding::towardZero>();
  checkNarrowing<TestType, Rounding::down>();
  checkNarrowing<TestType, Rounding::up>();
  checkNarrowing<TestType, Rounding::nearestAway>();
}

// PTX ISA 9.7.9.21, .satfinite: infinity is beyond the largest number; NaN
// stays NaN or, where there is none, becomes the largest number.
TEST_CASE("Infinities and NaNs narrow", "[formats]") {
  constexpr Rounding R = Rounding::nearestEven;
  constexpr Rounding Z = Rounding::towardZero;
  constexpr Overflow S = Overflow::finite;
  float infinity = __builtin_inff(), nan = fromBits<float>(0xFF800001);
  CHECK(narrow<Half>(infinity).bits == 0x7C00);
  CHECK(narrow<Half, Z>(-infinity).bits == 0xFC00);
  CHECK(narrow<Half, R, S>(-infinity).bits == 0xFBFF);
  CHECK(narrow<Half>(nan).bits == 0x7FFF);
  CHECK(narrow<Half, R, S>(nan).bits == 0x7FFF);
  CHECK(narrow<Half>(double{nan}).bits == 0x7FFF);
  CHECK(narrow<Half>(double{-infinity}).bits == 0xFC00);
  CHECK(narrow<BFloat, Z>(infinity).bits == 0x7F80);
  CHECK(narrow<BFloat, Rounding::down>(nan).bits == 0x7FFF);
  CHECK(narrow<TF32, Rounding::nearestAway>(infinity).bits == 0x7F800000);
  CHECK(narrow<TF32, Rounding::nearestAway>(nan).bits == 0x7FFFE000);
  CHECK(narrow<E4M3, R, S>(infinity).bits == 0x7E);
  CHECK(narrow<E4M3, R, S>(-infinity).bits == 0xFE);
  CHECK(narrow<E4M3, R, S>(nan).bits == 0x7F);
  CHECK(narrow<E5M2, R, S>(infinity).bits == 0x7B);
  CHECK(narrow<E5M2, R, S>(nan).bits == 0x7F);
  CHECK(narrow<E3M2, R, S>(-infinity).bits == 0x3F);
  CHECK(narrow<E3M2, R, S>(nan).bits == 0x1F);
  CHECK(narrow<E2M3, R, S>(nan).bits == 0x1F);
  CHECK(narrow<E2M1, R, S>(nan).bits == 0x7);
  CHECK(narrow<E2M1, R, S>(-infinity).bits == 0xF);
}

// Without a sign: the magnitude counts. 2^-127 is the least scale.
TEST_CASE("Scales narrow to a power of two", "[formats]") {
  constexpr Overflow I = Overflow::infinite, S = Overflow::finite;
  constexpr Rounding Z = Rounding::towardZero, U = Rounding::up;
  for (int code = 1; code < 255; ++code) {
    auto power = static_cast<float>(std::ldexp(1.0, code - 127));
    float above = std::nextafter(power, __builtin_inff());
    CHECK(int(narrowToScale<Z, S>(power).bits) == code);
    CHECK(int(narrowToScale<U, S>(-power).bits) == code);
    CHECK(int(narrowToScale<Z, I>(-above).bits) == code);
    CHECK(int(narrowToScale<U, I>(above).bits) == code + 1);
  }
  CHECK(int(narrowToScale<Z, S>(0.0f).bits) == 0);
  CHECK(int(narrowToScale<U, S>(0x1p-149f).bits) == 0);
  CHECK(int(narrowToScale<U, S>(0x1p-127f).bits) == 0);
  CHECK(int(narrowToScale<U, S>(0x1.1p-127f).bits) == 1);
  CHECK(int(narrowToScale<Z, S>(0x1.1p-127f).bits) == 0);
  CHECK(int(narrowToScale<U, S>(0x1.8p127f).bits) == 254);
  CHECK(int(narrowToScale<U, I>(0x1.8p127f).bits) == 255);
  CHECK(int(narrowToScale<Z, S>(__builtin_inff()).bits) == 254);
  CHECK(int(narrowToScale<Z, I>(__builtin_inff()).bits) == 255);
  CHECK(int(narrowToScale<Z, S>(__builtin_nanf("")).bits) == 255);
}
