// Each function within its stated bound, for operands all over its type.
#include "Kernel.h"
#include "Reference.h"
#include "codegen/math/LowerMathFunctions.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <thread>

using namespace tilewright::mathtest;
using tilewright::math::ErrorBound;
using tilewright::math::errorBounds;

namespace {
/// The greatest error found, and where.
struct Worst {
  double error = 0;
  std::string location;

  void add(double other, double x, double y, double found) {
    if (!(other > error))
      return;
    error = other;
    std::ostringstream text;
    text << std::hexfloat << "x = " << x << ", y = " << y << ", found "
         << found;
    location = text.str();
  }
};
} // namespace

/// Zeros, infinities, NaN, the ends of the type, small whole numbers and their
/// halves, and where functions begin to overflow; with neighbours.
template <typename T> static std::vector<T> edges() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> numbers = {0,
                            Limits::infinity(),
                            Limits::quiet_NaN(),
                            Limits::max(),
                            Limits::min(),
                            Limits::denorm_min(),
                            T(M_PI),
                            T(M_PI_2),
                            T(M_PI_4),
                            T(88.7228),
                            T(89.4159),
                            T(103.972),
                            T(709.7827),
                            T(710.4758),
                            T(745.1332),
                            T(1024),
                            T(1074),
                            T(10.05),
                            T(27.2),
                            T(1e10),
                            T(1e22),
                            Limits::max() / 2,
                            std::ldexp(T(1), Limits::digits),
                            std::ldexp(T(1), Limits::digits + 1) - 1};
  for (int i = 1; i < 24; ++i)
    for (T scale : {T(0.25), T(0.5), T(1), T(16)})
      numbers.push_back(i * scale);
  for (T at : {T(0.5), T(1), T(2)})
    for (int i = 1; i < 10; ++i)
      numbers.push_back(at + std::ldexp(Limits::epsilon(), i));
  size_t count = numbers.size();
  for (size_t i = 0; i < count; ++i) {
    numbers.push_back(std::nextafter(numbers[i], Limits::infinity()));
    numbers.push_back(std::nextafter(numbers[i], -Limits::infinity()));
  }
  count = numbers.size();
  for (size_t i = 0; i < count; ++i)
    numbers.push_back(-numbers[i]);
  return numbers;
}

/// Compares results in two threads.
template <typename T, typename U>
static void compare(const Reference &reference, const std::vector<T> &x,
                    const std::vector<U> &y, const std::vector<T> &found,
                    Worst &worst) {
  auto part = [&](size_t begin, size_t end) {
    Worst local;
    for (size_t i = begin; i < end; ++i) {
      U second = y.empty() ? U(0) : y[i];
      local.add(reference.error(x[i], second, found[i]), x[i], double(second),
                found[i]);
    }
    return local;
  };
  Worst halves[2];
  size_t middle = x.size() / 2;
  std::thread other([&] { halves[1] = part(middle, x.size()); });
  halves[0] = part(0, middle);
  other.join();
  for (const Worst &half : halves)
    if (half.error > worst.error)
      worst = half;
}

template <typename T, typename U>
static void runAndCompare(const std::string &name, const Kernel &kernel,
                          const std::vector<T> &x, const std::vector<U> &y,
                          Worst &worst) {
  std::vector<T> found =
      kernel.run<T, U>(std::span<const T>(x), std::span<const U>(y));
  compare(Reference(name), x, y, found, worst);
}

/// Every `stride`-th bit pattern of an f32 below `end`.
static void sweep(const std::string &name, uint32_t stride, uint64_t end,
                  Worst &worst) {
  Kernel kernel(name, "f32");
  const uint64_t chunk = uint64_t(stride) << 22;
  for (uint64_t start = 0; start < end; start += chunk) {
    std::vector<float> x;
    for (uint64_t bits = start; bits < std::min(start + chunk, end);
         bits += stride)
      x.push_back(std::bit_cast<float>(uint32_t(bits)));
    runAndCompare(name, kernel, x, std::vector<float>(), worst);
  }
}

