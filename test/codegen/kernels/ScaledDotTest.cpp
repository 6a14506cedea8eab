// tile.scaled_dot: small floats with block scales.
#include "DotBound.h"
#include "KernelText.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;

static const Input kNumbers = {.values = {1, 0, -2, 0.5, 1.5, -1, 2, 4, -0.5}};
static const Input kScales = {.values = {1, 2, 0.5, 4, 1}};

namespace {
struct Case {
  std::string lhs, rhs, scale;
  int64_t m, n, k, block, batch = 0;
};
} // namespace

static TileType shaped(const std::string &element, int64_t rows,
                       int64_t columns, int64_t batch) {
  return batch ? tile(element, {batch, rows, columns})
               : tile(element, {rows, columns});
}

static KernelText scaledDot(const Case &c, const Input &numbers,
                            const Input &scales) {
  KernelText k;
  Value lhs = k.load(shaped(c.lhs, c.m, c.k, c.batch), numbers);
  Value rhs = k.load(shaped(c.rhs, c.k, c.n, c.batch), numbers);
  Value ls = k.load(shaped(c.scale, c.m, c.k / c.block, c.batch), scales);
  Value rs = k.load(shaped(c.scale, c.k / c.block, c.n, c.batch), scales);
  Value acc =
      k.load(shaped("f32", c.m, c.n, c.batch), {.values = {0, 1, -2, 3}});
  k.store(k.op("tile.scaled_dot $0 scale $1, $2 scale $3, $4 : %0 scale %1, "
               "%2 scale %3 -> %r",
               {lhs, ls, rhs, rs, acc}, acc.type));
  return k;
}

static const char *const kOperands[] = {"f8E4M3FN", "f8E5M2", "f4E2M1FN"};

TEST_CASE("scaled dot: each pair of types, exact sums") {
  for (const char *lhs : kOperands)
    for (const char *rhs : kOperands)
      for (int64_t block : {16, 32})
        for (int64_t batch : {0, 2}) {
          scaledDot({lhs, rhs, "f8E8M0FNU", 3, 7, 64, block, batch}, kNumbers,
                    kScales)
              .checkOneIn(5);
          scaledDot({lhs, rhs, "f8E8M0FNU", 17, 33, 96, block, batch}, kNumbers,
                    kScales)
              .checkOneIn(5);
        }
}

TEST_CASE("scaled dot: sizes") {
  for (int64_t m : {1, 3, 16, 33})
    for (int64_t n : {1, 7, 16, 33})
      for (int64_t k : {32, 64, 160})
        for (int64_t block : {16, 32})
          scaledDot({"f4E2M1FN", "f8E4M3FN", "f8E8M0FNU", m, n, k, block},
                    kNumbers, kScales)
              .checkOneIn(8);
}

TEST_CASE("scaled dot: scales with fractions") {
  for (int64_t block : {16, 32}) {
    Case c{"f4E2M1FN", "f4E2M1FN", "f8E4M3FN", 9, 17, 64, block};
    scaledDot(c, {.anyBits = true}, {.values = {1.5, 2, -0.75, 3, 1, 0}})
        .check();
    // Any scale but NaN: 64 products of numbers up to 6 * 440 each.
    scaledDot(c, {.anyBits = true}, {.low = -440, .high = 440})
        .check({0, dotBound(64, 3 + 64 * 2640. * 2640, c.lhs, "f32")});
    scaledDot(c, kNumbers, {.values = {1, NAN, 2, 0.5}}).check();
  }
}

TEST_CASE("scaled dot: scales far from 1, and NaN") {
  Case c{"f8E5M2", "f8E5M2", "f8E8M0FNU", 5, 9, 64, 32};
  // 2^60, 2^-60, NaN, 1.
  for (Input scales : {Input{.bits = {187, 127}}, Input{.bits = {67, 127}},
                       Input{.bits = {127, 255, 127}}})
    scaledDot(c, {.values = {1, 2, 0.5, -1}}, scales).check({1 << 20, 0});
  // The greatest scales overflow to infinities, the least ones underflow.
  scaledDot(c, {.values = {1, 2}}, {.bits = {254}}).check();
  scaledDot(c, {.values = {1, 2}}, {.bits = {0}}).check();
}
