#include "runtime/emulator/numeric/Conversion.h"
#include "test/runtime/emulator/numeric/Samples.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace tilewright::emulator;
using oracle::Dyadic;
using oracle::ExactReal;
using oracle::Int128;
using samples::finiteEdges;

/// \p value, of a magnitude below 2^100, rounded to an integer.
static Int128 roundedInteger(double value, Rounding mode) {
  Dyadic number = oracle::exactly(value);
  if (number.exponent >= 0)
    return number.significand << number.exponent;
  if (number.exponent < -100)
    number = {(number.significand > 0) - (number.significand < 0), -100};
  Int128 unit = Int128{1} << -number.exponent;
  Int128 rest = ((number.significand % unit) + unit) % unit;
  Int128 below = (number.significand - rest) / unit;
  if (rest == 0)
    return below;
  switch (mode) {
  case Rounding::towardZero:
    return value < 0 ? below + 1 : below;
  case Rounding::down:
    return below;
  case Rounding::up:
    return below + 1;
  default:
    return 2 * rest > unit || (2 * rest == unit && below % 2 != 0) ? below + 1
                                                                   : below;
  }
}

/// Numbers at and near the middles and ends of integer types, and the edges.
template <class T> static std::vector<T> nearIntegers() {
  std::vector<T> result = finiteEdges<T>();
  using Bits = typename FloatBits<T>::Bits;
  std::vector<double> numbers = {0.5, 1.5, 2.5, 3.5, 99.5, 100.75, 1e6 + 0.5};
  for (int bit : {7, 8, 15, 16, 22, 23, 24, 31, 32, 52, 53, 63, 64})
    for (double step : {-1.0, -0.5, 0.0, 0.5, 1.0})
      numbers.push_back(std::ldexp(1.0, bit) + step);
  for (double number : numbers)
    for (double signedNumber : {number, -number}) {
      T value;
      if constexpr (sizeof(T) == 2)
        value = narrow<T>(signedNumber);
      else
        value = static_cast<T>(signedNumber);
      Bits bits = bitsOf(value);
      if ((bits & FloatBits<T>::infinity) == FloatBits<T>::infinity)
        continue;
      for (Bits neighbour : {Bits(bits - 1), bits, Bits(bits + 1)})
        if ((neighbour & FloatBits<T>::infinity) != FloatBits<T>::infinity)
          result.push_back(fromBits<T>(neighbour));
    }
  samples::Random<T> random(23);
  for (int i = 0; i < 300; ++i)
    result.push_back(random());
  return result;
}

template <class I, Rounding R, class T> static void checkToInteger(T value) {
  constexpr Int128 low = std::numeric_limits<I>::min();
  constexpr Int128 high = std::numeric_limits<I>::max();
  double number = hosted(value);
  Int128 expected = number < 0 ? low : high;
  if (std::fabs(number) < 0x1p90)
    expected = std::clamp(roundedInteger(number, R), low, high);
  if (Int128{toInteger<I, R>(value)} == expected)
    return;
  INFO(std::hexfloat << number << ", mode " << static_cast<int>(R));
  REQUIRE(toInteger<I, R>(value) == static_cast<I>(expected));
}

template <class I, class T> static void checkToIntegers() {
  for (T value : nearIntegers<T>()) {
    checkToInteger<I, Rounding::nearestEven>(value);
    checkToInteger<I, Rounding::towardZero>(value);
    checkToInteger<I, Rounding::down>(value);
    checkToInteger<I, Rounding::up>(value);
  }
  // PTX ISA 9.7.9.21: out of range clamps, so infinities too. NaN becomes 0, or
  // the highest bit if one of the types has 64 bits.
  constexpr Rounding R = Rounding::towardZero;
  T infinity = fromBits<T>(FloatBits<T>::infinity);
  T minus = fromBits<T>(FloatBits<T>::infinity | FloatBits<T>::sign);
  T nan = fromBits<T>(FloatBits<T>::infinity | 1 | FloatBits<T>::sign);
  CHECK(toInteger<I, R>(infinity) == std::numeric_limits<I>::max());
  CHECK(toInteger<I, R>(minus) == std::numeric_limits<I>::min());
  bool wide = sizeof(T) == 8 || sizeof(I) == 8;
  auto top = static_cast<I>(std::uint64_t{1} << (8 * sizeof(I) - 1));
  CHECK(toInteger<I, R>(nan) == (wide ? top : I{0}));
}

TEMPLATE_TEST_CASE("Floats to integers", "[conversion]", float, double, Half,
                   BFloat) {
  checkToIntegers<std::int8_t, TestType>();
  checkToIntegers<std::uint8_t, TestType>();
  checkToIntegers<std::int16_t, TestType>();
  checkToIntegers<std::uint16_t, TestType>();
  checkToIntegers<std::int32_t, TestType>();
  checkToIntegers<std::uint32_t, TestType>();
  checkToIntegers<std::int64_t, TestType>();
  checkToIntegers<std::uint64_t, TestType>();
}

