#include "autotune/cost/Metrics.h"

#include "support/Format.h"

#include <algorithm>
#include <cmath>

namespace tilewright::autotune {

std::string threeDigits(double number) {
  if (!std::isfinite(number))
    return "unknown";
  double size = std::fabs(number);
  return size >= 1000 ? formatCount(std::llround(number))
                      : formatGeneral(number, 3);
}

/// A number with the largest unit of which there is at least one.
static std::string scaled(double number, double step, const char *const *units,
                          size_t count) {
  size_t unit = 0;
  while (unit + 1 < count && std::fabs(number) >= step) {
    number /= step;
    ++unit;
  }
  return format("{} {}", {threeDigits(number), units[unit]});
}

std::string inBytes(double bytes) {
  static constexpr const char *units[] = {"B", "kB", "MB", "GB", "TB"};
  return scaled(bytes, 1000, units, std::size(units));
}

std::string inTime(double nanoseconds) {
  static constexpr const char *units[] = {"ns", "us", "ms", "s"};
  return scaled(nanoseconds, 1000, units, std::size(units));
}

std::string describeEstimate(const Estimate &estimate) {
  if (estimate.rejection)
    return format("rejected  {}: {}\n",
                  {estimate.rejection->resource, estimate.rejection->reason});
  std::string text = format("modelled  {}\n", {inTime(estimate.nanoseconds)});
  const auto largest =
      std::max_element(estimate.terms.begin(), estimate.terms.end(),
                       [](const CostTerm &a, const CostTerm &b) {
                         return a.nanoseconds < b.nanoseconds;
                       });
  for (auto term = estimate.terms.begin(); term != estimate.terms.end();
       ++term) {
    text += format("  {}{}  {}",
                   {alignedLeft(term->name, 11),
                    alignedRight(inTime(term->nanoseconds), 9), term->reason});
    text += term == largest ? "  <- the most\n" : "\n";
  }
  return text;
}

} // namespace tilewright::autotune
