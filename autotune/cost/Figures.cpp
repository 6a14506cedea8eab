#include "autotune/cost/Figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace tilewright::autotune {

std::string threeDigits(double number) {
  if (!std::isfinite(number))
    return "unknown";
  double size = std::fabs(number);
  if (size >= 1000) {
    std::string digits = std::to_string(std::llround(number));
    for (int64_t at = int64_t(digits.size()) - 3; at > (number < 0); at -= 3)
      digits.insert(size_t(at), ",");
    return digits;
  }
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.3g", number);
  return text.data();
}

/// A number with the largest unit of which there is at least one.
static std::string scaled(double number, double step, const char *const *units,
                          size_t count) {
  size_t unit = 0;
  while (unit + 1 < count && std::fabs(number) >= step) {
    number /= step;
    ++unit;
  }
  return threeDigits(number) + " " + units[unit];
}

std::string inBytes(double bytes) {
  static constexpr const char *units[] = {"B", "kB", "MB", "GB", "TB"};
  return scaled(bytes, 1000, units, std::size(units));
}

std::string inTime(double nanoseconds) {
  static constexpr const char *units[] = {"ns", "us", "ms", "s"};
  return scaled(nanoseconds, 1000, units, std::size(units));
}

static std::string padded(std::string text, size_t width, bool isRight) {
  size_t blanks = width > text.size() ? width - text.size() : 0;
  return isRight ? std::string(blanks, ' ') + text
                 : text + std::string(blanks, ' ');
}

std::string describeEstimate(const Estimate &estimate) {
  if (estimate.rejection)
    return "rejected  " + estimate.rejection->resource + ": " +
           estimate.rejection->reason + "\n";
  std::string text = "modelled  " + inTime(estimate.nanoseconds) + "\n";
  const auto largest =
      std::max_element(estimate.terms.begin(), estimate.terms.end(),
                       [](const CostTerm &a, const CostTerm &b) {
                         return a.nanoseconds < b.nanoseconds;
                       });
  for (auto term = estimate.terms.begin(); term != estimate.terms.end();
       ++term) {
    text += "  " + padded(term->name, 11, false) +
            padded(inTime(term->nanoseconds), 9, true) + "  " + term->reason;
    text += term == largest ? "  <- the most\n" : "\n";
  }
  return text;
}

} // namespace tilewright::autotune
