// One element in, one element out.
#include "Check.h"

#include <array>

namespace known {

// kernel: vector add
static void vectorAdd(View<F32, 1> x, View<F32, 1> y, View<F32, 1> z) {
  int64_t block = tunable("block", {256, 1024});
  auto [i] = program(ceilDiv(x.dim(0), block));
  z.store(i, x.load(i, block) + y.load(i, block));
}
// end

// kernel: dropout
static void dropout(View<F32, 1> x, View<F32, 1> y, Scalar<F32> p,
                    Scalar<U32> seed) {
  int64_t block = tunable("block", {256, 1024});
  auto [i] = program(ceilDiv(x.dim(0), block));
  auto counter = iota<U32>(block) + cast<U32>(i * block);
  auto bits = philox(counter, full<U32>({block}, seed))[0];
  auto keep = cast<F32>(bits >> 8) * 0x1p-24 >= p;
  y.store(i, where(keep, x.load(i, block) / (1.0 - p), 0.0));
}
// end

// kernel: arc sine
static void arcSine(View<F32, 1> x, View<F32, 1> y) {
  int64_t block = tunable("block", {256, 1024});
  auto [i] = program(ceilDiv(x.dim(0), block));
  y.store(i, asin(x.load(i, block)));
}
// end

// kernel: transpose
static void transposed(View<F32, 2> x, View<F32, 2> y) {
  int64_t block = tunable("block", {32, 64});
  auto [i, j] = program(ceilDiv(x.dim(0), block), ceilDiv(x.dim(1), block));
  y.store({j, i}, transpose(x.load({i, j}, {block, block})));
}
// end

/// The first word of Philox 4x32-10 for a counter of 32 bits and a key.
static uint32_t philoxWord(uint32_t counter, uint32_t key) {
  std::array<uint32_t, 4> c = {counter, 0, 0, 0};
  std::array<uint32_t, 2> k = {key, 0};
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(0xD2511F53) * c[0], b = uint64_t(0xCD9E8D57) * c[2];
    c = {uint32_t(b >> 32) ^ c[1] ^ k[0], uint32_t(b),
         uint32_t(a >> 32) ^ c[3] ^ k[1], uint32_t(a)};
    k = {k[0] + 0x9E3779B9, k[1] + 0xBB67AE85};
  }
  return c[0];
}

static void checkVectors(Checker &check, int64_t n) {
  std::string text = std::to_string(n);
  auto x = Checker::noise(n, 1), y = Checker::noise(n, 2);
  DeviceTensor a = check.tensor<float>({n}, x), b = check.tensor<float>({n}, y),
               c = check.zeros<float>({n});
  Doubles sums, arcs, kept, fractions;
  for (size_t i = 0; i < x.size(); ++i) {
    sums.push_back(x[i] + y[i]);
    fractions.push_back(x[i] / 2);
    arcs.push_back(std::asin(x[i] / 2));
    uint32_t bits = philoxWord(static_cast<uint32_t>(i), 77);
    kept.push_back((bits >> 8) * 0x1p-24 >= 0.25 ? x[i] / 0.75 : 0);
  }
  check.shape("vector add", text);
  check.run(kernel("vector_add", vectorAdd), {}, a, b, c);
  check.expect<float>(c, sums);
  check.shape("dropout", text);
  check.run(kernel("dropout", dropout), {}, a, c, 0.25, 77);
  check.expect<float>(c, kept, 1e-6);
  check.shape("arc sine", text);
  check.run(kernel("arc_sine", arcSine), {},
            check.tensor<float>({n}, fractions), c);
  check.expect<float>(c, arcs, 1e-6);
}

static void checkTranspose(Checker &check, int64_t m, int64_t n) {
  check.shape("transpose", std::to_string(m) + "x" + std::to_string(n));
  auto x = Checker::noise(m * n, 3);
  Doubles expected;
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < m; ++i)
      expected.push_back(x[size_t(i * n + j)]);
  DeviceTensor from = check.tensor<float>({m, n}, x),
               to = check.zeros<float>({n, m});
  check.run(kernel("transposed", transposed), {}, from, to);
  check.expect<float>(to, expected);
}

void checkElementwise(Checker &check) {
  for (int64_t n : {0, 1, 256, 1000, 4097})
    checkVectors(check, n);
  for (auto [m, n] : Pairs{{0, 5}, {5, 0}, {1, 1}, {64, 32}, {33, 70}})
    checkTranspose(check, m, n);
}

} // namespace known
