#include "runtime/emulator/numeric/Integer.h"

#include <catch2/catch.hpp>
#include <limits>
#include <random>
#include <vector>

using namespace tilewright::emulator;

// The oracle calculates in __int128, which holds every sum and all products but
// those of 64 bits; their upper halves are multiplied word by word.
__extension__ typedef __int128 Exact;

/// Ends of the range, powers of two and their neighbours, random numbers.
template <class T> static std::vector<T> operands(int randomCount) {
  std::vector<T> result = {0,
                           1,
                           2,
                           static_cast<T>(-1),
                           static_cast<T>(-2),
                           std::numeric_limits<T>::min(),
                           std::numeric_limits<T>::max()};
  constexpr int width = 8 * sizeof(T);
  for (int bit : {7, 8, 15, 16, 23, 24, 31, 32, width - 2, width - 1})
    for (int step : {-1, 0, 1})
      if (bit < width)
        result.push_back(static_cast<T>((std::uint64_t{1} << bit) + step));
  std::mt19937_64 engine(11 + width);
  for (int i = 0; i < randomCount; ++i)
    result.push_back(static_cast<T>(engine() >> (engine() % width)));
  return result;
}

/// The number of T that \p value is modulo 2^width.
template <class T> static T modulo(Exact value) {
  Exact range = Exact{1} << (8 * sizeof(T));
  Exact rest = value % range;
  if (rest < 0)
    rest += range;
  if (rest > std::numeric_limits<T>::max())
    rest -= range;
  return static_cast<T>(rest);
}

/// \p value / 2^shift, down.
static Exact floorShift(Exact value, int shift) {
  Exact unit = Exact{1} << shift;
  Exact rest = ((value % unit) + unit) % unit;
  return (value - rest) / unit;
}

static std::int32_t heldToS32(Exact value) {
  Exact low = std::numeric_limits<std::int32_t>::min();
  Exact high = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(value < low ? low
                                               : (value > high ? high : value));
}

/// Bits 64 and up of a product of 64-bit integers, word by word.
static std::uint64_t upperProduct(std::uint64_t a, std::uint64_t b) {
  std::uint64_t aLow = a & 0xFFFFFFFF, aHigh = a >> 32;
  std::uint64_t bLow = b & 0xFFFFFFFF, bHigh = b >> 32;
  std::uint64_t carried = aHigh * bLow + (aLow * bLow >> 32);
  std::uint64_t middle = (carried & 0xFFFFFFFF) + aLow * bHigh;
  return aHigh * bHigh + (carried >> 32) + (middle >> 32);
}

template <class T> static T upperHalf(T a, T b) {
  if constexpr (sizeof(T) < 8) {
    return modulo<T>(floorShift(Exact{a} * b, 8 * sizeof(T)));
  } else {
    auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    std::uint64_t upper = upperProduct(x, y);
    // A negative number is its bits less 2^64.
    if (a < 0)
      upper -= y;
    if (b < 0)
      upper -= x;
    return static_cast<T>(upper);
  }
}

TEMPLATE_TEST_CASE("Sums, products and quotients wrap", "[integer]",
                   std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                   std::int64_t, std::uint64_t) {
  using T = TestType;
  for (T a : operands<T>(40))
    for (T b : operands<T>(40)) {
      CAPTURE(a, b);
      REQUIRE(addWrapped(a, b) == modulo<T>(Exact{a} + b));
      REQUIRE(subWrapped(a, b) == modulo<T>(Exact{a} - b));
      REQUIRE(mulLo(a, b) == static_cast<T>(static_cast<std::uint64_t>(a) *
                                            static_cast<std::uint64_t>(b)));
      REQUIRE(mulHi(a, b) == upperHalf(a, b));
      if constexpr (sizeof(T) < 8)
        REQUIRE(mulWide(a, b) == modulo<Wider<T>>(Exact{a} * b));
      REQUIRE(sad(a, b, T{3}) ==
              modulo<T>(3 + (a < b ? Exact{b} - a : Exact{a} - b)));
      REQUIRE(minInteger(a, b) == (a < b ? a : b));
      REQUIRE(maxInteger(a, b) == (a < b ? b : a));
      Exact quotient = b == 0 ? Exact{-1} : Exact{a} / b;
      Exact rest = b == 0 ? Exact{-1} : Exact{a} % b;
      REQUIRE(divide(a, b) == modulo<T>(quotient));
      REQUIRE(remainder(a, b) == modulo<T>(rest));
      REQUIRE(negWrapped(a) == modulo<T>(-Exact{a}));
      REQUIRE(absWrapped(a) == modulo<T>(a < 0 ? -Exact{a} : Exact{a}));
    }
}

TEMPLATE_TEST_CASE("Carries and borrows", "[integer]", std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t) {
  using T = TestType;
  using Bits = std::make_unsigned_t<T>;
  constexpr int width = 8 * sizeof(T);
  for (T a : operands<T>(30))
    for (T b : operands<T>(30))
      for (bool carry : {false, true}) {
        Exact x = static_cast<Bits>(a), y = static_cast<Bits>(b);
        CAPTURE(a, b, carry);
        Carried<T> sum = addCarry(a, b, carry);
        REQUIRE(sum.value == modulo<T>(x + y + carry));
        REQUIRE(sum.carry == ((x + y + carry) >> width != 0));
        Carried<T> difference = subBorrow(a, b, carry);
        REQUIRE(difference.value == modulo<T>(x - y - carry));
        REQUIRE(difference.carry == (x - y - carry < 0));
        Carried<T> low = madLoCarry(a, b, a, carry);
        Exact product = static_cast<Bits>(mulLo(a, b));
        REQUIRE(low.value == modulo<T>(product + x + carry));
        REQUIRE(low.carry == ((product + x + carry) >> width != 0));
        Carried<T> high = madHiCarry(a, b, b, carry);
        product = static_cast<Bits>(upperHalf(a, b));
        REQUIRE(high.value == modulo<T>(product + y + carry));
        REQUIRE(high.carry == ((product + y + carry) >> width != 0));
      }
}

