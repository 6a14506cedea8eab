#include "runtime/emulator/numeric/Arithmetic.h"
#include "test/runtime/emulator/numeric/Samples.h"

#include <catch2/catch.hpp>

using namespace tilewright::emulator;
using oracle::Dyadic;
using oracle::exactly;
using oracle::ExactReal;
using samples::finiteEdges;
using samples::opaque;

static constexpr double infinity = __builtin_inf();

/// Compares bits; says what was calculated where they differ.
template <class T>
static void requireBits(T found, std::uint64_t expected, const char *operation,
                        Rounding mode, T a, T b, T c = {}) {
  if (bitsOf(found) == expected)
    return;
  UNSCOPED_INFO(operation << ", mode " << static_cast<int>(mode) << std::hex
                          << ": " << bitsOf(a) << " " << bitsOf(b) << " "
                          << bitsOf(c));
  REQUIRE(std::uint64_t{bitsOf(found)} == expected);
}

/// The sign of an exact zero of a sum: that of both terms if they agree.
template <class T>
static std::uint64_t roundedSum(Dyadic a, Dyadic b, bool aNegative,
                                bool bNegative, Rounding mode) {
  ExactReal sum;
  sum.add(a).add(b);
  if (sum.sign() == 0 && aNegative == bNegative)
    return aNegative ? oracle::formatOf<T>.signBit() : 0;
  return oracle::rounded(sum, oracle::formatOf<T>, mode);
}

template <class T> static bool isNegative(T value) {
  return (bitsOf(value) & FloatBits<T>::sign) != 0;
}

template <Rounding R, class T> static void checkSums(T a, T b, T c) {
  constexpr oracle::Format format = oracle::formatOf<T>;
  Dyadic x = exactly(hosted(a)), y = exactly(hosted(b)), z = exactly(hosted(c));
  bool s = isNegative(a), t = isNegative(b), u = isNegative(c);
  requireBits(add<R>(a, b), roundedSum<T>(x, y, s, t, R), "add", R, a, b);
  requireBits(sub<R>(a, b), roundedSum<T>(x, oracle::minus(y), s, !t, R), "sub",
              R, a, b);
  std::uint64_t product =
      oracle::rounded(ExactReal().add(oracle::times(x, y)), format, R);
  if (x.significand == 0 || y.significand == 0)
    product = s != t ? format.signBit() : 0;
  requireBits(mul<R>(a, b), product, "mul", R, a, b);
  requireBits(fma<R>(a, b, c),
              roundedSum<T>(oracle::times(x, y), z, s != t, u, R), "fma", R, a,
              b, c);
}

template <Rounding R, class T> static void checkQuotient(T a, T b) {
  constexpr oracle::Format format = oracle::formatOf<T>;
  if (a == 0 || b == 0)
    return;
  Dyadic x = exactly(a < 0 ? -a : a), y = exactly(b < 0 ? -b : b);
  bool negative = (a < 0) != (b < 0);
  // |a / b| against z is |a| against |b| z.
  std::uint64_t quotient = oracle::roundedMagnitude(
      [&](Dyadic z) {
        return ExactReal()
            .add(x)
            .add(oracle::minus(oracle::times(y, z)))
            .sign();
      },
      negative, format, R);
  if (negative)
    quotient |= format.signBit();
  requireBits(div<R>(a, b), quotient, "div", R, a, b);
  if (a == 1)
    requireBits(rcp<R>(b), quotient, "rcp", R, a, b);
}

template <Rounding R, class T> static void checkRoot(T a) {
  Dyadic x = exactly(a < 0 ? -a : a);
  std::uint64_t root = oracle::roundedMagnitude(
      [&](Dyadic z) {
        return ExactReal()
            .add(x)
            .add(oracle::minus(oracle::times(z, z)))
            .sign();
      },
      false, oracle::formatOf<T>, R);
  if (a > 0)
    requireBits(sqrt<R>(a), root, "sqrt", R, a, a);
}

template <Rounding R, class T> static void checkWide(int count) {
  samples::Random<T> random(static_cast<int>(R) + sizeof(T));
  std::vector<T> edges = finiteEdges<T>();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    checkRoot<R>(edges[i]);
    for (std::size_t j = 0; j < edges.size(); ++j) {
      // Each pair with one third operand; over all pairs these vary.
      checkSums<R>(edges[i], edges[j], edges[(i * 7 + j) % edges.size()]);
      checkQuotient<R>(edges[i], edges[j]);
    }
  }
  for (int i = 0; i < count; ++i) {
    T a = random(), b = random(), c = random();
    checkSums<R>(a, b, c);
    // A sum that cancels, but for what the product lost.
    T product = mul<R>(a, b);
    if (product - product == 0)
      checkSums<R>(a, b, neg(product));
    checkQuotient<R>(a, b);
    checkQuotient<R>(T{1}, b);
    checkRoot<R>(a);
  }
}

TEMPLATE_TEST_CASE("Arithmetic of f32 and f64 rounds once in each mode",
                   "[arithmetic]", float, double) {
  int count = sizeof(TestType) == 8 ? 2000 : 8000;
  checkWide<Rounding::nearestEven, TestType>(count);
  checkWide<Rounding::towardZero, TestType>(count);
  checkWide<Rounding::down, TestType>(count);
  checkWide<Rounding::up, TestType>(count);
}

