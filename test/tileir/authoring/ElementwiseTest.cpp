// Operators and functions of elements, against those of C++.
#include "Run.h"

#include <catch2/catch.hpp>
#include <limits>

using namespace tilewright::authoring;

namespace tilewright::test {

template <class T> static std::vector<Host<T>> samples() {
  using H = Host<T>;
  using Limits = std::numeric_limits<H>;
  if constexpr (T::isFloat)
    return {0,
            H(-0.0),
            1,
            H(1.5),
            H(-2.25),
            3,
            H(1e10),
            H(0.3125),
            Limits::infinity(),
            -Limits::infinity(),
            -7,
            H(1e-3),
            Limits::quiet_NaN()};
  else
    return {1,
            2,
            3,
            7,
            30,
            H(-1),
            H(-7),
            H(-30),
            Limits::max(),
            H(Limits::min() + 1)};
}

template <class H> static bool same(H a, H b) {
  if constexpr (std::is_floating_point_v<H>)
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(double(a)) == std::signbit(double(b));
}

/// Indices are in no memory: they come and go as I64.
template <class T>
using InMemory = std::conditional_t<std::is_same_v<T, IndexElement>, I64, T>;

/// out = f(a, b) for each pair of samples, as `host` says.
template <class Out, class In, class F, class H>
static void checkPairs(const char *name, F f, H host) {
  std::vector<Host<In>> a, b;
  for (Host<In> x : samples<In>())
    for (Host<In> y : samples<In>()) {
      a.push_back(x);
      b.push_back(y);
    }
  int64_t n = a.size();
  std::vector<Host<Out>> out(n);
  using X = View<InMemory<In>, 1>;
  Kernel k = kernel("k", [=](X x, X y, View<InMemory<Out>, 1> z) {
    auto result = f(cast<In>(x.load(0, n)), cast<In>(y.load(0, n)));
    z.store(0, cast<InMemory<Out>>(result));
  });
  INFO(name);
  REQUIRE(run(k, {array(a), array(b), array(out)}) == "");
  for (int64_t i = 0; i < n; ++i) {
    Host<Out> expected = host(a[i], b[i]);
    INFO("of " << a[i] << " and " << b[i] << ": " << double(out[i])
               << ", expected " << double(expected));
    CHECK(same(out[i], expected));
  }
}
template <class T, class F, class H>
static void checkUnary(const char *name, F f, H host) {
  checkPairs<T, T>(
      name, [=](auto a, auto) { return f(a); },
      [=](auto a, auto) { return Host<T>(host(a)); });
}

#define BINARY(T, OP)                                                          \
  checkPairs<T, T>(                                                            \
      #OP, [](auto a, auto b) { return a OP b; },                              \
      [](auto a, auto b) { return Host<T>(a OP b); })
#define COMPARE(T, OP)                                                         \
  checkPairs<Bool, T>(                                                         \
      #OP, [](auto a, auto b) { return a OP b; },                              \
      [](auto a, auto b) { return uint8_t(a OP b); })
#define COMPARISONS(T)                                                         \
  COMPARE(T, <);                                                               \
  COMPARE(T, <=);                                                              \
  COMPARE(T, >);                                                               \
  COMPARE(T, >=);                                                              \
  COMPARE(T, ==);                                                              \
  COMPARE(T, !=)
#define FUNCTION(T, NAME, HOST)                                                \
  checkUnary<T>(                                                               \
      #NAME, [](auto a) { return NAME(a); },                                   \
      [](auto x) { return HOST(double(x)); })

TEST_CASE("operators of floats") {
  BINARY(F32, +);
  BINARY(F32, -);
  BINARY(F32, *);
  BINARY(F32, /);
  BINARY(F64, *);
  COMPARISONS(F32);
  checkPairs<F32, F32>(
      "%", [](auto a, auto b) { return a % b; },
      [](float a, float b) { return std::fmod(a, b); });
  auto largest = [](float a, float b) {
    return std::isnan(a + b) && (std::isnan(a) || std::isnan(b)) ? NAN
           : a == b && std::signbit(a) ? b
                                       : std::max(a, b);
  };
  checkPairs<F32, F32>(
      "max", [](auto a, auto b) { return max(a, b); }, largest);
  checkPairs<F32, F32>(
      "min", [](auto a, auto b) { return min(a, b); },
      [&](float a, float b) { return -largest(-a, -b); });
  checkPairs<F32, F32>(
      "pow", [](auto a, auto b) { return pow(a, b); },
      [](double a, double b) { return float(std::pow(a, b)); });
  checkUnary<F32>("-", [](auto a) { return -a; }, [](float a) { return -a; });
}

TEST_CASE("functions of floats") {
  auto square = [](double x) { return 1 / std::sqrt(x); };
  FUNCTION(F32, abs, std::fabs);
  FUNCTION(F32, exp, std::exp);
  FUNCTION(F32, exp2, std::exp2);
  FUNCTION(F32, log, std::log);
  FUNCTION(F32, log2, std::log2);
  FUNCTION(F32, sqrt, std::sqrt);
  checkUnary<F32>("rsqrt", [](auto a) { return rsqrt(a); }, square);
  FUNCTION(F32, sin, std::sin);
  FUNCTION(F32, cos, std::cos);
  FUNCTION(F32, tanh, std::tanh);
  FUNCTION(F32, erf, std::erf);
  FUNCTION(F32, floor, std::floor);
  FUNCTION(F32, ceil, std::ceil);
  FUNCTION(F32, round, std::nearbyint);
  FUNCTION(F32, trunc, std::trunc);
  FUNCTION(F32, expm1, std::expm1);
  FUNCTION(F32, log10, std::log10);
  FUNCTION(F32, log1p, std::log1p);
  FUNCTION(F32, cbrt, std::cbrt);
  FUNCTION(F32, tan, std::tan);
  FUNCTION(F32, asin, std::asin);
  FUNCTION(F32, acos, std::acos);
  FUNCTION(F32, atan, std::atan);
  FUNCTION(F32, sinh, std::sinh);
  FUNCTION(F32, cosh, std::cosh);
  FUNCTION(F32, asinh, std::asinh);
  FUNCTION(F32, acosh, std::acosh);
  FUNCTION(F32, atanh, std::atanh);
  FUNCTION(F32, erfc, std::erfc);
  checkPairs<F32, F32>(
      "atan2", [](auto a, auto b) { return atan2(a, b); },
      [](double a, double b) { return float(std::atan2(a, b)); });
  checkPairs<F32, F32>(
      "copysign", [](auto a, auto b) { return copysign(a, b); },
      [](float a, float b) { return std::copysign(a, b); });
  checkPairs<F32, F32>(
      "fma", [](auto a, auto b) { return fma(a, b, 0.1); },
      [](float a, float b) { return std::fma(a, b, 0.1f); });
}

TEST_CASE("classes of floats") {
  auto ask = [](const char *name, auto f, auto host) {
    checkPairs<Bool, F32>(
        name, [=](auto a, auto) { return f(a); },
        [=](float a, float) { return uint8_t(host(a)); });
  };
  ask(
      "isnan", [](auto a) { return isnan(a); },
      [](float a) { return std::isnan(a); });
  ask(
      "isinf", [](auto a) { return isinf(a); },
      [](float a) { return std::isinf(a); });
  ask(
      "isfinite", [](auto a) { return isfinite(a); },
      [](float a) { return std::isfinite(a); });
}

/// Wraps as unsigned numbers do; the shift keeps within the width.
#define INTEGERS(T, H)                                                         \
  checkPairs<T, T>(                                                            \
      "+", [](auto a, auto b) { return a + b; },                               \
      [](H a, H b) { return H(uint64_t(a) + uint64_t(b)); });                  \
  checkPairs<T, T>(                                                            \
      "-", [](auto a, auto b) { return a - b; },                               \
      [](H a, H b) { return H(uint64_t(a) - uint64_t(b)); });                  \
  checkPairs<T, T>(                                                            \
      "*", [](auto a, auto b) { return a * b; },                               \
      [](H a, H b) { return H(uint64_t(a) * uint64_t(b)); });                  \
  checkPairs<T, T>(                                                            \
      "<<", [](auto a, auto b) { return a << (b & 7); },                       \
      [](H a, H b) { return H(uint64_t(a) << (b & 7)); });                     \
  checkPairs<T, T>(                                                            \
      ">>", [](auto a, auto b) { return a >> (b & 7); },                       \
      [](H a, H b) { return H(a >> (b & 7)); });                               \
  BINARY(T, /);                                                                \
  BINARY(T, %);                                                                \
  BINARY(T, &);                                                                \
  BINARY(T, |);                                                                \
  BINARY(T, ^);                                                                \
  COMPARISONS(T);                                                              \
  checkPairs<T, T>(                                                            \
      "min", [](auto a, auto b) { return min(a, b); },                         \
      [](H a, H b) { return std::min(a, b); });                                \
  checkPairs<T, T>(                                                            \
      "max", [](auto a, auto b) { return max(a, b); },                         \
      [](H a, H b) { return std::max(a, b); });                                \
  checkPairs<T, T>(                                                            \
      "floorDiv", [](auto a, auto b) { return floorDiv(a, b); },               \
      [](H a, H b) {                                                           \
        return H(a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0));          \
      });                                                                      \
  checkPairs<T, T>(                                                            \
      "ceilDiv", [](auto a, auto b) { return ceilDiv(a, b); },                 \
      [](H a, H b) {                                                           \
        return H(a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0));          \
      });                                                                      \
  checkUnary<T>("~", [](auto a) { return ~a; }, [](H a) { return H(~a); });    \
  checkUnary<T>(                                                               \
      "-", [](auto a) { return -a; },                                          \
      [](H a) { return H(uint64_t(0) - uint64_t(a)); })