TEST_CASE("Saturation to s32", "[integer]") {
  std::vector<std::int32_t> list = operands<std::int32_t>(30);
  for (std::int32_t a : list)
    for (std::int32_t b : list) {
      CAPTURE(a, b);
      REQUIRE(addSaturated(a, b) == heldToS32(Exact{a} + b));
      REQUIRE(subSaturated(a, b) == heldToS32(Exact{a} - b));
      for (std::int32_t c : {a, INT32_MIN, INT32_MAX, 1}) {
        Exact upper = floorShift(Exact{a} * b, 32);
        REQUIRE(madHiSaturated(a, b, c) == heldToS32(upper + c));
      }
    }
  CHECK(addSaturated(INT32_MAX, 1) == INT32_MAX);
  CHECK(subSaturated(INT32_MIN, 1) == INT32_MIN);
}

/// The low 24 bits, by the signedness of T.
template <class T> static Exact low24Bits(T value) {
  Exact bits = static_cast<std::uint32_t>(value) % 0x1000000;
  return std::is_signed_v<T> && bits >= 0x800000 ? bits - 0x1000000 : bits;
}

// PTX ISA 9.7.1.5: the operands' upper bytes do not count.
TEMPLATE_TEST_CASE("24-bit products", "[integer]", std::int32_t,
                   std::uint32_t) {
  using T = TestType;
  for (T a : operands<T>(40))
    for (T b : operands<T>(40)) {
      Exact product = low24Bits(a) * low24Bits(b);
      CAPTURE(a, b);
      REQUIRE(mul24Lo(a, b) == modulo<T>(product));
      REQUIRE(mul24Hi(a, b) == modulo<T>(floorShift(product, 16)));
    }
  CHECK(mad24HiSaturated(0x7FFFFF, 0x7FFFFF, INT32_MAX) == INT32_MAX);
  CHECK(mad24HiSaturated(0x800000, 0x7FFFFF, INT32_MIN) == INT32_MIN);
  CHECK(mad24HiSaturated(0x100, 0x100, 5) == 6);
}

TEST_CASE("Dot products of bytes and half words", "[integer]") {
  using S8 = std::int8_t;
  using U8 = std::uint8_t;
  using S16 = std::int16_t;
  using U16 = std::uint16_t;
  std::uint32_t a = 0x80FF017F, b = 0xFF80037F, c = 1000;
  // a is -128 -1 1 127 or 128 255 1 127, b is -1 -128 3 127 or 255 128 3 127.
  CHECK(dp4a<S8, S8>(a, b, c) == c + 128 + 128 + 3 + 16129);
  CHECK(dp4a<U8, U8>(a, b, c) == c + 32640 + 32640 + 3 + 16129);
  CHECK(dp4a<S8, U8>(a, b, c) == c - 32640 - 128 + 3 + 16129);
  CHECK(dp4a<U8, S8>(a, b, c) == c - 128 - 32640 + 3 + 16129);
  CHECK(dp4a<U8, U8>(1, 1, 0xFFFFFFFF) == 0);
  // a is -32513 383 or 33023 383; the lower bytes of b are 127 3, the upper
  // ones -128 -1 or 128 255, of the lower element first.
  CHECK(dp2a<false, S16, S8>(a, b, c) == c + 383 * 127 - 32513 * 3);
  CHECK(dp2a<false, U16, U8>(a, b, c) == c + 383 * 127 + 33023 * 3);
  CHECK(dp2a<true, S16, S8>(a, b, c) == c - 383 * 128 + 32513);
  CHECK(dp2a<true, U16, U8>(a, b, c) == c + 383 * 128 + 33023 * 255);
  CHECK(dp2a<true, S16, U8>(a, b, c) == c + 383 * 128 - 32513 * 255);
  CHECK(dp2a<true, U16, S8>(a, b, c) == c - 383 * 128 - 33023);
}

TEST_CASE("Pairs of half words do not touch one another", "[integer]") {
  using S16 = std::int16_t;
  using U16 = std::uint16_t;
  CHECK(eachHalfWord<U16>(0x0001FFFF, 0x00020001, addWrapped<U16>) ==
        0x00030000);
  CHECK(eachHalfWord<S16>(0x80007FFF, 0xFFFF0001, addWrapped<S16>) ==
        0x7FFF8000);
  CHECK(eachHalfWord<S16>(0x8000FFFF, 0x00010001, minInteger<S16>) ==
        0x8000FFFF);
  CHECK(eachHalfWord<U16>(0x8000FFFF, 0x00010001, minInteger<U16>) ==
        0x00010001);
  CHECK(eachHalfWord<S16>(0x8000FFFF, 0x00010002, maxInteger<S16>) ==
        0x00010002);
}
