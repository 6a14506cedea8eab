#include "runtime/emulator/numeric/BitField.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

using namespace tilewright::emulator;

// The oracle works bit by bit, by the pseudocode of the manual.

template <class T> static std::vector<T> patterns() {
  constexpr int width = 8 * sizeof(T);
  std::vector<T> result = {0,
                           1,
                           static_cast<T>(-1),
                           static_cast<T>(0x5A3C),
                           static_cast<T>(std::uint64_t{1} << (width - 1)),
                           static_cast<T>(~(std::uint64_t{1} << (width - 1)))};
  std::mt19937_64 engine(width);
  for (int i = 0; i < 12; ++i) {
    auto random = engine();
    result.push_back(static_cast<T>(random));
    result.push_back(static_cast<T>(random >> (64 - 1 - i * 5 % width)));
  }
  return result;
}

/// Amounts within and beyond every width.
static const std::vector<std::uint32_t> amounts = {
    0,  1,  2,  7,  8,   15,  16,  17,  23,  24,  31,         32,        33,
    40, 47, 63, 64, 100, 127, 128, 200, 255, 256, 0x80000000, 0xFFFFFFFF};

/// Bit \p position, of which there may be more than T has: its sign, or 0.
template <class T> static bool bitAt(T value, std::uint64_t position) {
  constexpr std::uint64_t width = 8 * sizeof(T);
  if (position >= width)
    return value < 0;
  using Bits = std::make_unsigned_t<T>;
  return static_cast<Bits>(value) >> position & 1;
}

template <class T, class Bit> static T fromEachBit(Bit bit) {
  using Bits = std::make_unsigned_t<T>;
  Bits result = 0;
  for (std::uint64_t i = 0; i < 8 * sizeof(T); ++i)
    result = static_cast<Bits>(result | static_cast<Bits>(bit(i) ? 1 : 0) << i);
  return static_cast<T>(result);
}

TEMPLATE_TEST_CASE("Shifts clamp their amount", "[bits]", std::int16_t,
                   std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                   std::uint64_t) {
  for (TestType a : patterns<TestType>())
    for (std::uint32_t amount : amounts) {
      CAPTURE(a, amount);
      REQUIRE(shiftLeft(a, amount) ==
              fromEachBit<TestType>([&](std::uint64_t i) {
                return i >= amount && bitAt(a, i - amount);
              }));
      REQUIRE(shiftRight(a, amount) ==
              fromEachBit<TestType>(
                  [&](std::uint64_t i) { return bitAt(a, i + amount); }));
    }
}

TEST_CASE("Funnel shifts", "[bits]") {
  std::vector<std::uint32_t> words = patterns<std::uint32_t>();
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    for (std::uint32_t amount : amounts) {
      std::uint32_t a = words[i], b = words[i + 1];
      auto bit = [&](std::uint64_t at) {
        return at < 32 ? bitAt(a, at) : bitAt(b, at - 32);
      };
      auto left = [&](std::uint32_t n) {
        return fromEachBit<std::uint32_t>(
            [&](std::uint64_t at) { return bit(32 + at - n); });
      };
      auto right = [&](std::uint32_t n) {
        return fromEachBit<std::uint32_t>(
            [&](std::uint64_t at) { return bit(at + n); });
      };
      std::uint32_t clamped = std::min(amount, 32u), wrapped = amount % 32;
      CAPTURE(a, b, amount);
      REQUIRE(funnelLeft<Wrap::clamp>(a, b, amount) == left(clamped));
      REQUIRE(funnelLeft<Wrap::wrap>(a, b, amount) == left(wrapped));
      REQUIRE(funnelRight<Wrap::clamp>(a, b, amount) == right(clamped));
      REQUIRE(funnelRight<Wrap::wrap>(a, b, amount) == right(wrapped));
    }
}

// PTX ISA 9.7.1.19: the sign is that of the field, or of a where the field
// extends beyond it.
TEMPLATE_TEST_CASE("bfe", "[bits]", std::int32_t, std::uint32_t, std::int64_t,
                   std::uint64_t) {
  constexpr std::uint32_t msb = 8 * sizeof(TestType) - 1;
  for (TestType a : patterns<TestType>())
    for (std::uint32_t position : amounts)
      for (std::uint32_t length : amounts) {
        std::uint32_t pos = position & 0xFF, len = length & 0xFF;
        bool sign = std::is_signed_v<TestType> && len != 0 &&
                    bitAt(a, std::min(pos + len - 1, msb));
        CAPTURE(a, position, length);
        REQUIRE(extractField(a, position, length) ==
                fromEachBit<TestType>([&](std::uint64_t i) {
                  return i < len && pos + i <= msb ? bitAt(a, pos + i) : sign;
                }));
      }
}