template <class T, Rounding R, class I> static void checkFromInteger(I value) {
  constexpr oracle::Format format = oracle::formatOf<T>;
  std::uint64_t expected =
      value == 0
          ? 0
          : oracle::rounded(ExactReal().add({Int128{value}, 0}), format, R);
  if (bitsOf(fromInteger<T, R>(value)) == expected)
    return;
  INFO("of " << sizeof(I) << " bytes, mode " << static_cast<int>(R));
  CAPTURE(value);
  REQUIRE(std::uint64_t{bitsOf(fromInteger<T, R>(value))} == expected);
}

template <class I, class T> static void checkFromIntegers() {
  std::vector<I> values = {0, 1, 2, std::numeric_limits<I>::min(),
                           std::numeric_limits<I>::max()};
  constexpr int width = 8 * sizeof(I);
  // Near the middles between two numbers of a format.
  for (int bit = 1; bit < width; ++bit)
    for (int fraction : {7, 10, 23, 52}) {
      std::uint64_t power = std::uint64_t{1} << bit;
      std::uint64_t half = bit > fraction ? power >> (fraction + 1) : 0;
      for (std::uint64_t base : {power, power + half, power + 3 * half})
        for (int step : {-1, 0, 1}) {
          values.push_back(static_cast<I>(base + step));
          values.push_back(static_cast<I>(0 - (base + step)));
        }
    }
  std::mt19937_64 engine(9);
  for (int i = 0; i < 300; ++i)
    values.push_back(static_cast<I>(engine() >> (engine() % width)));
  for (I value : values) {
    checkFromInteger<T, Rounding::nearestEven>(value);
    checkFromInteger<T, Rounding::towardZero>(value);
    checkFromInteger<T, Rounding::down>(value);
    checkFromInteger<T, Rounding::up>(value);
  }
}

TEMPLATE_TEST_CASE("Integers to floats", "[conversion]", float, double, Half,
                   BFloat) {
  checkFromIntegers<std::int8_t, TestType>();
  checkFromIntegers<std::uint8_t, TestType>();
  checkFromIntegers<std::int16_t, TestType>();
  checkFromIntegers<std::uint16_t, TestType>();
  checkFromIntegers<std::int32_t, TestType>();
  checkFromIntegers<std::uint32_t, TestType>();
  checkFromIntegers<std::int64_t, TestType>();
  checkFromIntegers<std::uint64_t, TestType>();
}

template <Rounding R, class T> static void checkIntegral(T value) {
  double number = hosted(value);
  // From 2^53 on all numbers are integers.
  double expected = number;
  if (std::fabs(number) < 0x1p53)
    expected =
        std::copysign(static_cast<double>(roundedInteger(number, R)), number);
  T found = roundedToIntegral<R>(value);
  bool negative = (bitsOf(found) & FloatBits<T>::sign) != 0;
  if (hosted(found) == expected && negative == std::signbit(number))
    return;
  INFO(std::hexfloat << number << ", mode " << static_cast<int>(R));
  REQUIRE(hosted(found) == expected);
  REQUIRE(negative == std::signbit(number));
}

TEMPLATE_TEST_CASE("Rounding to an integer within a type", "[conversion]",
                   float, double, Half, BFloat) {
  using T = TestType;
  for (T value : nearIntegers<T>()) {
    checkIntegral<Rounding::nearestEven>(value);
    checkIntegral<Rounding::towardZero>(value);
    checkIntegral<Rounding::down>(value);
    checkIntegral<Rounding::up>(value);
  }
  T infinity = fromBits<T>(FloatBits<T>::infinity);
  T nan = fromBits<T>(FloatBits<T>::infinity | 1);
  CHECK(bitsOf(roundedToIntegral<Rounding::up>(infinity)) == bitsOf(infinity));
  CHECK(bitsOf(roundedToIntegral<Rounding::up>(nan)) ==
        (sizeof(T) == 8 ? 0x7FF8000000000001 : FloatBits<T>::nan));
}

