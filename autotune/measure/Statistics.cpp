#include "autotune/measure/Statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilewright::autotune {

/// The median of sorted values.
static double middle(std::span<const double> sorted) {
  size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half]
                           : (sorted[half - 1] + sorted[half]) / 2;
}

/// The greatest number of values that may be left out at each end: the
/// probability that the median is beyond them is at most 1 - `confidence`.
static size_t trim(size_t count, double confidence) {
  // The probability that exactly i of `count` values are below the median.
  double chance = std::exp2(-double(count)), sum = 0;
  for (size_t i = 0; i < count / 2; ++i) {
    sum += chance;
    if (2 * sum > 1 - confidence)
      return i;
    chance *= double(count - i) / double(i + 1);
  }
  return count / 2;
}

Interval medianInterval(std::span<double> values, double confidence) {
  std::ranges::sort(values);
  size_t left = trim(values.size(), confidence);
  // Left out are the values below the one with the number `left`.
  size_t low = left == 0 ? 0 : left - 1;
  return {middle(values), values[low], values[values.size() - 1 - low]};
}

TimeStatistics summarize(std::span<double> values) {
  TimeStatistics result;
  result.samples = values.size();
  if (values.empty())
    return result;
  result.interval = medianInterval(values, 0.95);
  result.least = values.front();
  double mean = std::accumulate(values.begin(), values.end(), 0.0) /
                double(values.size());
  double squares = 0;
  for (double value : values)
    squares += (value - mean) * (value - mean);
  if (values.size() > 1)
    result.deviation = std::sqrt(squares / double(values.size() - 1));
  return result;
}

Standing pairStanding(std::span<double> ratios, Interval &interval) {
  interval = medianInterval(ratios, lookConfidence);
  // All values on one side say something only when there are enough of them.
  bool isEnough = std::exp2(1 - double(ratios.size())) <= 1 - lookConfidence;
  if (isEnough && interval.high < 1)
    return Standing::faster;
  if (isEnough && interval.low > 1)
    return Standing::slower;
  if (isEnough && interval.low > 1 / equalRatio && interval.high < equalRatio)
    return Standing::equal;
  return Standing::open;
}

} // namespace tilewright::autotune
