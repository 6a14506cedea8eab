#include "runtime/emulator/numeric/Comparison.h"
#include "test/runtime/emulator/numeric/Samples.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace tilewright::emulator;
using samples::allEdges;

/// A number by the definition of its format, NaN as NaN.
template <class T> static double valueOf(T number) {
  constexpr oracle::Format format = oracle::formatOf<T>;
  std::uint64_t bits = bitsOf(number);
  bool negative = (bits & format.signBit()) != 0;
  std::uint64_t magnitude = bits & (format.signBit() - 1);
  double value = magnitude == format.largest + 1 ? INFINITY
                 : magnitude > format.largest
                     ? NAN
                     : std::ldexp(double(format.value(magnitude).significand),
                                  format.value(magnitude).exponent);
  return negative ? -value : value;
}

// PTX ISA 9.3.1.2, tables of ordered and unordered comparisons.
TEMPLATE_TEST_CASE("Comparisons", "[comparison]", float, double, Half, BFloat) {
  for (TestType a : allEdges<TestType>())
    for (TestType b : allEdges<TestType>()) {
      double x = valueOf(a), y = valueOf(b);
      bool nan = std::isnan(x) || std::isnan(y);
      bool less = !nan && x < y, equal = !nan && x == y, more = !nan && x > y;
      bool right = compare<Compare::eq>(a, b) == equal &&
                   compare<Compare::ne>(a, b) == (less || more) &&
                   compare<Compare::lt>(a, b) == less &&
                   compare<Compare::le>(a, b) == (less || equal) &&
                   compare<Compare::gt>(a, b) == more &&
                   compare<Compare::ge>(a, b) == (more || equal) &&
                   compare<Compare::equ>(a, b) == (equal || nan) &&
                   compare<Compare::neu>(a, b) == !equal &&
                   compare<Compare::ltu>(a, b) == (less || nan) &&
                   compare<Compare::leu>(a, b) == !more &&
                   compare<Compare::gtu>(a, b) == (more || nan) &&
                   compare<Compare::geu>(a, b) == !less &&
                   compare<Compare::num>(a, b) == !nan &&
                   compare<Compare::nan>(a, b) == nan;
      CAPTURE(x, y);
      REQUIRE(right);
    }
}

/// The lesser in the order that puts -0 below +0; NaN is ignored.
template <class T> static T expectedMin(T a, T b) {
  double x = valueOf(a), y = valueOf(b);
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) ? b : a;
  if (x == 0 && y == 0)
    return std::signbit(x) ? a : b;
  return x < y ? a : b;
}

/// The NaN of an operation without a number: f64 keeps a payload.
template <class T> static bool isResultNan(T found, T a, T b) {
  if constexpr (sizeof(T) == 8)
    return bitsOf(found) == bitsOf(quieted(a)) ||
           bitsOf(found) == bitsOf(quieted(b));
  else
    return bitsOf(found) == FloatBits<T>::nan;
}

// PTX ISA 9.7.3.11, 9.7.3.12, 9.7.4.8, 9.7.4.9.
TEMPLATE_TEST_CASE("Minimum and maximum", "[comparison]", float, double, Half,
                   BFloat) {
  for (TestType a : allEdges<TestType>())
    for (TestType b : allEdges<TestType>()) {
      TestType least = min<NanRule::ignore>(a, b);
      TestType most = max<NanRule::ignore>(a, b);
      TestType strictLeast = min<NanRule::propagate>(a, b);
      TestType strictMost = max<NanRule::propagate>(a, b);
      bool anyNan = std::isnan(valueOf(a)) || std::isnan(valueOf(b));
      bool bothNan = std::isnan(valueOf(a)) && std::isnan(valueOf(b));
      TestType negA = fromBits<TestType>(bitsOf(a) ^ FloatBits<TestType>::sign);
      TestType negB = fromBits<TestType>(bitsOf(b) ^ FloatBits<TestType>::sign);
      auto expected = bitsOf(expectedMin(a, b));
      auto expectedMost = static_cast<decltype(expected)>(
          bitsOf(expectedMin(negA, negB)) ^ FloatBits<TestType>::sign);
      CAPTURE(valueOf(a), valueOf(b));
      if (bothNan) {
        REQUIRE(isResultNan(least, a, b));
        REQUIRE(isResultNan(most, a, b));
      } else {
        REQUIRE(bitsOf(least) == expected);
        REQUIRE(bitsOf(most) == expectedMost);
      }
      if (anyNan) {
        REQUIRE(isNan(strictLeast));
        REQUIRE(isNan(strictMost));
        REQUIRE((sizeof(TestType) == 8 || isResultNan(strictLeast, a, b)));
      } else {
        REQUIRE(bitsOf(strictLeast) == expected);
        REQUIRE(bitsOf(strictMost) == expectedMost);
      }
    }
}

