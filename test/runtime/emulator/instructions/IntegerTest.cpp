// Integer arithmetic: PTX section 9.7.1.
#include "test/runtime/emulator/instructions/Probe.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace instructions;

namespace {

/// What a register of T keeps of a number.
template <class T> T wrapped(Int128 value) { return T(uint64_t(value)); }
template <class T> T clamped(Int128 value) {
  Int128 least = std::numeric_limits<T>::min();
  Int128 most = std::numeric_limits<T>::max();
  return T(value < least ? least : value > most ? most : value);
}
template <class T> constexpr unsigned width = 8 * sizeof(T);

template <class T> std::string nameOf() {
  return (std::is_signed_v<T> ? "s" : "u") + std::to_string(width<T>);
}

template <class F> void forWords(F function) {
  function(uint16_t{});
  function(uint32_t{});
  function(uint64_t{});
  function(int16_t{});
  function(int32_t{});
  function(int64_t{});
}

/// `function` on both halves.
template <class T, class F> auto onHalves(F function) {
  return [function](uint32_t a, uint32_t b) -> uint32_t {
    uint16_t low = uint16_t(function(T(a), T(b)));
    uint16_t high = uint16_t(function(T(a >> 16), T(b >> 16)));
    return uint32_t{high} << 16 | low;
  };
}

/// Bits 63..0, or upwards from the middle, of a product.
template <class T> Int128 product(T a, T b) { return Int128(a) * b; }
template <> Int128 product(uint64_t a, uint64_t b) {
  return Int128(Bits(a) * b);
}
template <class T> T high(T a, T b) { return T(product(a, b) >> width<T>); }

/// The lower 24 bits, as the type has them.
template <class T> Int128 of24(T value) {
  Int128 low = value & 0xFFFFFF;
  return std::is_signed_v<T> && low >> 23 ? low - (1 << 24) : low;
}

} // namespace

TEST_CASE("add, sub, mul, mad", "[9.7.1]") {
  forWords([](auto t) {
    using T = decltype(t);
    std::string type = nameOf<T>();
    check("add." + type, [](T a, T b) { return wrapped<T>(Int128(a) + b); });
    check("sub." + type, [](T a, T b) { return wrapped<T>(Int128(a) - b); });
    check("mul.lo." + type, [](T a, T b) { return T(product(a, b)); });
    check("mul.hi." + type, [](T a, T b) { return high(a, b); });
    check("mad.lo." + type,
          [](T a, T b, T c) { return T(Bits(product(a, b)) + Bits(c)); });
    check("mad.hi." + type,
          [](T a, T b, T c) { return wrapped<T>(Int128(high(a, b)) + c); });
  });
  check("add.sat.s32",
        [](int32_t a, int32_t b) { return clamped<int32_t>(Int128(a) + b); });
  check("sub.sat.s32",
        [](int32_t a, int32_t b) { return clamped<int32_t>(Int128(a) - b); });
  check("mad.hi.sat.s32", [](int32_t a, int32_t b, int32_t c) {
    return clamped<int32_t>(Int128(high(a, b)) + c);
  });
  check("add.u16x2", onHalves<uint16_t>([](auto a, auto b) { return a + b; }));
  check("add.s16x2", onHalves<int16_t>([](auto a, auto b) { return a + b; }));
}

TEST_CASE("mul.wide, mad.wide", "[9.7.1]") {
  check("mul.wide.u16", [](uint16_t a, uint16_t b) { return uint32_t{a} * b; });
  check("mul.wide.s16", [](int16_t a, int16_t b) { return int32_t{a} * b; });
  check("mul.wide.u32", [](uint32_t a, uint32_t b) { return uint64_t{a} * b; });
  check("mul.wide.s32", [](int32_t a, int32_t b) { return int64_t{a} * b; });
  check("mad.wide.u16",
        [](uint16_t a, uint16_t b, uint32_t c) { return uint32_t{a} * b + c; });
  check("mad.wide.s16", [](int16_t a, int16_t b, int32_t c) {
    return wrapped<int32_t>(Int128{a} * b + c);
  });
  check("mad.wide.u32",
        [](uint32_t a, uint32_t b, uint64_t c) { return uint64_t{a} * b + c; });
  check("mad.wide.s32", [](int32_t a, int32_t b, int64_t c) {
    return wrapped<int64_t>(Int128{a} * b + c);
  });
}

