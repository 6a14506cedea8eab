// When a comparison of two schedules is settled.
#ifndef TILEWRIGHT_AUTOTUNE_MEASURE_STATISTICS_H
#define TILEWRIGHT_AUTOTUNE_MEASURE_STATISTICS_H

#include "tilewright/support/Export.h"
#include <cstddef>
#include <iterator>
#include <span>

namespace tilewright::autotune {

/// A median and bounds of it.
struct Interval {
  double median = 0, low = 0, high = 0;
};

/// The median of `values` (not empty, reordered) with an interval that contains
/// the true median with the probability `confidence`, whatever the
/// distribution: between order statistics, by the binomial distribution of the
/// number of values below the median (David and Nagaraja, "Order Statistics",
/// 7.1). With too few values for that the interval is all of them.
Interval medianInterval(std::span<double> values, double confidence);

/// A summary of times.
struct TimeStatistics {
  size_t samples = 0;
  Interval interval; // 95 %
  double least = 0, deviation = 0;
};

/// `values` is reordered; it may be empty.
TILEWRIGHT_PRIVATE_API TimeStatistics summarize(std::span<double> values);

/// The state of ratios that were taken one after the other.
enum class Standing {
  /// More pairs are needed.
  open,
  faster,
  slower,
  /// Within `equalRatio` of each other.
  equal,
};

/// Ratios closer to 1 than this are not distinguished.
inline constexpr double equalRatio = 1.01;

/// Numbers of pairs after which to call pairStanding(): more frequent calls
/// would find differences where there are none.
inline constexpr size_t looks[] = {10, 20, 40, 80, 160};

/// The confidence of each look: the chance of a wrong `faster` or `slower` is
/// at most 1 % over all of them (Bonferroni).
inline constexpr double lookConfidence = 1 - 0.01 / double(std::size(looks));

/// The comparison by the ratios (candidate / incumbent, reordered) after one of
/// these numbers. `interval` receives the median and its interval.
Standing pairStanding(std::span<double> ratios, Interval &interval);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_MEASURE_STATISTICS_H