TEST_CASE("operators of signed integers") {
  INTEGERS(I32, int32_t);
  FUNCTION(I32, abs, std::fabs);
}
TEST_CASE("operators of unsigned integers") { INTEGERS(U32, uint32_t); }
TEST_CASE("operators of narrow integers") { INTEGERS(U8, uint8_t); }

TEST_CASE("operators of indices") {
  INTEGERS(IndexElement, int64_t);
  checkUnary<IndexElement>(
      "abs", [](auto a) { return abs(a); },
      [](int64_t a) { return std::abs(a); });
}

TEST_CASE("elements where a condition holds") {
  checkPairs<F32, F32>(
      "where", [](auto a, auto b) { return where(a < b & !(b > 3), a, -1); },
      [](float a, float b) { return a < b && !(b > 3) ? a : -1; });
  checkPairs<F32, F32>(
      "where of numbers",
      [](auto a, auto b) { return where<F32>(a < b && !(b > 3), 2, -1); },
      [](float a, float b) { return a < b && !(b > 3) ? 2.f : -1.f; });
  checkPairs<F32, F32>(
      "where of scalars by a mask",
      [](auto a, auto b) {
        return where<F32>(a < b || b > 3.0, Scalar<F32>(2.5), 1.0);
      },
      [](float a, float b) { return a < b || b > 3 ? 2.5f : 1.f; });
  checkPairs<F32, F32>(
      "where of scalars",
      [](auto a, auto b) { return where(Scalar<Bool>(true), a, b); },
      [](float a, float) { return a; });
  checkPairs<Bool, I32>(
      "&& || of conditions",
      [](auto a, auto b) { return (a > b && a > 1) || !(b != 3); },
      [](int a, int b) { return uint8_t((a > b && a > 1) || b == 3); });
  checkPairs<Bool, I32>(
      "| ^ of conditions",
      [](auto a, auto b) { return (a > b | a == 7) ^ (b == 3); },
      [](int a, int b) { return uint8_t((a > b || a == 7) != (b == 3)); });
}