/// Random patterns, random numbers of moderate size, numbers near 1, and edges.
template <typename T>
static std::vector<T> samples(size_t count, std::mt19937_64 &random) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  std::vector<T> x = edges<T>();
  std::uniform_real_distribution<double> moderate(-30, 30), unit(-1.1, 1.1),
      scale(-60, 10);
  for (size_t i = 0; i < count; ++i) {
    x.push_back(std::bit_cast<T>(Bits(random() >> (64 - 8 * sizeof(T)))));
    x.push_back(T(moderate(random)));
    x.push_back(T(unit(random)));
    x.push_back(T(std::exp2(scale(random))));
    x.push_back(T(1 + std::exp2(scale(random) - 2) * (random() % 2 ? 1 : -1)));
    x.push_back(T(moderate(random) * 30));
  }
  return x;
}

template <typename T>
static void checkUnary(const std::string &name, Worst &worst, size_t count) {
  std::mt19937_64 random(11);
  std::vector<T> x = samples<T>(count, random);
  Kernel kernel(name, sizeof(T) == 4 ? "f32" : "f64");
  runAndCompare(name, kernel, x, std::vector<T>(), worst);
}

/// All pairs of edges, pairs of samples, and for powf pairs with a result that
/// is neither 0 nor an infinity.
template <typename T>
static void checkBinary(const std::string &name, Worst &worst, size_t count) {
  std::mt19937_64 random(12);
  std::vector<T> x = samples<T>(count, random), y = samples<T>(count, random);
  std::shuffle(y.begin(), y.end(), random);
  for (T first : edges<T>())
    for (T second : edges<T>()) {
      x.push_back(first);
      y.push_back(second);
    }
  std::uniform_real_distribution<double> result(-1, 1);
  double most = sizeof(T) == 4 ? 104 : 746;
  for (size_t i = 0, size = x.size(); name == "powf" && i < size; ++i) {
    T base = std::abs(x[i]);
    x.push_back(base);
    y.push_back(T(result(random) * most / std::log(base)));
  }
  for (size_t i = 0; name == "atan2" && i < count; ++i) {
    x.push_back(T(result(random)));
    y.push_back(T(result(random)));
  }
  Kernel kernel(name, sizeof(T) == 4 ? "f32" : "f64");
  runAndCompare(name, kernel, x, y, worst);
}

/// Exponents of each size, and those with a result that is ordinary.
template <typename T, typename N>
static void checkIntegerPower(Worst &worst, size_t count) {
  std::mt19937_64 random(13);
  std::vector<T> x;
  std::vector<N> n;
  auto add = [&](T base, N exponent) {
    x.push_back(base);
    n.push_back(exponent);
  };
  for (T base : edges<T>())
    for (N exponent :
         {N(0), N(1), N(-1), N(2), N(3), N(-2), N(100), N(-101), N(1) << 24 | 1,
          std::numeric_limits<N>::max(), std::numeric_limits<N>::min()})
      add(base, exponent);
  std::uniform_real_distribution<double> result(-1, 1);
  for (T base : samples<T>(count, random)) {
    add(base, N(random() >> (random() % 64)));
    double power = result(random) * (sizeof(T) == 4 ? 104 : 746) /
                   std::log(std::abs(double(base)));
    if (std::abs(power) < double(std::numeric_limits<N>::max()) / 2)
      add(base, N(power));
  }
  Kernel kernel("fpowi", sizeof(T) == 4 ? "f32" : "f64",
                sizeof(N) == 4 ? "i32" : "i64");
  std::vector<T> found =
      kernel.run<T, N>(std::span<const T>(x), std::span<const N>(n));
  std::vector<int64_t> wide(n.begin(), n.end());
  compare(Reference("fpowi"), x, wide, found, worst);
}

/// A function's greatest error over the samples of its test, or `more` times
/// their number.
template <typename T>
static Worst measure(const std::string &name, size_t more = 1) {
  Worst worst;
  constexpr bool isSingle = sizeof(T) == 4;
  size_t count = more * (isSingle ? 200000 : 4000);
  if (name == "fpowi") {
    checkIntegerPower<T, int32_t>(worst, count);
    checkIntegerPower<T, int64_t>(worst, count);
  } else if (isBinary(name)) {
    checkBinary<T>(name, worst, count);
  } else {
    checkUnary<T>(name, worst, count);
    if constexpr (isSingle)
      sweep(name, 257, uint64_t(1) << 32, worst);
  }
  return worst;
}