template <class T> static void check24(const std::string &type) {
  check("mul24.lo." + type, [](T a, T b) { return T(of24(a) * of24(b)); });
  check("mul24.hi." + type,
        [](T a, T b) { return T(of24(a) * of24(b) >> 16); });
  check("mad24.lo." + type,
        [](T a, T b, T c) { return T(of24(a) * of24(b) + c); });
  check("mad24.hi." + type, [](T a, T b, T c) {
    return wrapped<T>(Int128(T(of24(a) * of24(b) >> 16)) + c);
  });
}
TEST_CASE("mul24, mad24", "[9.7.1]") {
  check24<uint32_t>("u32");
  check24<int32_t>("s32");
  check("mad24.hi.sat.s32", [](int32_t a, int32_t b, int32_t c) {
    return clamped<int32_t>(Int128(int32_t(of24(a) * of24(b) >> 16)) + c);
  });
}

TEST_CASE("sad, abs, neg, min, max", "[9.7.1]") {
  forWords([](auto t) {
    using T = decltype(t);
    std::string type = nameOf<T>();
    check("sad." + type, [](T a, T b, T c) {
      return wrapped<T>(Int128(c) + (a < b ? Int128(b) - a : Int128(a) - b));
    });
    check("min." + type, [](T a, T b) { return a < b ? a : b; });
    check("max." + type, [](T a, T b) { return a > b ? a : b; });
    if constexpr (std::is_signed_v<T>) {
      check("abs." + type,
            [](T a) { return wrapped<T>(a < 0 ? -Int128(a) : Int128(a)); });
      check("neg." + type, [](T a) { return wrapped<T>(-Int128(a)); });
    }
  });
  auto least = [](auto a, auto b) { return a < b ? a : b; };
  auto most = [](auto a, auto b) { return a > b ? a : b; };
  auto positive = [](auto f) {
    return [f](auto a, auto b) { return f(a, b) < 0 ? 0 : f(a, b); };
  };
  check("min.u16x2", onHalves<uint16_t>(least));
  check("min.s16x2", onHalves<int16_t>(least));
  check("max.u16x2", onHalves<uint16_t>(most));
  check("max.s16x2", onHalves<int16_t>(most));
  check("min.relu.s16x2", onHalves<int16_t>(positive(least)));
  check("max.relu.s16x2", onHalves<int16_t>(positive(most)));
  check("min.relu.s32",
        [=](int32_t a, int32_t b) { return positive(least)(a, b); });
  check("max.relu.s32",
        [=](int32_t a, int32_t b) { return positive(most)(a, b); });
}

/// By zero: unspecified.
TEST_CASE("div, rem", "[9.7.1]") {
  forWords([](auto t) {
    using T = decltype(t);
    using Quotient = std::optional<T>;
    check("div." + nameOf<T>(), [](T a, T b) {
      return b ? Quotient(wrapped<T>(Int128(a) / b)) : Quotient();
    });
    check("rem." + nameOf<T>(), [](T a, T b) {
      return b ? Quotient(wrapped<T>(Int128(a) % b)) : Quotient();
    });
  });
}

//===--- Bit fields -------------------------------------------------------===//

static unsigned ones(uint64_t value) {
  unsigned count = 0;
  for (; value; value >>= 1)
    count += value & 1;
  return count;
}
/// The location of the highest bit that differs from the sign; -1: none.
template <class T> static int highest(T value) {
  T sign = std::is_signed_v<T> && value < 0 ? T(-1) : T(0);
  int index = int(width<T>) - 1;
  while (index >= 0 && ((value ^ sign) >> index & 1) == 0)
    --index;
  return index;
}
template <class T> static T reversed(T value) {
  T result = 0;
  for (unsigned i = 0; i < width<T>; ++i)
    result = T(result << 1 | (value >> i & 1));
  return result;
}
/// Section 9.7.1.19, bit by bit.
template <class T> static T field(T a, Amount b, Amount c) {
  unsigned msb = width<T> - 1, position = b & 0xFF, length = c & 0xFF;
  unsigned top = position + length - 1;
  bool sign =
      std::is_signed_v<T> && length && (a >> (top < msb ? top : msb) & 1);
  T result = 0;
  for (unsigned i = 0; i <= msb; ++i) {
    bool bit =
        i < length && position + i <= msb ? a >> (position + i) & 1 : sign;
    result = T(result | T(T(bit) << i));
  }
  return result;
}
template <class T> static T inserted(T a, T b, Amount c, Amount e) {
  unsigned position = c & 0xFF, length = e & 0xFF;
  for (unsigned i = 0; i < length && position + i < width<T>; ++i) {
    T bit = T{1} << (position + i);
    b = T((b & ~bit) | (a >> i & 1 ? bit : 0));
  }
  return b;
}

