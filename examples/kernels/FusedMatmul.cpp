// Products of matrices with more in the same kernel.
#include "Check.h"

namespace known {

// kernel: GEMM with epilogue
/// D = relu(alpha A B + beta C + bias).
static void epilogueMatmul(View<F16, 2> a, View<F16, 2> b, View<F16, 2> c,
                           View<F16, 1> bias, View<F16, 2> d, Scalar<F32> alpha,
                           Scalar<F32> beta) {
  int64_t bm = tunable("bm", {32, 64}), bn = tunable("bn", {32, 64});
  int64_t bk = tunable("bk", {32, 64});
  auto [i, j] = program(ceilDiv(a.dim(0), bm), ceilDiv(b.dim(1), bn));
  auto acc = loop(ceilDiv(a.dim(1), bk), zeros<F32>(bm, bn),
                  [&, i = i, j = j](Index k, Tile<F32, 2> acc) {
                    return dot(a.load({i, k}, {bm, bk}),
                               b.load({k, j}, {bk, bn}), acc);
                  });
  auto sum = alpha * acc + beta * cast<F32>(c.load({i, j}, {bm, bn})) +
             expand(cast<F32>(bias.load(j, bn)), 0);
  d.store({i, j}, cast<F16>(max(sum, 0.0)));
}
// end

// kernel: dual GEMM
/// silu(A B0) * (A B1): A is read once.
static void dualMatmul(View<F16, 2> a, View<F16, 2> b0, View<F16, 2> b1,
                       View<F16, 2> d) {
  int64_t bm = tunable("bm", {32, 64}), bn = tunable("bn", {32, 64});
  int64_t bk = tunable("bk", {32, 64});
  auto [i, j] = program(ceilDiv(a.dim(0), bm), ceilDiv(b0.dim(1), bn));
  auto zero = zeros<F32>(bm, bn);
  auto [gate, up] =
      loop(ceilDiv(a.dim(1), bk), std::tuple(zero, zero),
           [&, i = i, j = j](Index k, Tile<F32, 2> gate, Tile<F32, 2> up) {
             auto t = a.load({i, k}, {bm, bk});
             return std::tuple(dot(t, b0.load({k, j}, {bk, bn}), gate),
                               dot(t, b1.load({k, j}, {bk, bn}), up));
           });
  d.store({i, j}, cast<F16>(gate * sigmoid(gate) * up));
}
// end

// kernel: block-scaled matmul
/// Elements of 8 bits; 32 of them along k share a scale.
static void scaledMatmul(View<F8E4M3FN, 2> a, View<F8E8M0FNU, 2> aScale,
                         View<F8E4M3FN, 2> b, View<F8E8M0FNU, 2> bScale,
                         View<F32, 2> c) {
  int64_t bm = tunable("bm", {32, 64}), bn = tunable("bn", {32, 64});
  int64_t bk = tunable("bk", {64, 128});
  auto [i, j] = program(ceilDiv(a.dim(0), bm), ceilDiv(b.dim(1), bn));
  auto acc =
      loop(ceilDiv(a.dim(1), bk), zeros<F32>(bm, bn),
           [&, i = i, j = j](Index k, Tile<F32, 2> acc) {
             return scaledDot(a.load({i, k}, {bm, bk}),
                              aScale.load({i, k}, {bm, bk / 32}, 1),
                              b.load({k, j}, {bk, bn}),
                              bScale.load({k, j}, {bk / 32, bn}, 1), acc);
           });
  c.store({i, j}, acc);
}
// end

// kernel: GEMM with gathered rows
/// The rows of A in an index list times B, scattered to rows of C.
static void gatherMatmul(View<F16, 2> a, View<I32, 1> from, View<I32, 1> to,
                         View<F16, 2> b, View<F32, 2> c) {
  int64_t bm = tunable("bm", {32, 64}), bn = tunable("bn", {32, 64});
  int64_t bk = tunable("bk", {32, 64});
  auto [i, j] = program(ceilDiv(from.dim(0), bm), ceilDiv(b.dim(1), bn));
  auto row = expand(cast<I64>(from.load(i, bm)), 1);
  auto listed = expand(from.inside(i, bm), 1);
  auto acc =
      loop(ceilDiv(a.dim(1), bk), zeros<F32>(bm, bn),
           [&, j = j](Index k, Tile<F32, 2> acc) {
             auto column = expand(iota<I64>(bk), 0) + cast<I64>(k * bk);
             auto here = listed && column < cast<I64>(a.dim(1));
             auto at = a.base() + (row * cast<I64>(a.dim(1)) + column);
             return dot(load(at, here, 0), b.load({k, j}, {bk, bn}), acc);
           });
  auto target = expand(cast<I64>(to.load(i, bm)), 1);
  auto column = expand(iota<I64>(bn), 0) + cast<I64>(j * bn);
  store(c.base() + (target * cast<I64>(c.dim(1)) + column), acc,
        listed && column < cast<I64>(c.dim(1)));
}
// end

static void checkEpilogue(Checker &check, int64_t m, int64_t n, int64_t k) {
  std::string text =
      std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  auto a = Checker::noise(m * k, 20), b = Checker::noise(k * n, 21),
       c = Checker::noise(m * n, 22), bias = Checker::noise(n, 23),
       b1 = Checker::noise(k * n, 24);
  Doubles ab = product(a, b, m, n, k), up = product(a, b1, m, n, k), d, dual;
  for (int64_t i = 0; i < m * n; ++i) {
    auto at = size_t(i);
    d.push_back(std::max(0.0, 0.5 * ab[at] + 2 * c[at] + bias[size_t(i % n)]));
    dual.push_back(ab[at] / (1 + std::exp(-ab[at])) * up[at]);
  }
  DeviceTensor A = check.tensor<Float16>({m, k}, a),
               B = check.tensor<Float16>({k, n}, b),
               D = check.zeros<Float16>({m, n});
  check.shape("GEMM with epilogue", text);
  check.run(kernel("epilogue_matmul", epilogueMatmul), {}, A, B,
            check.tensor<Float16>({m, n}, c), check.tensor<Float16>({n}, bias),
            D, 0.5, 2);
  check.expect<Float16>(D, d, halfRounding);
  check.shape("dual GEMM", text);
  check.run(kernel("dual_matmul", dualMatmul), {}, A, B,
            check.tensor<Float16>({k, n}, b1), D);
  check.expect<Float16>(D, dual, halfRounding);
}

static void checkScaled(Checker &check, int64_t m, int64_t n, int64_t k) {
  check.shape("block-scaled matmul", std::to_string(m) + "x" +
                                         std::to_string(n) + "x" +
                                         std::to_string(k));
  // 1, 2, -1, 0.5, 0, 3 as f8E4M3FN, and scales 0.5, 1, 2.
  const std::vector<std::pair<uint8_t, double>> numbers = {
      {0x38, 1}, {0x40, 2}, {0xB8, -1}, {0x30, 0.5}, {0, 0}, {0x44, 3}};
  auto elements = [&](int64_t count, int64_t seed, Doubles &values) {
    std::vector<uint8_t> bytes;
    for (int64_t i = 0; i < count; ++i) {
      auto [byte, value] = numbers[size_t(i * seed % 31 % 6)];
      bytes.push_back(byte);
      values.push_back(value);
    }
    return bytes;
  };
  auto scales = [](int64_t count, int64_t seed) {
    std::vector<uint8_t> bytes;
    for (int64_t i = 0; i < count; ++i)
      bytes.push_back(uint8_t(126 + i * seed % 3));
    return bytes;
  };
  Doubles a, b;
  auto A = elements(m * k, 7, a), B = elements(k * n, 11, b);
  int64_t blocks = (k + 31) / 32;
  auto SA = scales(m * blocks, 5), SB = scales(blocks * n, 7);
  for (int64_t i = 0; i < m * k; ++i)
    a[size_t(i)] *=
        std::ldexp(1, SA[size_t(i / k * blocks + i % k / 32)] - 127);
  for (int64_t i = 0; i < k * n; ++i)
    b[size_t(i)] *= std::ldexp(1, SB[size_t(i / n / 32 * n + i % n)] - 127);
  using runtime::DType;
  DeviceTensor C = check.zeros<float>({m, n});
  check.run(kernel("scaled_matmul", scaledMatmul), {},
            check.tensor(DType::F8E4M3FN, {m, k}, A),
            check.tensor(DType::F8E8M0FNU, {m, blocks}, SA),
            check.tensor(DType::F8E4M3FN, {k, n}, B),
            check.tensor(DType::F8E8M0FNU, {blocks, n}, SB), C);
  check.expect<float>(C, product(a, b, m, n, k));
}

/// `rows` of A's m rows, from the last on every second; the same rows of C.
static void checkGather(Checker &check, int64_t m, int64_t n, int64_t k,
                        int64_t rows) {
  check.shape("GEMM with gathered rows",
              std::to_string(rows) + " of " + std::to_string(m) + "x" +
                  std::to_string(n) + "x" + std::to_string(k));
  auto a = Checker::noise(m * k, 25), b = Checker::noise(k * n, 26);
  auto all = product(a, b, m, n, k);
  Doubles from, to, c(size_t(m * n));
  for (int64_t i = 0; i < rows; ++i) {
    from.push_back(double((m - 1) - i * 2 % m));
    to.push_back(double(i));
    for (int64_t j = 0; j < n; ++j)
      c[size_t(i * n + j)] = all[size_t(int64_t(from.back()) * n + j)];
  }
  DeviceTensor C = check.zeros<float>({m, n});
  check.run(
      kernel("gather_matmul", gatherMatmul), {},
      check.tensor<Float16>({m, k}, a), check.tensor<int32_t>({rows}, from),
      check.tensor<int32_t>({rows}, to), check.tensor<Float16>({k, n}, b), C);
  check.expect<float>(C, c);
}

void checkFusedMatmul(Checker &check) {
  for (auto [m, n, k] :
       Triples{{0, 7, 8}, {5, 6, 0}, {1, 1, 1}, {64, 64, 32}, {70, 45, 100}})
    checkEpilogue(check, m, n, k);
  for (auto [m, n, k] :
       Triples{{0, 7, 32}, {1, 1, 32}, {1, 1, 1}, {64, 32, 64}, {45, 70, 96}})
    checkScaled(check, m, n, k);
  checkGather(check, 5, 6, 8, 0);
  checkGather(check, 1, 1, 1, 1);
  checkGather(check, 64, 32, 32, 32);
  checkGather(check, 70, 45, 100, 33);
}

} // namespace known