template <Rounding R> static void checkF64ToF32() {
  for (double value : nearIntegers<double>()) {
    std::uint64_t expected = oracle::rounded(
        ExactReal().add(oracle::exactly(value)), oracle::f32, R);
    if (value == 0)
      expected = std::signbit(value) ? 0x80000000 : 0;
    INFO(std::hexfloat << value << ", mode " << static_cast<int>(R));
    CHECK(bitsOf(convert<float, R>(value)) == expected);
  }
  samples::Random<float> random(29);
  for (int i = 0; i < 3000; ++i) {
    // Between two floats: at the middle and next to it and to the ends.
    double low = random();
    double next = std::nextafter(static_cast<float>(low), 0.0f);
    double middle = low + (next - low) / 2;
    for (double value :
         {low, std::nextafter(low, next), middle, std::nextafter(middle, low),
          std::nextafter(middle, next)}) {
      if (value == 0)
        continue;
      std::uint64_t expected = oracle::rounded(
          ExactReal().add(oracle::exactly(value)), oracle::f32, R);
      if (bitsOf(convert<float, R>(value)) == expected)
        continue;
      INFO(std::hexfloat << value << ", mode " << static_cast<int>(R));
      REQUIRE(std::uint64_t{bitsOf(convert<float, R>(value))} == expected);
    }
  }
}

TEST_CASE("f64 to f32", "[conversion]") {
  checkF64ToF32<Rounding::nearestEven>();
  checkF64ToF32<Rounding::towardZero>();
  checkF64ToF32<Rounding::down>();
  checkF64ToF32<Rounding::up>();
  double nan = fromBits<double>(0xFFF0000000000001);
  CHECK(bitsOf(convert<float, Rounding::up>(nan)) == 0x7FFFFFFF);
  CHECK(convert<float, Rounding::towardZero>(-HUGE_VAL) == -HUGE_VALF);
}

// What narrows to 16 bits is FormatsTest's.
TEST_CASE("Floats to wider and equal floats", "[conversion]") {
  constexpr Rounding R = Rounding::nearestEven;
  CHECK(convert<double, R>(1.5f) == 1.5);
  CHECK(convert<double, R>(0x1p-149f) == 0x1p-149);
  CHECK(convert<double, R>(Half{0x0001}) == 0x1p-24);
  CHECK(convert<float, R>(Half{0xC200}) == -3);
  CHECK(convert<float, R>(BFloat{0x4049}) == 3.140625f);
  CHECK(convert<Half, R>(BFloat{0x4049}).bits == 0x4248);
  CHECK(convert<BFloat, Rounding::up>(Half{0x3C01}).bits == 0x3F81);
  CHECK(convert<Half, Rounding::down>(1.0 + 0x1p-40).bits == 0x3C00);
  CHECK(convert<Half, Rounding::up>(1.0 + 0x1p-40).bits == 0x3C01);
  CHECK(bitsOf(convert<float, R>(Half{0xFE00})) == 0x7FFFFFFF);
}

template <class To, class From> static void checkSaturation() {
  constexpr Int128 low = std::numeric_limits<To>::min();
  constexpr Int128 high = std::numeric_limits<To>::max();
  for (int bit = 0; bit < 64; ++bit)
    for (std::uint64_t step : {~std::uint64_t{0}, std::uint64_t{0}})
      for (std::uint64_t sign : {std::uint64_t{0}, ~std::uint64_t{0}}) {
        auto value =
            static_cast<From>(((std::uint64_t{1} << bit) + step) ^ sign);
        Int128 expected = std::clamp(Int128{value}, low, high);
        CAPTURE(value);
        REQUIRE(saturatedInteger<To>(value) == static_cast<To>(expected));
        auto bits = static_cast<std::uint64_t>(value);
        REQUIRE(convertInteger<To>(value) == static_cast<To>(bits));
      }
}
template <class To> static void checkSaturations() {
  checkSaturation<To, std::int8_t>();
  checkSaturation<To, std::uint8_t>();
  checkSaturation<To, std::int16_t>();
  checkSaturation<To, std::uint16_t>();
  checkSaturation<To, std::int32_t>();
  checkSaturation<To, std::uint32_t>();
  checkSaturation<To, std::int64_t>();
  checkSaturation<To, std::uint64_t>();
}

TEMPLATE_TEST_CASE("Integers to integers", "[conversion]", std::int8_t,
                   std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t) {
  checkSaturations<TestType>();
}

// PTX ISA 9.7.9.21: operand a goes to the upper half.
TEST_CASE("Packed elements", "[conversion]") {
  std::uint32_t halves = pack(Half{0x3C00}, Half{0xC000});
  CHECK(halves == 0x3C00C000);
  CHECK(upperOf<Half>(halves).bits == 0x3C00);
  CHECK(lowerOf<Half>(halves).bits == 0xC000);
  CHECK(pack(E4M3{0x12}, E4M3{0x84}) == 0x1284);
  CHECK(upperOf<E4M3>(0x1284).bits == 0x12);
  CHECK(lowerOf<E4M3>(0x1284).bits == 0x84);
  CHECK(pack(E2M1{0x7}, E2M1{0xA}) == 0x7A);
  CHECK(upperOf<E2M1>(0x7A).bits == 0x7);
  CHECK(lowerOf<E2M1>(0x7A).bits == 0xA);
}
