// Functions against those of long double, over all exponents, and their values
// at the edges.
#include "spatial/numeric/Numeric.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

using namespace tilewright::spatial;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

std::vector<float> apply(AluOp op, std::vector<std::vector<float>> operands) {
  std::vector<std::vector<Lane>> lanes;
  for (const std::vector<float> &operand : operands)
    for (lanes.emplace_back(); float x : operand)
      lanes.back().push_back(std::bit_cast<Lane>(x));
  std::vector<std::span<const Lane>> spans(lanes.begin(), lanes.end());
  std::vector<Lane> result(operands[0].size());
  evaluateAlu(op, DType::F32, spans, DType::F32, result);
  std::vector<float> values;
  for (Lane lane : result)
    values.push_back(std::bit_cast<float>(lane));
  return values;
}

/// The distance to `exact` in units of the last place of f32 there.
double ulps(float x, long double exact) {
  auto nearest = static_cast<float>(exact);
  if (x == nearest || (x != x && nearest != nearest))
    return 0;
  if (!std::isfinite(x) || !std::isfinite(nearest))
    return std::numeric_limits<double>::infinity();
  int exponent = std::max(std::ilogb(exact), -126);
  return static_cast<double>(std::fabs(x - exact) /
                             std::ldexp(1.0L, exponent - 23));
}

double greatestError(AluOp op, long double (*exact)(long double)) {
  std::vector<float> x;
  for (uint64_t bits = 0; bits < 0x100000000; bits += 28657)
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  std::vector<float> y = apply(op, {x});
  double greatest = 0;
  for (size_t i = 0; i < x.size(); ++i)
    greatest = std::max(greatest, ulps(y[i], exact(x[i])));
  return greatest;
}

/// Bits of results, where any NaN equals any NaN.
void checkValues(AluOp op, const std::vector<std::pair<float, float>> &rows) {
  for (auto [x, expected] : rows) {
    float y = apply(op, {{x}})[0];
    INFO(aluName(op) << "(" << x << ") is " << y << ", expected " << expected);
    CHECK((expected != expected
               ? y != y
               : std::bit_cast<Lane>(y) == std::bit_cast<Lane>(expected)));
  }
}

} // namespace

TEST_CASE("functions are within 1 ulp of f32") {
  using Exact = long double (*)(long double);
  CHECK(greatestError(AluOp::exp, Exact(std::exp)) < 0.51);
  CHECK(greatestError(AluOp::log, Exact(std::log)) < 0.51);
  CHECK(greatestError(AluOp::tanh, Exact(std::tanh)) < 0.51);
  CHECK(greatestError(AluOp::erf, Exact(std::erf)) < 0.51);
  CHECK(greatestError(AluOp::sin, Exact(std::sin)) < 0.51);
  CHECK(greatestError(AluOp::cos, Exact(std::cos)) < 0.51);
  CHECK(greatestError(AluOp::sqrt, Exact(std::sqrt)) < 0.51);
  CHECK(greatestError(AluOp::rsqrt,
                      [](long double x) { return 1 / std::sqrt(x); }) < 0.51);
}

TEST_CASE("pow is within 1 ulp of f32") {
  std::vector<float> x, y;
  for (uint64_t bits = 0; bits < 0x100000000; bits += 0x1234567)
    for (uint64_t other = 0; other < 0x100000000; other += 0x7654321) {
      // Half of the exponents where results are numbers.
      float exponent = std::bit_cast<float>(static_cast<uint32_t>(other));
      x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
      y.push_back(other % 2 ? exponent : std::remainder(exponent, 40.0F));
    }
  // Near 1, where the result depends on all digits of the logarithm.
  for (int i = -40; i < 40; ++i)
    for (float exponent : {1e6F, -3e5F, 1.25e7F}) {
      x.push_back(1 + static_cast<float>(i) * 0x1p-22F);
      y.push_back(exponent);
    }
  std::vector<float> z = apply(AluOp::pow, {x, y});
  double greatest = 0;
  for (size_t i = 0; i < x.size(); ++i)
    greatest = std::max(
        greatest, ulps(z[i], std::pow(static_cast<long double>(x[i]), y[i])));
  CHECK(greatest < 0.51);
}

