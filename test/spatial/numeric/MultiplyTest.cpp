// Products of planes: all copies of the hot loops give the same bits, those of
// sums written down plainly.
#include "spatial/numeric/MultiplyKernels.h"
#include "spatial/numeric/Numeric.h"

#include "tilewright/runtime/HalfFloats.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

using namespace tilewright::spatial;
using tilewright::HostIsa;

namespace {

float floatOf(Lane lane) { return std::bit_cast<float>(lane); }

/// A lane of `type`, of any exponent; seldom infinity or NaN.
Lane randomLane(DType type, std::mt19937 &random) {
  auto bits = static_cast<uint32_t>(random());
  switch (type) {
  case DType::I8:
    return static_cast<Lane>(static_cast<int8_t>(bits));
  case DType::F16: {
    float x = tilewright::Float16::fromBits(static_cast<uint16_t>(bits));
    return std::isfinite(x) || random() % 1000 == 0 ? std::bit_cast<Lane>(x)
                                                    : 0x3f800000;
  }
  default: {
    if (type == DType::BF16)
      bits &= 0xffff0000;
    // Half of the exponents near 1, so that sums are not one term alone.
    if (random() % 2)
      bits = (bits & 0x83ffffff) | 0x3c000000;
    return std::isfinite(floatOf(bits)) || random() % 1000 == 0 ? bits
                                                                : 0x3f800000;
  }
  }
}

struct Case {
  DType type = DType::F32;
  size_t depth = 0, columns = 0;
  std::vector<Lane> x, accumulator;
  std::vector<std::vector<Lane>> rows;
  std::vector<const Lane *> pointers;

  Case(DType type, size_t depth, size_t columns, std::mt19937 &random)
      : type(type), depth(depth), columns(columns) {
    auto fill = [&](std::vector<Lane> &lanes, size_t count) {
      for (size_t i = 0; i < count; ++i)
        lanes.push_back(randomLane(type, random));
    };
    fill(x, depth);
    fill(accumulator, columns);
    for (size_t k = 0; k < depth; ++k) {
      fill(rows.emplace_back(), columns);
      pointers.push_back(rows.back().data());
    }
  }

  /// M10, as it stands.
  [[nodiscard]] Lane expected(size_t column, bool isAccumulated) const {
    if (type == DType::I8) {
      Lane sum = 0;
      for (size_t k = 0; k < depth; ++k)
        sum += x[k] * rows[k][column];
      return isAccumulated ? sum + accumulator[column] : sum;
    }
    float sum = 0;
    for (size_t k = 0; k < depth; ++k)
      sum = std::fma(floatOf(x[k]), floatOf(rows[k][column]), sum);
    if (isAccumulated)
      sum += floatOf(accumulator[column]);
    return sum == sum ? std::bit_cast<Lane>(sum) : 0x7fc00000;
  }
};

constexpr DType types[] = {DType::I8, DType::F16, DType::BF16, DType::F32};

} // namespace

TEST_CASE("products are the sums of M10") {
  std::mt19937 random(7);
  for (DType type : types)
    for (size_t columns : {1, 3, 4, 17, 64, 130, 320, 1100})
      for (size_t depth : {0, 1, 5, 64}) {
        Case test(type, depth, columns, random);
        INFO(valueTypeName(type) << " " << depth << " x " << columns);
        std::vector<Lane> result(columns), sum = test.accumulator;
        multiply(type, test.x, test.pointers, nullptr, result);
        multiply(type, test.x, test.pointers, sum.data(), sum);
        size_t wrong = 0;
        for (size_t c = 0; c < columns; ++c)
          wrong += (result[c] != test.expected(c, false)) +
                   (sum[c] != test.expected(c, true));
        CHECK(wrong == 0);
      }
}

TEST_CASE("all copies of the loops give the same bits") {
  std::mt19937 random(11);
  const MultiplyKernels *baseline = multiplyKernels(HostIsa::baseline);
  REQUIRE(baseline);
  auto compare = [&](auto MultiplyKernels::*kernel, const Case &test) {
    std::vector<Lane> expected(test.columns), found(test.columns);
    auto sum = [&](std::vector<Lane> &result) {
      // The first column is left out.
      return ProductSum{test.x.data(),
                        test.pointers.data(),
                        static_cast<int64_t>(test.depth),
                        1,
                        static_cast<int64_t>(test.columns) - 1,
                        result.data()};
    };
    (baseline->*kernel)(sum(expected));
    for (HostIsa isa : {HostIsa::avx2, HostIsa::avx512})
      if (const MultiplyKernels *copy = multiplyKernels(isa)) {
        (copy->*kernel)(sum(found));
        size_t wrong = 0;
        for (size_t c = 0; c < test.columns; ++c)
          wrong += expected[c] != found[c] &&
                   !(test.type != DType::I8 && std::isnan(floatOf(found[c])) &&
                     std::isnan(floatOf(expected[c])));
        CHECK(wrong == 0);
      }
  };
  for (size_t columns : {2, 33, 129, 320})
    for (size_t depth : {3, 320})
      for (DType type : types) {
        Case test(type, depth, columns, random);
        if (type == DType::I8)
          compare(&MultiplyKernels::integers, test);
        else
          compare(&MultiplyKernels::fused, test);
        if (type == DType::F16)
          compare(&MultiplyKernels::exactProducts, test);
      }
}