template <typename T> static void checkBounds(double ErrorBound::*bound) {
  for (const ErrorBound &function : errorBounds()) {
    if (std::string(function.function) == "sincos")
      continue;
    Worst worst = measure<T>(function.function);
    INFO(function.function << ": " << worst.error << " at " << worst.location);
    CHECK(worst.error <= function.*bound);
  }
}

TEST_CASE("math bounds: f32") { checkBounds<float>(&ErrorBound::single); }
TEST_CASE("math bounds: f64") { checkBounds<double>(&ErrorBound::wide); }

/// Its two results are those of sin and cos.
template <typename T> static void checkSincos() {
  std::mt19937_64 random(14);
  std::vector<T> x = samples<T>(1000, random);
  std::string type = sizeof(T) == 4 ? "f32" : "f64";
  for (int result : {0, 1}) {
    std::vector<T> both =
        Kernel("sincos", type, "i32", result).run(std::span<const T>(x));
    std::vector<T> one =
        Kernel(result ? "cos" : "sin", type).run(std::span<const T>(x));
    for (size_t i = 0; i < x.size(); ++i) {
      INFO("x = " << x[i] << ", result " << result);
      CHECK((both[i] == one[i] || (std::isnan(both[i]) && std::isnan(one[i]))));
    }
  }
}

TEST_CASE("math: sincos is sin and cos") {
  checkSincos<float>();
  checkSincos<double>();
}

/// The page that people read has the same numbers.
TEST_CASE("math bounds: docs/math.md") {
  std::ifstream file(MATH_PAGE);
  std::stringstream page;
  page << file.rdbuf();
  for (const ErrorBound &function : errorBounds()) {
    std::ostringstream row;
    row << "| " << function.function << " | " << function.operands << " | "
        << function.single << " | " << function.wide << " |";
    INFO("expected this row: " << row.str());
    CHECK(page.str().find(row.str()) != std::string::npos);
  }
}

/// Prints the greatest errors of the tests above; only runs when it is named.
TEST_CASE("math bounds: measure", "[.measure]") {
  for (const ErrorBound &function : errorBounds()) {
    if (std::string(function.function) == "sincos")
      continue;
    Worst single = measure<float>(function.function);
    Worst wide = measure<double>(function.function);
    std::printf("| %s | %g | %.3f | %g | %.3f |  %s   %s\n", function.function,
                function.single, single.error, function.wide, wide.error,
                single.location.c_str(), wide.location.c_str());
    std::fflush(stdout);
  }
}

/// Twenty times the samples of the test; only runs when it is named.
TEST_CASE("math bounds: more of f64", "[.exhaustive]") {
  for (const ErrorBound &function : errorBounds()) {
    std::string name = function.function;
    if (name == "sincos")
      continue;
    Worst worst = measure<double>(name, 20);
    std::printf("| %s | %.4f |  %s\n", name.c_str(), worst.error,
                worst.location.c_str());
    std::fflush(stdout);
    CHECK(worst.error <= function.wide);
  }
}

/// Whether the formula is odd or even in its operand.
static bool isSymmetric(const std::string &name) {
  for (const char *other : {"asin", "asinh", "atan", "atanh", "cbrt", "cos",
                            "cosh", "erf", "sin", "sinh", "tan", "tanh"})
    if (name == other)
      return true;
  return false;
}

/// All 2^32 operands of each function (of odd and even ones those without a
/// sign), minutes each; only runs when it is named (with `-c log` for one).
TEST_CASE("math bounds: all of f32", "[.exhaustive]") {
  for (const ErrorBound &function : errorBounds()) {
    std::string name = function.function;
    if (name == "sincos" || isBinary(name))
      continue;
    DYNAMIC_SECTION(name) {
      Worst worst;
      sweep(name, 1, uint64_t(1) << (isSymmetric(name) ? 31 : 32), worst);
      std::printf("| %s | %.4f |  %s\n", name.c_str(), worst.error,
                  worst.location.c_str());
      std::fflush(stdout);
      CHECK(worst.error <= function.single);
    }
  }
}