// PTX ISA 9.7.1.20.
TEMPLATE_TEST_CASE("bfi", "[bits]", std::uint32_t, std::uint64_t) {
  std::vector<TestType> words = patterns<TestType>();
  for (std::size_t k = 0; k + 1 < words.size(); ++k)
    for (std::uint32_t position : amounts)
      for (std::uint32_t length : amounts) {
        TestType a = words[k], b = words[k + 1];
        std::uint32_t pos = position & 0xFF, len = length & 0xFF;
        CAPTURE(a, b, position, length);
        REQUIRE(insertField(a, b, position, length) ==
                fromEachBit<TestType>([&](std::uint64_t i) {
                  return i >= pos && i < pos + len ? bitAt(a, i - pos)
                                                   : bitAt(b, i);
                }));
      }
}

template <class T> static std::uint32_t highestBitThatIsNotSign(T a) {
  for (int i = 8 * sizeof(T) - 1; i >= 0; --i)
    if (bitAt(a, static_cast<std::uint64_t>(i)) != (a < 0))
      return static_cast<std::uint32_t>(i);
  return 0xFFFFFFFF;
}

TEMPLATE_TEST_CASE("bfind", "[bits]", std::int32_t, std::uint32_t, std::int64_t,
                   std::uint64_t) {
  constexpr std::uint32_t msb = 8 * sizeof(TestType) - 1;
  for (TestType pattern : patterns<TestType>())
    for (std::uint32_t shift = 0; shift <= msb; ++shift) {
      auto a = static_cast<TestType>(pattern >> shift);
      std::uint32_t highest = highestBitThatIsNotSign(a);
      CAPTURE(a);
      REQUIRE(findLeading(a) == highest);
      REQUIRE(findLeadingShift(a) ==
              (highest == 0xFFFFFFFF ? highest : msb - highest));
    }
}

TEMPLATE_TEST_CASE("popc, clz, brev", "[bits]", std::uint32_t, std::uint64_t) {
  constexpr std::uint32_t width = 8 * sizeof(TestType);
  for (TestType pattern : patterns<TestType>())
    for (std::uint32_t shift = 0; shift < width; ++shift) {
      TestType a = pattern >> shift;
      std::uint32_t ones = 0;
      for (std::uint32_t i = 0; i < width; ++i)
        ones += bitAt(a, i);
      CAPTURE(a);
      REQUIRE(countOnes(a) == ones);
      // Of 0 the highest bit is -1.
      REQUIRE(countLeadingZeros(a) == width - 1 - highestBitThatIsNotSign(a));
      REQUIRE(reverseBits(a) == fromEachBit<TestType>([&](std::uint64_t i) {
                return bitAt(a, width - 1 - i);
              }));
    }
}

/// The pseudocode of PTX ISA 9.7.1.17.
static std::uint32_t nthSet(std::uint32_t mask, int base, int offset) {
  int position = base;
  int step = 1, count = offset - 1;
  if (offset < 0) {
    step = -1;
    count = -offset - 1;
  } else if (offset == 0) {
    count = 0;
    step = 0;
  }
  while (position >= 0 && position < 32) {
    if (bitAt(mask, static_cast<std::uint64_t>(position))) {
      if (count == 0)
        return static_cast<std::uint32_t>(position);
      --count;
    }
    if (step == 0)
      break;
    position += step;
  }
  return 0xFFFFFFFF;
}

TEST_CASE("fns", "[bits]") {
  for (std::uint32_t mask : patterns<std::uint32_t>())
    for (int base = 0; base < 32; ++base)
      for (int offset = -34; offset <= 34; ++offset) {
        CAPTURE(mask, base, offset);
        REQUIRE(findNthSet(mask, static_cast<std::uint32_t>(base), offset) ==
                nthSet(mask, base, offset));
      }
  CHECK(findNthSet(~0u, 5, INT32_MIN) == 0xFFFFFFFF);
  CHECK(findNthSet(~0u, 5, INT32_MAX) == 0xFFFFFFFF);
  CHECK(findNthSet(~0u, 32, -1) == 0xFFFFFFFF);
}

