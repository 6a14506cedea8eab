#include "runtime/emulator/numeric/Approximate.h"
#include "runtime/emulator/numeric/Conversion.h"
#include "test/runtime/emulator/numeric/Samples.h"

#include <catch2/catch.hpp>

// A loop over 32 lanes becomes separate vector code, in which a compiler may
// treat NaN differently. Its results must equal those of one lane, with no NaN
// but the canonical one.

using namespace tilewright::emulator;
using samples::allEdges;

#if defined(__clang__)
#define TEST_EACH_LANE                                                         \
  _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define TEST_EACH_LANE _Pragma("GCC ivdep")
#endif

template <class D, class T, class Op>
static void checkLanes(const char *name, Op operation) {
  std::vector<T> values = allEdges<T>();
  samples::Random<T> random(31);
  while (values.size() < 200)
    values.push_back(random());
  for (std::size_t shift = 0; shift < values.size(); ++shift) {
    T a[32], b[32], c[32];
    D d[32];
    for (std::size_t lane = 0; lane < 32; ++lane) {
      a[lane] = values[(shift + lane * 3) % values.size()];
      b[lane] = values[(shift * 7 + lane * 5) % values.size()];
      c[lane] = values[(shift * 3 + lane * 11) % values.size()];
    }
    TEST_EACH_LANE
    for (int lane = 0; lane < 32; ++lane)
      d[lane] = operation(a[lane], b[lane], c[lane]);
    for (int lane = 0; lane < 32; ++lane) {
      volatile int hidden = lane; // one lane at a time
      int one = hidden;
      D expected = operation(a[one], b[one], c[one]);
      bool equal = bitsOf(d[one]) == bitsOf(expected);
      bool canonicalNan = sizeof(D) == 8 || !isNan(d[one]) ||
                          bitsOf(d[one]) == FloatBits<D>::nan;
      if (equal && canonicalNan)
        continue;
      CAPTURE(name, bitsOf(a[one]), bitsOf(b[one]), bitsOf(c[one]));
      REQUIRE(bitsOf(d[one]) == bitsOf(expected));
      REQUIRE(canonicalNan);
    }
  }
}

#define CHECK_LANES(D, EXPRESSION)                                             \
  checkLanes<D, T>(#EXPRESSION, [](T a, T b, T c) -> D {                       \
    (void)b, (void)c;                                                          \
    return EXPRESSION;                                                         \
  })

TEMPLATE_TEST_CASE("Lanes of f32 and f64", "[lanes]", float, double) {
  using T = TestType;
  constexpr Rounding N = Rounding::nearestEven, Z = Rounding::towardZero;
  constexpr Rounding D = Rounding::down, U = Rounding::up;
  CHECK_LANES(T, add<N>(a, b));
  CHECK_LANES(T, add<Z>(a, b));
  CHECK_LANES(T, sub<N>(a, b));
  CHECK_LANES(T, sub<D>(a, b));
  CHECK_LANES(T, mul<N>(a, b));
  CHECK_LANES(T, mul<U>(a, b));
  CHECK_LANES(T, fma<N>(a, b, c));
  CHECK_LANES(T, fma<D>(a, b, c));
  CHECK_LANES(T, div<N>(a, b));
  CHECK_LANES(T, div<Z>(a, b));
  CHECK_LANES(T, sqrt<N>(a));
  CHECK_LANES(T, sqrt<U>(a));
  CHECK_LANES(T, rcp<N>(a));
  CHECK_LANES(T, flushed(add<N>(flushed(a), flushed(b))));
  CHECK_LANES(T, saturated(fma<N>(a, b, c)));
  CHECK_LANES(T, tilewright::emulator::abs(a));
  CHECK_LANES(T, neg(a));
  CHECK_LANES(T, roundedToIntegral<N>(a));
  CHECK_LANES(T, roundedToIntegral<U>(a));
  CHECK_LANES(float, (convert<float, N>(a)));
  CHECK_LANES(Half, (convert<Half, Z>(a)));
}

TEMPLATE_TEST_CASE("Lanes of minima and maxima", "[lanes]", float, double, Half,
                   BFloat) {
  using T = TestType;
  CHECK_LANES(T, min<NanRule::ignore>(a, b));
  CHECK_LANES(T, max<NanRule::ignore>(a, b));
  CHECK_LANES(T, min<NanRule::propagate>(a, b));
  CHECK_LANES(T, max<NanRule::propagate>(a, b));
  CHECK_LANES(T, minXorSignAbs<NanRule::ignore>(a, b));
}

TEMPLATE_TEST_CASE("Lanes of f16 and bf16", "[lanes]", Half, BFloat) {
  using T = TestType;
  constexpr Rounding N = Rounding::nearestEven;
  CHECK_LANES(T, add<N>(a, b));
  CHECK_LANES(T, mul<N>(a, b));
  CHECK_LANES(T, fma<N>(a, b, c));
  CHECK_LANES(T, relu(fma<N>(a, b, c)));
  CHECK_LANES(T, saturated(sub<N>(a, b)));
  CHECK_LANES(T, tilewright::emulator::abs(a));
  CHECK_LANES(T, roundedToIntegral<N>(a));
  // Of bf16 it is a shift, which keeps a NaN's payload.
  CHECK_LANES(float, (canonical(convert<float, N>(a))));
  CHECK_LANES(T, approximate<Approximate::ex2>(a));
  CHECK_LANES(T, approximate<Approximate::tanh>(a));
}

TEST_CASE("Lanes of conversions and approximate functions", "[lanes]") {
  using T = float;
  constexpr Rounding N = Rounding::nearestEven;
  CHECK_LANES(Half, narrow<Half>(a));
  CHECK_LANES(BFloat, narrow<BFloat>(a));
  CHECK_LANES(float, widen(narrow<E4M3, N, Overflow::finite>(a)));
  CHECK_LANES(float, widen(narrow<E5M2, N, Overflow::finite>(a)));
  CHECK_LANES(float, (fromInteger<float, N>(toInteger<std::int32_t, N>(a))));
  CHECK_LANES(float, (fromInteger<float, N>(toInteger<std::uint64_t, N>(a))));
  CHECK_LANES(float, approximate<Approximate::ex2>(a));
  CHECK_LANES(float, approximate<Approximate::lg2>(a));
  CHECK_LANES(float, approximate<Approximate::sin>(a));
  CHECK_LANES(float, approximate<Approximate::cos>(a));
  CHECK_LANES(float, approximate<Approximate::tanh>(a));
  CHECK_LANES(float, approximate<Approximate::rcp>(a));
  CHECK_LANES(float, approximate<Approximate::sqrt>(a));
  CHECK_LANES(float, approximate<Approximate::rsqrt>(a));
  CHECK_LANES(float, (approximate<Approximate::div>(a, b)));
  CHECK_LANES(float, (approximate<Approximate::divFull>(a, b)));
}
