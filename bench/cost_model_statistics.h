// How models and measurements compare.
#ifndef TILEWRIGHT_BENCH_COST_MODEL_STATISTICS_H
#define TILEWRIGHT_BENCH_COST_MODEL_STATISTICS_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace tilewright::bench {

/// The rank of each number; equal ones share the middle of their ranks.
inline std::vector<double> ranks(const std::vector<double> &numbers) {
  std::vector<size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t i) { return numbers[i]; });
  std::vector<double> rank(numbers.size());
  for (size_t from = 0, to = 0; from < order.size(); from = to) {
    while (to < order.size() && numbers[order[to]] == numbers[order[from]])
      ++to;
    for (size_t i = from; i < to; ++i)
      rank[order[i]] = double(from + to - 1) / 2;
  }
  return rank;
}

/// Spearman's coefficient; NaN where one side is the same throughout.
inline double rankCorrelation(const std::vector<double> &a,
                              const std::vector<double> &b) {
  std::vector<double> x = ranks(a), y = ranks(b);
  double mean = double(x.size() - 1) / 2, xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xy / std::sqrt(xx * yy);
}

/// The upper one of two in the middle; 0 of none.
inline double median(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  return numbers.empty() ? 0 : numbers[numbers.size() / 2];
}

} // namespace tilewright::bench

#endif // TILEWRIGHT_BENCH_COST_MODEL_STATISTICS_H