template <class T> static void checkCounts() {
  std::string type = "b" + std::to_string(width<T>);
  check("popc." + type, [](T a) { return uint32_t(ones(a)); });
  check("clz." + type,
        [](T a) { return uint32_t(int(width<T>) - 1 - highest(a)); });
  check("brev." + type, [](T a) { return reversed(a); });
  check("bfi." + type, inserted<T>);
}
template <class T> static void checkFields() {
  check("bfind." + nameOf<T>(), [](T a) { return uint32_t(highest(a)); });
  check("bfind.shiftamt." + nameOf<T>(), [](T a) {
    int index = highest(a);
    return index < 0 ? ~uint32_t{0} : uint32_t(int(width<T>) - 1 - index);
  });
  check("bfe." + nameOf<T>(), field<T>);
}
TEST_CASE("popc, clz, bfind, brev, bfe, bfi", "[9.7.1]") {
  checkCounts<uint32_t>();
  checkCounts<uint64_t>();
  checkFields<uint32_t>();
  checkFields<uint64_t>();
  checkFields<int32_t>();
  checkFields<int64_t>();
}

/// Section 9.7.1.17: the offset-th set bit from base on, upwards or downwards.
static uint32_t nthSet(uint32_t mask, Amount from, int32_t offset) {
  uint32_t base = from & 31;
  if (offset == 0)
    return mask >> base & 1 ? base : ~uint32_t{0};
  int step = offset > 0 ? 1 : -1;
  int64_t left = offset > 0 ? int64_t{offset} - 1 : -int64_t{offset} - 1;
  for (int index = int(base); index >= 0 && index < 32; index += step)
    if ((mask >> index & 1) && left-- == 0)
      return uint32_t(index);
  return ~uint32_t{0};
}
TEST_CASE("fns", "[9.7.1]") {
  Probe fns = probe("fns.b32", nthSet);
  fns.samples.resize(3);
  // The base is below 32 (section 9.7.1.17).
  for (unsigned i = 0; i < 32; ++i)
    fns.samples[1].push_back(i * 5 % 32);
  for (int i = -8; i < 9; ++i)
    fns.samples[2].push_back(uint32_t(i));
  run(fns);
}

/// Section 9.7.1.21: from the sign bit on; none if it is beyond.
template <class T> static void checkSzext(const std::string &type) {
  auto extended = [](T a, uint32_t n) -> T {
    if (n >= 32)
      return a;
    bool sign = std::is_signed_v<T> && n && (a >> (n - 1) & 1);
    T low = T(a & T((uint64_t{1} << n) - 1));
    return sign ? T(low | T(~((uint64_t{1} << n) - 1))) : low;
  };
  check("szext.clamp." + type,
        [=](T a, Amount b) { return extended(a, b.value); });
  check("szext.wrap." + type,
        [=](T a, Amount b) { return extended(a, b.value & 31); });
}
static uint32_t maskFrom(uint32_t position, uint32_t length) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < length && uint64_t{position} + i < 32; ++i)
    mask |= uint32_t{1} << (position + i);
  return mask;
}
TEST_CASE("szext, bmsk", "[9.7.1]") {
  checkSzext<uint32_t>("u32");
  checkSzext<int32_t>("s32");
  check("bmsk.clamp.b32",
        [](Amount a, Amount b) { return maskFrom(a, b < 32 ? b : 32); });
  check("bmsk.wrap.b32",
        [](Amount a, Amount b) { return maskFrom(a & 31, b & 31); });
}

/// The element `index` of `bits` bits.
static int element(uint32_t value, unsigned bits, unsigned index,
                   bool isSigned) {
  uint32_t part = value >> bits * index & ((1u << bits) - 1);
  return isSigned && part >> (bits - 1) ? int(part) - (1 << bits) : int(part);
}
TEST_CASE("dp4a, dp2a", "[9.7.1]") {
  for (bool a : {false, true})
    for (bool b : {false, true}) {
      std::string types =
          std::string(a ? ".s32" : ".u32") + (b ? ".s32" : ".u32");
      check("dp4a" + types, [=](uint32_t x, uint32_t y, uint32_t z) {
        for (unsigned i = 0; i < 4; ++i)
          z += uint32_t(element(x, 8, i, a) * element(y, 8, i, b));
        return z;
      });
      for (unsigned high : {0u, 1u})
        check((high ? "dp2a.hi" : "dp2a.lo") + types,
              [=](uint32_t x, uint32_t y, uint32_t z) {
                for (unsigned i = 0; i < 2; ++i)
                  z += uint32_t(element(x, 16, i, a) *
                                element(y, 8, i + 2 * high, b));
                return z;
              });
    }
}
