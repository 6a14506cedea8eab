// Products of matrices.
#include "Check.h"

namespace known {

// kernel: matmul
/// Programs go through the tiles of C in groups of rows, so that programs that
/// run at the same time read the same parts of A and B.
static void matmul(View<F16, 2> a, View<F16, 2> b, View<F16, 2> c) {
  int64_t bm = tunable("bm", {32, 64, 128}), bn = tunable("bn", {32, 64, 256});
  int64_t bk = tunable("bk", {32, 64}), group = tunable("group", {8, 4});
  Index rows = ceilDiv(a.dim(0), bm), columns = ceilDiv(b.dim(1), bn);
  auto [p] = program(rows * columns);
  Index first = p / (columns * group) * group;
  Index height = min(rows - first, group), q = p % (columns * group);
  Index i = first + q % height, j = q / height;
  auto acc = loop(ceilDiv(a.dim(1), bk), zeros<F32>(bm, bn),
                  [&](Index k, Tile<F32, 2> acc) {
                    return dot(a.load({i, k}, {bm, bk}),
                               b.load({k, j}, {bk, bn}), acc);
                  });
  auto leaky = where(acc >= 0.0, acc, 0.01 * acc);
  c.store({i, j}, cast<F16>(leaky));
}
// end

// kernel: persistent matmul
static void persistentMatmul(View<F16, 2> a, View<F16, 2> b, View<F32, 2> c,
                             Index programs) {
  int64_t bm = tunable("bm", {32, 64, 128}), bn = tunable("bn", {32, 64, 256});
  int64_t bk = tunable("bk", {32, 64});
  auto [p] = program(programs);
  Index columns = ceilDiv(b.dim(1), bn);
  Range tiles(p, ceilDiv(a.dim(0), bm) * columns, programs);
  loop(tiles, [&](Index tile) {
    Index i = tile / columns, j = tile % columns;
    c.store({i, j}, loop(ceilDiv(a.dim(1), bk), zeros<F32>(bm, bn),
                         [&](Index k, Tile<F32, 2> acc) {
                           return dot(a.load({i, k}, {bm, bk}),
                                      b.load({k, j}, {bk, bn}), acc);
                         }));
  });
}
// end

// kernel: batched GEMM
static void batchedMatmul(View<F16, 3> a, View<F16, 3> b, View<F32, 3> c) {
  int64_t bm = tunable("bm", {32, 64}), bn = tunable("bn", {32, 64});
  int64_t bk = tunable("bk", {32, 64});
  auto [i, j, n] =
      program(ceilDiv(a.dim(1), bm), ceilDiv(b.dim(2), bn), a.dim(0));
  auto acc = loop(ceilDiv(a.dim(2), bk), zeros<F32>(1, bm, bn),
                  [&, i = i, j = j, n = n](Index k, Tile<F32, 3> acc) {
                    return dot(a.load({n, i, k}, {1, bm, bk}),
                               b.load({n, k, j}, {1, bk, bn}), acc);
                  });
  c.store({n, i, j}, acc);
}
// end

// kernel: split-K GEMM
/// Adds to C, which must be zero before.
static void splitMatmul(View<F16, 2> a, View<F16, 2> b, View<F32, 2> c) {
  int64_t bm = tunable("bm", {32, 64}), bn = tunable("bn", {32, 64});
  int64_t bk = tunable("bk", {32, 64}), splits = tunable("splits", {4, 2, 8});
  auto [i, j, s] =
      program(ceilDiv(a.dim(0), bm), ceilDiv(b.dim(1), bn), splits);
  auto acc = loop(Range(s, ceilDiv(a.dim(1), bk), splits), zeros<F32>(bm, bn),
                  [&, i = i, j = j](Index k, Tile<F32, 2> acc) {
                    return dot(a.load({i, k}, {bm, bk}),
                               b.load({k, j}, {bk, bn}), acc);
                  });
  c.reduce(Atomic::add, {i, j}, acc);
}
// end

// kernel: int8 GEMM
static void integerMatmul(View<I8, 2> a, View<I8, 2> b, View<F32, 1> scale,
                          View<I8, 2> c) {
  int64_t bm = tunable("bm", {32, 64}), bn = tunable("bn", {32, 64});
  int64_t bk = tunable("bk", {32, 64});
  auto [i, j] = program(ceilDiv(a.dim(0), bm), ceilDiv(b.dim(1), bn));
  auto acc = loop(ceilDiv(a.dim(1), bk), zeros<I32>(bm, bn),
                  [&, i = i, j = j](Index k, Tile<I32, 2> acc) {
                    return dot(a.load({i, k}, {bm, bk}),
                               b.load({k, j}, {bk, bn}), acc);
                  });
  auto scaled = cast<F32>(acc) * expand(scale.load(j, bn), 0);
  c.store({i, j}, saturate<I8>(scaled, Rounding::nearestEven));
}
// end

static void checkProducts(Checker &check, int64_t m, int64_t n, int64_t k) {
  std::string text =
      std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  auto a = Checker::noise(m * k, 9), b = Checker::noise(k * n, 10);
  auto c = product(a, b, m, n, k), leaky = c;
  for (double &x : leaky)
    x = x >= 0 ? x : 0.01 * x;
  DeviceTensor A = check.tensor<Float16>({m, k}, a),
               B = check.tensor<Float16>({k, n}, b);
  check.shape("matmul", text);
  DeviceTensor half = check.zeros<Float16>({m, n});
  check.run(kernel("matmul", matmul), {}, A, B, half);
  check.expect<Float16>(half, leaky, halfRounding);
  check.shape("persistent matmul", text);
  DeviceTensor C = check.zeros<float>({m, n});
  check.run(kernel("persistent_matmul", persistentMatmul), {}, A, B, C, 3);
  check.expect<float>(C, c);
  check.shape("split-K GEMM", text);
  DeviceTensor D = check.zeros<float>({m, n});
  check.run(kernel("split_matmul", splitMatmul), {}, A, B, D);
  check.expect<float>(D, c);
  check.shape("batched GEMM", "3 of " + text);
  auto as = Checker::noise(3 * m * k, 11), bs = Checker::noise(3 * k * n, 12);
  Doubles all;
  for (int64_t i = 0; i < 3; ++i) {
    Doubles one = product(
        {as.begin() + i * m * k, as.begin() + (i + 1) * m * k},
        {bs.begin() + i * k * n, bs.begin() + (i + 1) * k * n}, m, n, k);
    all.insert(all.end(), one.begin(), one.end());
  }
  DeviceTensor E = check.zeros<float>({3, m, n});
  check.run(kernel("batched_matmul", batchedMatmul), {},
            check.tensor<Float16>({3, m, k}, as),
            check.tensor<Float16>({3, k, n}, bs), E);
  check.expect<float>(E, all);
}

static void checkIntegers(Checker &check, int64_t m, int64_t n, int64_t k) {
  check.shape("int8 GEMM", std::to_string(m) + "x" + std::to_string(n) + "x" +
                               std::to_string(k));
  auto whole = [](Doubles x) {
    for (double &number : x)
      number *= 64;
    return x;
  };
  auto a = whole(Checker::noise(m * k, 13)),
       b = whole(Checker::noise(k * n, 14));
  Doubles scale(size_t(n), 0x1p-8), c = product(a, b, m, n, k);
  for (double &x : c)
    x = std::clamp(std::nearbyint(x * 0x1p-8), -128.0, 127.0);
  DeviceTensor C = check.zeros<int8_t>({m, n});
  check.run(kernel("integer_matmul", integerMatmul), {},
            check.tensor<int8_t>({m, k}, a), check.tensor<int8_t>({k, n}, b),
            check.tensor<float>({n}, scale), C);
  check.expect<int8_t>(C, c);
}

void checkMatmul(Checker &check) {
  for (auto [m, n, k] :
       Triples{{0, 7, 8}, {5, 6, 0}, {1, 1, 1}, {64, 64, 32}, {70, 45, 100}}) {
    checkProducts(check, m, n, k);
    checkIntegers(check, m, n, k);
  }
}

} // namespace known
