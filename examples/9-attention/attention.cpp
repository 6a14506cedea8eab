// O = softmax(Q K^T / sqrt(d)) V for each head, with or without a causal mask,
// without ever holding a row of scores: the softmax is kept up as blocks of
// keys come by.
#include "tutorial.h"

using namespace tutorial;

/// Q, K, V and O have the shape [heads, tokens, d].
static Kernel attention(bool causal) {
  return kernel("attention", [causal](View<F32, 3> Q, View<F32, 3> K,
                                      View<F32, 3> V, View<F32, 3> O,
                                      Scalar<F32> scale) {
    int64_t BM = tunable("BM", {32, 64, 128}), BN = tunable("BN", {32, 64});
    int64_t d = tunable("d", {64, 32, 80, 96, 128});
    auto [i, h] = program(ceilDiv(Q.dim(1), BM), Q.dim(0));
    auto rowsOf = [&](auto &view, Index block, int64_t rows) {
      return reshape<2>(view.load({h, block, 0}, {1, rows, d}), {rows, d});
    };
    auto q = rowsOf(Q, i, BM) * scale;
    auto row = expand(iota<I32>(BM), 1) + cast<I32>(i * BM);
    auto column = expand(iota<I32>(BN), 0);
    auto tokens = cast<I32>(K.dim(1));

    using Rows = Tile<F32, 2>;
    auto start = std::tuple(full<F32>({BM, 1}, -infinity), zeros<F32>(BM, 1),
                            zeros<F32>(BM, d));
    Index blocks = ceilDiv(K.dim(1), BN);
    if (causal)
      blocks = min(blocks, ceilDiv((i + 1) * BM, BN));
    auto [top, total, sum] =
        loop(blocks, start, [&](Index j, Rows before, Rows total, Rows sum) {
          auto scores = dot<F32>(q, transpose(rowsOf(K, j, BN)));
          auto key = column + cast<I32>(j * BN);
          auto seen = key < tokens;
          if (causal)
            seen = seen & (key <= row);
          scores = where(seen, scores, -infinity);
          // 0 where nothing was seen yet: no infinity less infinity.
          auto now = max(before, max(scores, axis(1)));
          auto base = where(now > -infinity, now, 0.0);
          auto weights = exp(scores - base);
          auto fade = exp(before - base);
          return std::tuple(
              now, total * fade + tilewright::authoring::sum(weights, axis(1)),
              dot(weights, rowsOf(V, j, BN), sum * fade));
        });
    O.store({h, i, 0}, expand(sum / total, 0));
  });
}

/// The same on the host, in double.
static std::vector<float> expected(const std::vector<float> &q,
                                   const std::vector<float> &k,
                                   const std::vector<float> &v, int64_t heads,
                                   int64_t tokens, int64_t d, bool causal) {
  std::vector<float> result(q.size());
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t i = 0; i < tokens; ++i) {
      std::vector<double> sum(d, 0);
      double total = 0;
      for (int64_t j = 0; j < (causal ? i + 1 : tokens); ++j) {
        double score = 0;
        for (int64_t c = 0; c < d; ++c)
          score += double(q[(h * tokens + i) * d + c]) *
                   double(k[(h * tokens + j) * d + c]);
        double weight = std::exp(score / std::sqrt(double(d)));
        total += weight;
        for (int64_t c = 0; c < d; ++c)
          sum[c] += weight * double(v[(h * tokens + j) * d + c]);
      }
      for (int64_t c = 0; c < d; ++c)
        result[(h * tokens + i) * d + c] = float(sum[c] / total);
    }
  return result;
}

static Status attend(const DeviceSetup &setup, bool causal) {
  constexpr int64_t heads = 2, tokens = 70, d = 32;
  constexpr size_t size = heads * tokens * d;
  std::vector<float> q = noise(size, 1), k = noise(size, 2), v = noise(size, 3);
  runtime::Shape shape = {heads, tokens, d};
  TILEWRIGHT_ASSIGN_OR_RETURN(DeviceTensor Q, setup.tensor(shape, q));
  TILEWRIGHT_ASSIGN_OR_RETURN(DeviceTensor K, setup.tensor(shape, k));
  TILEWRIGHT_ASSIGN_OR_RETURN(DeviceTensor V, setup.tensor(shape, v));
  TILEWRIGHT_ASSIGN_OR_RETURN(DeviceTensor O,
                              setup.tensor(runtime::DType::F32, shape));

  TILEWRIGHT_ASSIGN_OR_RETURN(
      Executable run, load(attention(causal), *setup.device, {{"d", d}}));
  TILEWRIGHT_RETURN_IF_ERROR(
      run.launch(*setup.stream, Q, K, V, O, 1 / std::sqrt(float(d))));

  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<float> o,
                              O.read<float>(*setup.stream));
  double error = difference(o, expected(q, k, v, heads, tokens, d, causal));
  std::printf("%s attention of 2 heads, 70 tokens: %s\n",
              causal ? "causal" : "full",
              error < 1e-6 ? "within 1e-6 of the host's" : "wrong");
  return {};
}

static Status attentions(const DeviceSetup &setup) {
  TILEWRIGHT_RETURN_IF_ERROR(attend(setup, false));
  return attend(setup, true);
}

int main(int argc, char **argv) { return run(argc, argv, attentions); }
