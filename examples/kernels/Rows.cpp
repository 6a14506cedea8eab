// Work on the rows of a matrix.
#include "Check.h"

#include <algorithm>
#include <numeric>

namespace known {

// kernel: fused softmax
static void softmax(View<F32, 2> x, View<F32, 2> y) {
  int64_t rows = tunable("rows", {2, 1, 8});
  int64_t width = tunable("width", {64, 256, 1024, 4096});
  auto [i] = program(ceilDiv(x.dim(0), rows));
  auto t = x.load({i, 0}, {rows, width}, -infinity);
  auto e = exp(t - max(t, axis(1)));
  y.store({i, 0}, e / sum(e, axis(1)));
}
// end

// kernel: layer norm
static void layerNorm(View<F32, 2> x, View<F32, 1> weight, View<F32, 1> bias,
                      View<F32, 2> y, View<F32, 1> mean, View<F32, 1> scale,
                      Scalar<F32> epsilon) {
  int64_t width = tunable("width", {64, 256, 1024});
  auto [row] = program(x.dim(0));
  Index steps = ceilDiv(x.dim(1), width);
  auto count = cast<F32>(x.dim(1));
  auto total = loop(steps, zeros<F32>(1, width), [&](Index j, Tile<F32, 2> t) {
    return t + x.load({row, j}, {1, width});
  });
  auto m = sum(total) / count;
  auto squares =
      loop(steps, zeros<F32>(1, width), [&](Index j, Tile<F32, 2> t) {
        auto d = x.load({row, j}, {1, width}) - m;
        return t + where(x.inside({row, j}, {1, width}), d * d, 0.0);
      });
  auto s = rsqrt(sum(squares) / count + epsilon);
  mean.store(row, full<F32>({1}, m));
  scale.store(row, full<F32>({1}, s));
  loop(steps, [&](Index j) {
    auto w = expand(weight.load(j, width), 0),
         b = expand(bias.load(j, width), 0);
    y.store({row, j}, (x.load({row, j}, {1, width}) - m) * s * w + b);
  });
}
// end

// kernel: layer norm, backward
static void layerNormBackward(View<F32, 2> x, View<F32, 1> weight,
                              View<F32, 1> mean, View<F32, 1> scale,
                              View<F32, 2> dy, View<F32, 2> dx,
                              View<F32, 1> dWeight, View<F32, 1> dBias) {
  int64_t rows = tunable("rows", {4, 16});
  int64_t width = tunable("width", {64, 256, 1024});
  auto [i] = program(ceilDiv(x.dim(0), rows));
  auto s = expand(scale.load(i, rows), 1), m = expand(mean.load(i, rows), 1);
  auto g = dy.load({i, 0}, {rows, width});
  auto h = where(x.inside({i, 0}, {rows, width}),
                 (x.load({i, 0}, {rows, width}) - m) * s, 0.0);
  auto wg = g * expand(weight.load(0, width), 0);
  auto count = cast<F32>(x.dim(1));
  auto c1 = sum(h * wg, axis(1)) / count, c2 = sum(wg, axis(1)) / count;
  dx.store({i, 0}, (wg - (h * c1 + c2)) * s);
  dWeight.reduce(Atomic::add, 0, squeeze(sum(g * h, axis(0)), 0));
  dBias.reduce(Atomic::add, 0, squeeze(sum(g, axis(0)), 0));
}
// end

// kernel: top-k
static void topKOfRows(View<F32, 2> x, View<F32, 2> values,
                       View<I32, 2> indices) {
  int64_t k = tunable("k", {4, 1, 8});
  int64_t width = tunable("width", {64, 256, 1024});
  auto [row] = program(x.dim(0));
  auto [v, i] = topK(x.load({row, 0}, {1, width}, -infinity), k, axis(1));
  values.store({row, 0}, v);
  indices.store({row, 0}, i);
}
// end

static int64_t widthFor(int64_t n) {
  return n <= 64 ? 64 : n <= 256 ? 256 : 1024;
}

static void checkSoftmax(Checker &check, int64_t m, int64_t n) {
  check.shape("fused softmax", std::to_string(m) + "x" + std::to_string(n));
  auto x = Checker::noise(m * n, 4);
  Doubles expected(x.size());
  for (int64_t i = 0; i < m; ++i) {
    double total = 0;
    for (int64_t j = 0; j < n; ++j)
      total += std::exp(x[size_t(i * n + j)]);
    for (int64_t j = 0; j < n; ++j)
      expected[size_t(i * n + j)] = std::exp(x[size_t(i * n + j)]) / total;
  }
  DeviceTensor y = check.zeros<float>({m, n});
  check.run(kernel("softmax", softmax), {{"width", widthFor(n)}},
            check.tensor<float>({m, n}, x), y);
  check.expect<float>(y, expected, 1e-6);
}

/// The normalized rows with their means and scales, on the host.
struct Normal {
  Doubles mean, scale, rows;
  Normal(const Doubles &x, int64_t m, int64_t n) : rows(x.size()) {
    for (int64_t i = 0; i < m; ++i) {
      const double *row = x.data() + i * n;
      double mu = std::accumulate(row, row + n, 0.0) / double(n), var = 0;
      for (int64_t j = 0; j < n; ++j)
        var += (row[j] - mu) * (row[j] - mu) / double(n);
      mean.push_back(mu);
      scale.push_back(1 / std::sqrt(var + 1e-5));
      for (int64_t j = 0; j < n; ++j)
        rows[size_t(i * n + j)] = (row[j] - mu) * scale.back();
    }
  }
};

static void checkLayerNorm(Checker &check, int64_t m, int64_t n) {
  std::string text = std::to_string(m) + "x" + std::to_string(n);
  auto x = Checker::noise(m * n, 5), w = Checker::noise(n, 6),
       b = Checker::noise(n, 7), g = Checker::noise(m * n, 8);
  Normal normal(x, m, n);
  Doubles y(x.size()), dx(x.size()), dw(w.size()), db(w.size());
  for (int64_t i = 0; i < m; ++i) {
    double c1 = 0, c2 = 0;
    for (int64_t j = 0; j < n; ++j) {
      auto at = size_t(i * n + j), column = size_t(j);
      y[at] = normal.rows[at] * w[column] + b[column];
      c1 += normal.rows[at] * g[at] * w[column] / double(n);
      c2 += g[at] * w[column] / double(n);
      dw[column] += g[at] * normal.rows[at];
      db[column] += g[at];
    }
    for (int64_t j = 0; j < n; ++j) {
      auto at = size_t(i * n + j);
      dx[at] = (g[at] * w[size_t(j)] - normal.rows[at] * c1 - c2) *
               normal.scale[size_t(i)];
    }
  }
  check.shape("layer norm", text);
  DeviceTensor X = check.tensor<float>({m, n}, x),
               W = check.tensor<float>({n}, w), Y = check.zeros<float>({m, n}),
               M = check.zeros<float>({m}), S = check.zeros<float>({m});
  check.run(kernel("layer_norm", layerNorm), {}, X, W,
            check.tensor<float>({n}, b), Y, M, S, 1e-5);
  check.expect<float>(M, normal.mean, 1e-5);
  check.expect<float>(S, normal.scale, 1e-4);
  check.expect<float>(Y, y, 1e-4);
  check.shape("layer norm, backward", text);
  DeviceTensor DX = check.zeros<float>({m, n}), DW = check.zeros<float>({n}),
               DB = check.zeros<float>({n});
  check.run(kernel("layer_norm_backward", layerNormBackward),
            {{"width", widthFor(n)}}, X, W,
            check.tensor<float>({m}, normal.mean),
            check.tensor<float>({m}, normal.scale),
            check.tensor<float>({m, n}, g), DX, DW, DB);
  check.expect<float>(DX, dx, 1e-3);
  check.expect<float>(DW, dw, 1e-3);
  check.expect<float>(DB, db, 1e-3);
}

static void checkTopK(Checker &check, int64_t m, int64_t n, int64_t k) {
  check.shape("top-k", std::to_string(m) + "x" + std::to_string(n));
  Doubles x(size_t(m * n)), values, indices;
  // All different in a row.
  for (int64_t i = 0; i < m * n; ++i)
    x[size_t(i)] = double((i * 7919) % 4093);
  for (int64_t i = 0; i < m; ++i) {
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return x[size_t(i * n + a)] > x[size_t(i * n + b)];
    });
    for (int64_t j = 0; j < k; ++j) {
      values.push_back(x[size_t(i * n + order[size_t(j)])]);
      indices.push_back(double(order[size_t(j)]));
    }
  }
  DeviceTensor v = check.zeros<float>({m, k}), p = check.zeros<int32_t>({m, k});
  check.run(kernel("top_k", topKOfRows), {{"k", k}, {"width", widthFor(n)}},
            check.tensor<float>({m, n}, x), v, p);
  check.expect<float>(v, values);
  check.expect<int32_t>(p, indices);
}

void checkRows(Checker &check) {
  for (auto [m, n] : Pairs{{0, 64}, {3, 0}, {1, 1}, {7, 64}, {5, 201}})
    checkSoftmax(check, m, n);
  for (auto [m, n] : Pairs{{0, 64}, {1, 1}, {8, 64}, {5, 201}, {3, 1000}})
    checkLayerNorm(check, m, n);
  checkTopK(check, 0, 64, 4);
  checkTopK(check, 1, 1, 1);
  checkTopK(check, 6, 64, 8);
  checkTopK(check, 5, 201, 4);
}

} // namespace known
