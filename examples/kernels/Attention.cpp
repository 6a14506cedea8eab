// Attention without its matrix of scores.
#include "Check.h"

namespace known {

/// How many keys a query sees before and behind the one of its own index;
/// nothing: all.
struct Seen {
  std::optional<int64_t> before, behind;
};

// kernel: fused attention
/// softmax(Q K^T scale) V for each head; `scale` is positive. With a `cap` the
/// scores s are cap * tanh(s / cap).
static void attention(View<F16, 3> q, View<F16, 3> k, View<F16, 3> v,
                      View<F16, 3> out, Scalar<F32> scale, Seen seen,
                      double cap) {
  for (auto *view : {&q, &k, &v, &out})
    view->assumeDivisible({1, 1, 8});
  int64_t bm = tunable("bm", {32, 64, 128}), bn = tunable("bn", {32, 64, 128});
  int64_t d = tunable("d", {16, 32, 64, 80, 96, 128, 256});
  auto [i, head] = program(ceilDiv(q.dim(1), bm), q.dim(0));
  auto query = squeeze(q.load({head, i, 0}, {1, bm, d}), 0);
  auto row = expand(iota<I32>(bm) + cast<I32>(i * bm), 1);
  // The first key of the first query, and the end of the last one's.
  Index first = i * bm, keys = k.dim(1), begin = 0, end = keys;
  if (seen.before)
    begin = max(first - *seen.before, 0) / bn;
  if (seen.behind)
    end = min(keys, first + bm + *seen.behind);
  auto [acc, most, total] =
      loop(ceilDiv(end, bn) - begin,
           std::tuple(zeros<F32>(bm, d), full<F32>({bm, 1}, -infinity),
                      zeros<F32>(bm, 1)),
           [&, head = head](Index step, Tile<F32, 2> acc, Tile<F32, 2> most,
                            Tile<F32, 2> total) {
             Index j = begin + step, column = j * bn;
             auto key = squeeze(k.load({head, j, 0}, {1, bn, d}), 0);
             auto score = dot<F32>(query, transpose(key));
             auto factor = scale;
             if (cap) {
               score = tanh(score * (scale / cap));
               factor = cap;
             }
             // Only blocks at an end have hidden keys.
             auto isOpen = column + bn <= keys;
             if (seen.before)
               isOpen = isOpen && column + *seen.before >= first + (bm - 1);
             if (seen.behind)
               isOpen = isOpen && column + bn <= first + *seen.behind + 1;
             auto s = when(
                 isOpen, [&] { return score; },
                 [&] {
                   auto at = expand(iota<I32>(bn) + cast<I32>(column), 0);
                   auto sees = broadcast(at < cast<I32>(keys), {bm, bn});
                   if (seen.before)
                     sees = sees && at + *seen.before >= row;
                   if (seen.behind)
                     sees = sees && at <= row + *seen.behind;
                   return where(sees, score, -infinity);
                 });
             auto now = max(most, max(s, axis(1))), base = now;
             // No infinity less infinity where nothing was seen yet.
             if (seen.before)
               base = where(now > -infinity, now, 0.0);
             auto e = exp((s - base) * factor),
                  fade = exp((most - base) * factor);
             auto value = squeeze(v.load({head, j, 0}, {1, bn, d}), 0);
             return std::tuple(dot(cast<F16>(e), value, acc * fade), now,
                               total * fade + sum(e, axis(1)));
           });
  out.store({head, i, 0}, expand(cast<F16>(acc / total), 0));
}
// end

namespace {
/// Sizes of an attention, and what a query sees.
struct Case {
  int64_t heads, n, d;
  Seen seen = {};
  double cap = 0;
  int64_t bm = 32, bn = 32;

  std::string text() const;
  std::string kernelName() const;
  double weight(double score) const;
};
} // namespace

std::string Case::text() const {
  std::string result =
      std::to_string(heads) + "x" + std::to_string(n) + "x" + std::to_string(d);
  if (seen.before)
    result += ", " + std::to_string(*seen.before) + " keys before";
  if (seen.behind)
    result += ", " + std::to_string(*seen.behind) + " keys behind";
  return cap ? result + ", capped" : result;
}

std::string Case::kernelName() const {
  auto keys = [](std::optional<int64_t> count) {
    return count ? std::to_string(*count) : std::string("all");
  };
  return "attention_" + keys(seen.before) + "_" + keys(seen.behind) +
         (cap ? "_capped" : "");
}

/// Of a scaled product.
double Case::weight(double score) const {
  return std::exp(cap ? cap * std::tanh(score / cap) : score);
}

static void checkOne(Checker &check, const Case &at) {
  const auto [heads, n, d] = std::array{at.heads, at.n, at.d};
  check.shape("fused attention", at.text());
  int64_t count = heads * n * d;
  auto q = Checker::noise(count, 40), k = Checker::noise(count, 41),
       v = Checker::noise(count, 42);
  double scale = 1 / std::sqrt(double(d));
  Doubles expected(q.size());
  for (int64_t row = 0; row < heads * n; ++row) {
    int64_t first = row / n * n, last = first + n - 1;
    if (at.seen.behind)
      last = std::min(last, row + *at.seen.behind);
    if (at.seen.before)
      first = std::max(first, row - *at.seen.before);
    Doubles weights;
    double total = 0;
    for (int64_t key = first; key <= last; ++key) {
      double s = 0;
      for (int64_t c = 0; c < d; ++c)
        s += q[size_t(row * d + c)] * k[size_t(key * d + c)];
      total += weights.emplace_back(at.weight(s * scale));
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
  auto built = kernel(at.kernelName(),
                      [at](View<F16, 3> q, View<F16, 3> k, View<F16, 3> v,
                           View<F16, 3> out, Scalar<F32> scale) {
                        attention(q, k, v, out, scale, at.seen, at.cap);
                      });
  check.run(built, {{"d", held}, {"bm", at.bm}, {"bn", at.bn}}, half(q),
            half(k), half(v), out, scale);
  check.expect<Float16>(out, expected, 4e-3);
}

void checkAttention(Checker &check) {
  for (Seen seen : {Seen{}, Seen{{}, 0}, Seen{20, 0}}) {
    checkOne(check, {2, 0, 16, seen});
    checkOne(check, {1, 1, 8, seen});
    checkOne(check, {2, 64, 32, seen});
    checkOne(check, {3, 45, 16, seen});
    checkOne(check, {1, 200, 64, seen, 0, 64, 128});
    checkOne(check, {1, 130, 80, seen, 0, 64, 64});
    checkOne(check, {1, 70, 96, seen, 2, 64, 64});
    checkOne(check, {1, 70, 128, seen, 0, 64, 64});
    checkOne(check, {1, 40, 256, seen, 0, 32, 32});
  }
  checkOne(check, {1, 200, 16, Seen{100, 0}});
  checkOne(check, {2, 90, 40, Seen{7, 3}, 2});
}

} // namespace known