TEST_CASE(".xorsign.abs", "[comparison]") {
  constexpr NanRule I = NanRule::ignore, P = NanRule::propagate;
  float nan = fromBits<float>(0xFFC00000);
  CHECK(minXorSignAbs<I>(-2.0f, 3.0f) == -2);
  CHECK(minXorSignAbs<I>(-2.0f, -3.0f) == 2);
  CHECK(maxXorSignAbs<I>(-2.0f, 3.0f) == -3);
  CHECK(bitsOf(minXorSignAbs<I>(-0.0f, 1.0f)) == 0x80000000);
  // The sign of a NaN that was ignored counts; a NaN result has none.
  CHECK(minXorSignAbs<I>(nan, 3.0f) == -3);
  CHECK(bitsOf(minXorSignAbs<P>(nan, 3.0f)) == 0x7FFFFFFF);
  CHECK(bitsOf(maxXorSignAbs<I>(nan, 1.0f * nan)) == 0x7FFFFFFF);
  CHECK(maxXorSignAbs<I>(Half{0xC000}, Half{0x4200}).bits == 0xC200);
}

TEMPLATE_TEST_CASE("Properties, signs and modifiers", "[comparison]", float,
                   double, Half, BFloat) {
  using Traits = FloatBits<TestType>;
  using Bits = typename Traits::Bits;
  using P = FloatProperty;
  double smallest = valueOf(fromBits<TestType>(Traits::smallestNormal));
  for (TestType a : allEdges<TestType>()) {
    double x = valueOf(a);
    bool nan = std::isnan(x), infinite = std::isinf(x);
    bool subnormal = x != 0 && std::fabs(x) < smallest;
    CAPTURE(x);
    CHECK(hasProperty<P::finite>(a) == std::isfinite(x));
    CHECK(hasProperty<P::infinite>(a) == infinite);
    CHECK(hasProperty<P::number>(a) == !nan);
    CHECK(hasProperty<P::notANumber>(a) == nan);
    CHECK(hasProperty<P::normal>(a) == (!nan && !infinite && !subnormal));
    CHECK(hasProperty<P::subnormal>(a) == subnormal);

    Bits sign = bitsOf(a) & Traits::sign;
    Bits none = nan ? Traits::nan : Bits{0};
    CHECK(bitsOf(flushed(a)) == (subnormal ? sign : bitsOf(a)));
    // Both return +0 for -0; .sat does for NaN too.
    CHECK(bitsOf(relu(a)) == (sign || nan ? none : bitsOf(a)));
    CHECK(bitsOf(saturated(a)) == (nan || x <= 0 ? 0
                                   : x >= 1      ? Traits::one
                                                 : bitsOf(a)));
    TestType one = fromBits<TestType>(Traits::one | Traits::sign);
    CHECK(bitsOf(copySign(one, a)) == (bitsOf(a) | Traits::sign));
    // An f64 NaN passes unchanged.
    Bits nanResult = sizeof(TestType) == 8 ? bitsOf(a) : Traits::nan;
    // Not the abs of <cmath>.
    CHECK(bitsOf(tilewright::emulator::abs(a)) ==
          (nan ? nanResult : bitsOf(a) & ~Traits::sign));
    CHECK(bitsOf(neg(a)) == (nan ? nanResult : bitsOf(a) ^ Traits::sign));
  }
}