/// The hard cases of f16 and bf16: the sum is a tie but for a far smaller term.
template <class T> static void checkSmallTies() {
  constexpr Rounding R = Rounding::nearestEven;
  samples::Random<T> random(3);
  using Bits = typename FloatBits<T>::Bits;
  for (int i = 0; i < 2000; ++i) {
    // An odd square of 1 + n units in the last place ends in a tie of the
    // product.
    T a = fromBits<T>(static_cast<Bits>(FloatBits<T>::one + i % 64));
    T b = fromBits<T>(static_cast<Bits>(FloatBits<T>::one +
                                        FloatBits<T>::smallestNormal / 2));
    T tiny = fromBits<T>(static_cast<Bits>(1 + i % 3));
    checkSums<R>(a, b, tiny);
    checkSums<R>(a, b, neg(tiny));
    checkSums<R>(a, b, flushed(random()));
  }
}

TEMPLATE_TEST_CASE("Arithmetic of f16 and bf16 rounds once", "[arithmetic]",
                   Half, BFloat) {
  constexpr Rounding R = Rounding::nearestEven;
  std::vector<TestType> edges = finiteEdges<TestType>();
  for (std::size_t i = 0; i < edges.size(); ++i)
    for (std::size_t j = 0; j < edges.size(); ++j)
      for (std::size_t k = (i + j) % 5; k < edges.size(); k += 5)
        checkSums<R>(edges[i], edges[j], edges[k]);
  samples::Random<TestType> random(17);
  for (int i = 0; i < 20000; ++i)
    checkSums<R>(random(), random(), random());
  checkSmallTies<TestType>();
}

/// What IEEE 754 (7.2, 6.1, 6.3) says of infinities, in every mode.
template <Rounding R, class T> static void checkInfinities() {
  T inf = opaque(static_cast<T>(infinity)), one = opaque(T{1});
  T zero = opaque(T{0});
  CHECK(add<R>(inf, one) == inf);
  CHECK(add<R>(inf, inf) == inf);
  CHECK(sub<R>(one, inf) == -inf);
  CHECK(mul<R>(-inf, one) == -inf);
  CHECK(fma<R>(inf, one, -one) == inf);
  CHECK(fma<R>(one, one, -inf) == -inf);
  CHECK(div<R>(one, zero) == inf);
  CHECK(div<R>(one, -zero) == -inf);
  CHECK(bitsOf(div<R>(one, -inf)) == FloatBits<T>::sign);
  CHECK(bitsOf(div<R>(-zero, one)) == FloatBits<T>::sign);
  CHECK(sqrt<R>(inf) == inf);
  CHECK(bitsOf(sqrt<R>(-zero)) == FloatBits<T>::sign);
  CHECK(bitsOf(sqrt<R>(zero)) == 0);
  // A finite product beyond the format against an infinite term.
  T large = fromBits<T>(FloatBits<T>::infinity - 1);
  CHECK(fma<R>(large, large, -inf) == -inf);
  for (T invalid : {sub<R>(inf, inf), mul<R>(inf, zero), div<R>(zero, zero),
                    div<R>(inf, inf), sqrt<R>(-one), fma<R>(inf, zero, one),
                    fma<R>(inf, one, -inf)})
    CHECK(bitsOf(invalid) == FloatBits<T>::nan);
}

TEMPLATE_TEST_CASE("Infinities and invalid operations", "[arithmetic]", float,
                   double) {
  checkInfinities<Rounding::nearestEven, TestType>();
  checkInfinities<Rounding::towardZero, TestType>();
  checkInfinities<Rounding::down, TestType>();
  checkInfinities<Rounding::up, TestType>();
}

// f32 has one NaN; f64 keeps the payload of the first NaN, made quiet.
TEST_CASE("NaN operands", "[arithmetic]") {
  constexpr Rounding R = Rounding::nearestEven;
  constexpr Rounding D = Rounding::down;
  float nan = opaque(fromBits<float>(0xFF812345));
  for (float result :
       {add<R>(nan, 1.0f), sub<R>(1.0f, nan), mul<D>(nan, nan), rcp<R>(nan),
        fma<R>(1.0f, 1.0f, nan), fma<D>(1.0f, nan, 1.0f), div<D>(nan, 0.0f),
        sqrt<R>(nan), sqrt<D>(nan)})
    CHECK(bitsOf(result) == 0x7FFFFFFF);
  double first = opaque(fromBits<double>(0xFFF0000000000123));
  double second = opaque(fromBits<double>(0x7FF8000000000456));
  std::uint64_t quiet = 0xFFF8000000000123;
  CHECK(bitsOf(add<R>(first, second)) == quiet);
  CHECK(bitsOf(add<D>(1.0, first)) == quiet);
  CHECK(bitsOf(sub<R>(second, first)) == bitsOf(second));
  CHECK(bitsOf(sub<R>(1.0, second)) == bitsOf(second));
  CHECK(bitsOf(mul<D>(first, infinity)) == quiet);
  CHECK(bitsOf(fma<R>(infinity, 0.0, second)) == bitsOf(second));
  CHECK(bitsOf(fma<D>(1.0, second, first)) == bitsOf(second));
  CHECK(bitsOf(div<R>(first, 0.0)) == quiet);
  CHECK(bitsOf(sqrt<R>(first)) == quiet);
  Half halfNan = {0xFC01};
  CHECK(add<R>(halfNan, Half{0}).bits == 0x7FFF);
  CHECK(fma<R>(Half{0}, Half{0}, halfNan).bits == 0x7FFF);
  CHECK(mul<R>(BFloat{0x7F80}, BFloat{0}).bits == 0x7FFF);
}