// PTX ISA 9.7.1.22, 9.7.1.21.
TEST_CASE("bmsk and szext", "[bits]") {
  for (std::uint32_t a : amounts)
    for (std::uint32_t b : amounts) {
      CAPTURE(a, b);
      REQUIRE(bitMask<Wrap::clamp>(a, b) ==
              fromEachBit<std::uint32_t>([&](std::uint64_t i) {
                return i >= a && i < std::uint64_t{a} + b;
              }));
      REQUIRE(bitMask<Wrap::wrap>(a, b) ==
              fromEachBit<std::uint32_t>([&](std::uint64_t i) {
                return i >= a % 32 && i < a % 32 + b % 32;
              }));
    }
  for (std::uint32_t a : patterns<std::uint32_t>())
    for (std::uint32_t width : amounts) {
      auto extendedFrom = [&](std::uint32_t n, bool isSigned) {
        bool sign = isSigned && n != 0 && bitAt(a, std::min(n, 32u) - 1);
        return fromEachBit<std::uint32_t>(
            [&](std::uint64_t i) { return i < n ? bitAt(a, i) : sign; });
      };
      auto s = static_cast<std::int32_t>(a);
      CAPTURE(a, width);
      REQUIRE(extendFrom<Wrap::clamp>(a, width) == extendedFrom(width, false));
      REQUIRE(extendFrom<Wrap::wrap>(a, width) ==
              extendedFrom(width % 32, false));
      REQUIRE(static_cast<std::uint32_t>(extendFrom<Wrap::clamp>(s, width)) ==
              extendedFrom(width, true));
      REQUIRE(static_cast<std::uint32_t>(extendFrom<Wrap::wrap>(s, width)) ==
              extendedFrom(width % 32, true));
    }
}

// PTX ISA 9.7.8.6: the table is the function on 0xF0, 0xCC and 0xAA.
TEST_CASE("lop3", "[bits]") {
  std::mt19937 engine(4);
  for (std::uint32_t table = 0; table < 256; ++table) {
    std::uint32_t a = engine(), b = engine(), c = engine();
    CAPTURE(table);
    REQUIRE(logicOf3(a, b, c, table) ==
            fromEachBit<std::uint32_t>([&](std::uint64_t i) {
              return bitAt(table, std::uint64_t{bitAt(a, i)} * 4 +
                                      bitAt(b, i) * 2 + bitAt(c, i));
            }));
    REQUIRE(logicOf3(0xF0, 0xCC, 0xAA, table) % 256 == table);
  }
  CHECK(logicOf3(0xF0F0, 0xCCCC, 0xAAAA, 0x1A) ==
        (((0xF0F0u & 0xCCCCu) | 0xAAAAu) ^ 0xF0F0u));
}

/// Bytes \p selectors (the lowest first) of 0x7766554433221100, as 0x00 to
/// 0x77.
template <PermuteMode M>
static void checkFixed(std::uint32_t c, std::uint32_t expected) {
  CAPTURE(static_cast<int>(M), c);
  CHECK(permute<M>(0x33221100, 0x77665544, c) == expected);
  CHECK(permute<M>(0x33221100, 0x77665544, c | 0xFFFFFFFC) == expected);
}

// The table of PTX ISA 9.7.9.7, its rows written out.
TEST_CASE("prmt", "[bits]") {
  using P = PermuteMode;
  const std::uint32_t f4e[] = {0x33221100, 0x44332211, 0x55443322, 0x66554433};
  const std::uint32_t b4e[] = {0x55667700, 0x66770011, 0x77001122, 0x00112233};
  const std::uint32_t rc8[] = {0x00000000, 0x11111111, 0x22222222, 0x33333333};
  const std::uint32_t ecl[] = {0x33221100, 0x33221111, 0x33222222, 0x33333333};
  const std::uint32_t ecr[] = {0x00000000, 0x11111100, 0x22221100, 0x33221100};
  const std::uint32_t rc16[] = {0x11001100, 0x33223322, 0x11001100, 0x33223322};
  for (std::uint32_t c = 0; c < 4; ++c) {
    checkFixed<P::forward4>(c, f4e[c]);
    checkFixed<P::backward4>(c, b4e[c]);
    checkFixed<P::replicate8>(c, rc8[c]);
    checkFixed<P::edgeClampLeft>(c, ecl[c]);
    checkFixed<P::edgeClampRight>(c, ecr[c]);
    checkFixed<P::replicate16>(c, rc16[c]);
  }
  CHECK(permute<P::index>(0x33221100, 0x77665544, 0x5410) == 0x55441100);
  CHECK(permute<P::index>(0x33221100, 0x77665544, 0xFFFF7654) == 0x77665544);
  // Bit 3 of a selector takes the sign of its byte, eight times.
  CHECK(permute<P::index>(0x00008000, 0x80000000, 0x89F7) == 0x00FFFF80);
  CHECK(permute<P::index>(0x00008000, 0x80000000, 0x19A8) == 0x80FF0000);
}