TEST_CASE("scalars, numbers and sizes of 1 go with tiles") {
  std::vector<float> x = numbers<float>(6), y(6);
  Kernel k = kernel("k", [](View<F32, 2> x, View<F32, 2> y, Scalar<F32> s) {
    auto t = x.load({0, 0}, {2, 3});
    auto row = slice(t, {0, 0}, {1, 3}), column = slice(t, {0, 1}, {2, 1});
    auto u = 2 * t - s * t / 4 + t * s + row * column;
    u += 1;
    u -= s;
    u *= t;
    u /= 0.5;
    y.store({0, 0}, u);
  });
  REQUIRE(run(k, {array(x, {2, 3}), array(y, {2, 3}), 3.0}) == "");
  for (int i = 0; i < 6; ++i) {
    float t = x[i], u = 2 * t - 3 * t / 4 + t * 3 + x[i % 3] * x[i / 3 * 3 + 1];
    CHECK(y[i] == (u + 1 - 3) * t / 0.5f);
  }
}

/// A conversion of floats, and what each becomes.
template <class To, class F>
static void checkCast(F convert, std::vector<float> x,
                      std::vector<Host<To>> expected) {
  int64_t n = x.size();
  std::vector<Host<To>> y(n);
  Kernel k = kernel("k", [=](View<F32, 1> x, View<To, 1> y) {
    y.store(0, convert(x.load(0, n)));
  });
  CHECK(run(k, {array(x), array(y)}) == "");
  CHECK(y == expected);
}

