// The kernels for the comparison of the cost model.
#ifndef TILEWRIGHT_BENCH_COST_MODEL_KERNELS_H
#define TILEWRIGHT_BENCH_COST_MODEL_KERNELS_H

#include "autotune/cost/ArgumentShape.h"
#include "tilewright/authoring.h"

namespace tilewright::bench {

using namespace tilewright::authoring;

/// A kernel with tunables and the sizes of one launch. Arguments without dims
/// are f32 numbers.
struct CostKernel {
  Kernel kernel;
  std::vector<autotune::ArgumentShape> arguments;
  /// The elements of the first so many are f16, those of the others f32.
  size_t halves = 0;
};

template <class T> void gemm(View<T, 2> A, View<T, 2> B, View<F32, 2> C) {
  int64_t BM = tunable("BM", {32, 8, 16, 48, 64, 96, 128});
  int64_t BN = tunable("BN", {32, 16, 48, 64, 96, 128, 192});
  int64_t BK = tunable("BK", {32, 16, 64, 128});
  auto [i, j] = program(ceilDiv(A.dim(0), BM), ceilDiv(B.dim(1), BN));
  auto sum = loop(ceilDiv(A.dim(1), BK), zeros<F32>(BM, BN),
                  [&](Index k, Tile<F32, 2> acc) {
                    auto a = A.load({i, k}, {BM, BK});
                    auto b = B.load({k, j}, {BK, BN});
                    return dot(a, b, acc);
                  });
  C.store({i, j}, sum);
}

inline void softmax(View<F32, 2> x, View<F32, 2> y) {
  int64_t R = tunable("rows", {4, 1, 2, 8, 16});
  int64_t W = tunable("width", {256, 16, 32, 64, 128, 512, 1024});
  auto [i] = program(ceilDiv(x.dim(0), R));
  Index steps = ceilDiv(x.dim(1), W);
  auto none = std::tuple(full<F32>({R, 1}, -infinity), zeros<F32>(R, 1));
  auto [top, total] = loop(steps, none, [&](Index k, auto last, auto sums) {
    auto t = x.load({i, k}, {R, W}, -infinity);
    auto now = max(last, max(t, axis(1)));
    return std::tuple(now, sums * exp(last - now) + sum(exp(t - now), axis(1)));
  });
  loop(steps, [&](Index k) {
    y.store({i, k}, exp(x.load({i, k}, {R, W}) - top) / total);
  });
}

/// (x - mean) / deviation * scale + shift of each row.
inline void norm(View<F32, 2> x, View<F32, 1> scale, View<F32, 1> shift,
                 View<F32, 2> y) {
  int64_t R = tunable("rows", {4, 1, 2, 8, 16});
  int64_t W = tunable("width", {256, 16, 32, 64, 128, 512, 1024});
  auto [i] = program(ceilDiv(x.dim(0), R));
  Index steps = ceilDiv(x.dim(1), W);
  auto none = std::tuple(zeros<F32>(R, 1), zeros<F32>(R, 1));
  auto [first, second] = loop(steps, none, [&](Index k, auto sums, auto twos) {
    auto t = x.load({i, k}, {R, W}, 0.0);
    return std::tuple(sums + sum(t, axis(1)), twos + sum(t * t, axis(1)));
  });
  auto mean = first / 768.0;
  auto factor = rsqrt(second / 768.0 - mean * mean + 1e-5);
  loop(steps, [&](Index k) {
    auto t = (x.load({i, k}, {R, W}) - mean) * factor;
    auto a = expand(scale.load({k}, {W}, 0.0), 0);
    auto b = expand(shift.load({k}, {W}, 0.0), 0);
    y.store({i, k}, t * a + b);
  });
}

inline void attention(View<F32, 3> Q, View<F32, 3> K, View<F32, 3> V,
                      View<F32, 3> O, Scalar<F32> scale) {
  int64_t BM = tunable("BM", {32, 16, 64, 128});
  int64_t BN = tunable("BN", {32, 16, 64, 128});
  int64_t d = tunable("d", {64});
  auto [i, h] = program(ceilDiv(Q.dim(1), BM), Q.dim(0));
  auto rowsOf = [&](auto &view, Index block, int64_t rows) {
    return reshape<2>(view.load({h, block, 0}, {1, rows, d}), {rows, d});
  };
  auto q = rowsOf(Q, i, BM) * scale;
  auto column = expand(iota<I32>(BN), 0);
  auto tokens = cast<I32>(K.dim(1));
  using Rows = Tile<F32, 2>;
  auto start = std::tuple(full<F32>({BM, 1}, -infinity), zeros<F32>(BM, 1),
                          zeros<F32>(BM, d));
  auto [top, total, sum] =
      loop(ceilDiv(K.dim(1), BN), start,
           [&](Index j, Rows before, Rows total, Rows sum) {
             auto scores = dot<F32>(q, transpose(rowsOf(K, j, BN)));
             auto seen = column + cast<I32>(j * BN) < tokens;
             scores = where(seen, scores, -infinity);
             auto now = max(before, max(scores, axis(1)));
             auto weights = exp(scores - now);
             auto fade = exp(before - now);
             return std::tuple(now,
                               total * fade +
                                   tilewright::authoring::sum(weights, axis(1)),
                               dot(weights, rowsOf(V, j, BN), sum * fade));
           });
  O.store({h, i, 0}, expand(sum / total, 0));
}

/// `scale` 1 for the host, more divides the sizes for the emulator.
inline std::vector<CostKernel> costKernels(int64_t scale) {
  auto view = [](std::vector<int64_t> dims) {
    return autotune::ArgumentShape{std::move(dims), {}};
  };
  int64_t m = 384 / scale, rows = 768 / scale, tokens = 256 / scale;
  return {
      {kernel("gemm", gemm<F32>), {view({m, m}), view({m, m}), view({m, m})}},
      {kernel("gemm_f16", gemm<F16>),
       {view({2 * m, 4 * m}), view({4 * m, 2 * m}), view({2 * m, 2 * m})},
       2},
      {kernel("softmax", softmax), {view({rows, 1000}), view({rows, 1000})}},
      {kernel("norm", norm),
       {view({rows, 768}), view({768}), view({768}), view({rows, 768})}},
      {kernel("attention", attention),
       {view({4, tokens, 64}),
        view({4, tokens, 64}),
        view({4, tokens, 64}),
        view({4, tokens, 64}),
        {}}}};
}

} // namespace tilewright::bench

#endif // TILEWRIGHT_BENCH_COST_MODEL_KERNELS_H
