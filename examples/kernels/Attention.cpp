// Attention without its matrix of scores.
#include "Check.h"

namespace known {

// kernel: fused attention
/// softmax(Q K^T scale) V for each head. With `causal` a query sees the keys up
/// to its own index only.
static void attention(View<F16, 3> q, View<F16, 3> k, View<F16, 3> v,
                      View<F16, 3> out, Scalar<F32> scale,
                      Scalar<Bool> causal) {
  int64_t bm = tunable("bm", {32, 64, 128}), bn = tunable("bn", {32, 64, 128});
  int64_t d = tunable("d", {16, 32, 64, 80, 96, 128, 256});
  auto [i, head] = program(ceilDiv(q.dim(1), bm), q.dim(0));
  auto query = squeeze(q.load({head, i, 0}, {1, bm, d}), 0);
  auto row = expand(iota<I32>(bm) + cast<I32>(i * bm), 1);
  Index keys = k.dim(1), first = i * bm;
  keys = where(causal, min(keys, first + bm), keys);
  auto [acc, most, total] =
      loop(ceilDiv(keys, bn),
           std::tuple(zeros<F32>(bm, d), full<F32>({bm, 1}, -infinity),
                      zeros<F32>(bm, 1)),
           [&, head = head](Index j, Tile<F32, 2> acc, Tile<F32, 2> most,
                            Tile<F32, 2> total) {
             auto key = squeeze(k.load({head, j, 0}, {1, bn, d}), 0);
             auto product = dot<F32>(query, transpose(key)) * scale;
             // Only blocks at an end have hidden keys.
             auto isOpen = (j + 1) * bn <= where(causal, first + 1, k.dim(1));
             auto s = when(
                 isOpen, [&] { return product; },
                 [&] {
                   auto column = expand(iota<I32>(bn) + cast<I32>(j * bn), 0);
                   auto seen = column < cast<I32>(k.dim(1)) &&
                               (column <= row || !causal);
                   return where(seen, product, -infinity);
                 });
             auto now = max(most, max(s, axis(1)));
             auto e = exp(s - now), fade = exp(most - now);
             auto value = squeeze(v.load({head, j, 0}, {1, bn, d}), 0);
             return std::tuple(dot(cast<F16>(e), value, acc * fade), now,
                               total * fade + sum(e, axis(1)));
           });
  out.store({head, i, 0}, expand(cast<F16>(acc / total), 0));
}
// end

static void checkOne(Checker &check, int64_t heads, int64_t n, int64_t d,
                     bool causal, int64_t bm = 32, int64_t bn = 32) {
  check.shape("fused attention",
              std::to_string(heads) + "x" + std::to_string(n) + "x" +
                  std::to_string(d) + (causal ? ", causal" : ""));
  int64_t count = heads * n * d;
  auto q = Checker::noise(count, 40), k = Checker::noise(count, 41),
       v = Checker::noise(count, 42);
  double scale = 1 / std::sqrt(double(d));
  Doubles expected(q.size());
  for (int64_t row = 0; row < heads * n; ++row) {
    int64_t first = row / n * n, last = causal ? row : first + n - 1;
    Doubles weights;
    double total = 0;
    for (int64_t key = first; key <= last; ++key) {
      double s = 0;
      for (int64_t c = 0; c < d; ++c)
        s += q[size_t(row * d + c)] * k[size_t(key * d + c)];
      weights.push_back(std::exp(s * scale));
      total += weights.back();
    }
    for (int64_t key = first; key <= last; ++key)
      for (int64_t c = 0; c < d; ++c)
        expected[size_t(row * d + c)] +=
            weights[size_t(key - first)] / total * v[size_t(key * d + c)];
  }
  DeviceTensor out = check.zeros<Float16>({heads, n, d});
  auto half = [&](const Doubles &x) {
    return check.tensor<Float16>({heads, n, d}, x);
  };
  int64_t held = 16;
  for (int64_t size : {32, 64, 80, 96, 128, 256})
    if (held < d)
      held = size;
  check.run(kernel("attention", attention),
            {{"d", held}, {"bm", bm}, {"bn", bn}}, half(q), half(k), half(v),
            out, scale, causal);
  check.expect<Float16>(out, expected, 4e-3);
}

void checkAttention(Checker &check) {
  for (bool causal : {false, true}) {
    checkOne(check, 2, 0, 16, causal);
    checkOne(check, 1, 1, 1, causal);
    checkOne(check, 2, 64, 32, causal);
    checkOne(check, 3, 45, 16, causal);
    checkOne(check, 1, 200, 64, causal, 64, 128);
    checkOne(check, 1, 130, 80, causal, 64, 64);
    checkOne(check, 1, 70, 96, causal, 64, 64);
    checkOne(check, 1, 70, 128, causal, 64, 64);
    checkOne(check, 1, 40, 256, causal, 32, 32);
  }
}

} // namespace known