TEST_CASE("conversions and roundings") {
  using R = Rounding;
  std::vector<float> x = {2.5, -2.5, 3.5, 1.25};
  checkCast<I8>([](auto t) { return cast<I8>(t); }, x, {2, -2, 3, 1});
  checkCast<I8>([](auto t) { return cast<I8>(t, R::nearestEven); }, x,
                {2, -2, 4, 1});
  checkCast<I8>([](auto t) { return cast<I8>(t, R::nearestAway); }, x,
                {3, -3, 4, 1});
  checkCast<I8>([](auto t) { return cast<I8>(t, R::towardZero); }, x,
                {2, -2, 3, 1});
  checkCast<I8>([](auto t) { return cast<I8>(t, R::down); }, x, {2, -3, 3, 1});
  checkCast<I8>([](auto t) { return cast<I8>(t, R::up); }, x, {3, -2, 4, 2});
  checkCast<I8>([](auto t) { return saturate<I8>(t); }, {300, -300, NAN, 1},
                {127, -128, 0, 1});
  checkCast<U8>([](auto t) { return saturate<U8>(t); }, {300, -300, NAN, 1},
                {255, 0, 0, 1});
  checkCast<Bool>([](auto t) { return cast<Bool>(t); }, {0, -0.0f, 0.5, -1},
                  {0, 0, 1, 1});
  checkCast<F32>([](auto t) { return cast<F32>(cast<BF16>(t)); },
                 {1, 1.00390625, 1.01171875, -3}, {1, 1, 1.015625, -3});
  checkCast<F32>([](auto t) { return cast<F32>(saturate<F8E4M3FN>(t)); },
                 {1000, -1000, 17, 0.1f}, {448, -448, 16, 0.1015625});
  checkCast<F32>([](auto t) { return cast<F32>(cast<F8E5M2>(t)); },
                 {1e6, 5, -9, 0}, {INFINITY, 5, -8, 0});
  checkCast<U32>([](auto t) { return bitcast<U32>(t); }, {1, -2},
                 {0x3f800000, 0xc0000000});
  checkCast<F32>([](auto t) { return bitcast<F32>(bitcast<I32>(t)); }, x, x);
}

TEST_CASE("integers keep or lose their sign") {
  auto through = []<class From, class To>(From, To, float number) {
    std::vector<float> x = {number}, y = {0};
    Kernel k = kernel("k", [](View<F32, 1> x, View<F32, 1> y) {
      y.store(0, cast<F32>(cast<To>(cast<From>(x.load(0, 1)))));
    });
    CHECK(run(k, {array(x), array(y)}) == "");
    return y[0];
  };
  CHECK(through(I8(), I32(), -5) == -5);
  CHECK(through(U8(), I32(), 251) == 251);
  CHECK(through(I32(), I8(), 251) == -5);
  CHECK(through(I32(), U8(), -5) == 251);
  CHECK(through(I8(), U32(), -1) == 4294967296.f);
  CHECK(through(Bool(), I32(), 7) == 1);
}

TEST_CASE("saturation between integers") {
  std::vector<int32_t> x = {300, -300, 5}, signs = {0, 0, 0};
  std::vector<uint32_t> y(3);
  Kernel k = kernel("k", [](View<I32, 1> x, View<I32, 1> s, View<U32, 1> y) {
    auto t = x.load(0, 3);
    s.store(0, cast<I32>(saturate<I8>(t)));
    y.store(0, saturate<U32>(t));
  });
  REQUIRE(run(k, {array(x), array(signs), array(y)}) == "");
  CHECK(signs == std::vector<int32_t>{127, -128, 5});
  CHECK(y == std::vector<uint32_t>{300, 0, 5});
}

} // namespace tilewright::test