TEST_CASE("functions at the edges") {
  checkValues(AluOp::exp, {{infinity, infinity},
                           {-infinity, 0.0F},
                           {notANumber, notANumber},
                           {-0.0F, 1.0F},
                           {89.0F, infinity},
                           {-104.0F, 0.0F}});
  checkValues(AluOp::log, {{0.0F, -infinity},
                           {-0.0F, -infinity},
                           {1.0F, 0.0F},
                           {infinity, infinity},
                           {-1.0F, notANumber},
                           {-infinity, notANumber}});
  checkValues(AluOp::tanh, {{-0.0F, -0.0F},
                            {infinity, 1.0F},
                            {-infinity, -1.0F},
                            {notANumber, notANumber}});
  checkValues(AluOp::erf, {{-0.0F, -0.0F},
                           {infinity, 1.0F},
                           {-infinity, -1.0F},
                           {notANumber, notANumber}});
  checkValues(
      AluOp::sin,
      {{-0.0F, -0.0F}, {infinity, notANumber}, {notANumber, notANumber}});
  checkValues(AluOp::cos, {{-0.0F, 1.0F}, {-infinity, notANumber}});
  checkValues(AluOp::sqrt,
              {{-0.0F, -0.0F}, {-1.0F, notANumber}, {infinity, infinity}});
  checkValues(AluOp::rsqrt, {{0.0F, infinity},
                             {-0.0F, -infinity},
                             {-1.0F, notANumber},
                             {infinity, 0.0F}});
  checkValues(AluOp::round, {{0.5F, 0.0F},
                             {1.5F, 2.0F},
                             {-0.25F, -0.0F},
                             {-2.5F, -2.0F},
                             {0x1p23F + 1, 0x1p23F + 1},
                             {0x1.fffffep22F, 0x1p23F},
                             {infinity, infinity},
                             {notANumber, notANumber}});
  checkValues(AluOp::floor, {{-0.5F, -1.0F}, {-0.0F, -0.0F}, {1.5F, 1.0F}});
  checkValues(AluOp::ceil, {{-0.5F, -0.0F}, {1.5F, 2.0F}});
  checkValues(AluOp::trunc, {{-1.5F, -1.0F}, {-0.5F, -0.0F}});
  checkValues(AluOp::abs, {{-0.0F, 0.0F}, {-infinity, infinity}});
}

TEST_CASE("pow has the edges of IEEE 754") {
  struct Row {
    float x, y, expected;
  };
  const Row rows[] = {{notANumber, 0, 1},
                      {1, notANumber, 1},
                      {2, notANumber, notANumber},
                      {-1, infinity, 1},
                      {0.5F, infinity, 0},
                      {0.5F, -infinity, infinity},
                      {-2, infinity, infinity},
                      {-2, 3, -8},
                      {-2, 2, 4},
                      {-2, 0.5F, notANumber},
                      {0, -1, infinity},
                      {-0.0F, -1, -infinity},
                      {-0.0F, -2, infinity},
                      {-0.0F, 3, -0.0F},
                      {-0.0F, 2.5F, 0},
                      {infinity, -1, 0},
                      {-infinity, 3, -infinity},
                      {-infinity, -3, -0.0F},
                      {-infinity, 0.5F, infinity},
                      {-1, 0x1p24F, 1},
                      {-1, 0x1p24F - 1, -1}};
  for (const Row &row : rows) {
    float z = apply(AluOp::pow, {{row.x}, {row.y}})[0];
    INFO("pow(" << row.x << ", " << row.y << ") is " << z);
    CHECK((row.expected != row.expected
               ? z != z
               : std::bit_cast<Lane>(z) == std::bit_cast<Lane>(row.expected)));
  }
}
