#include "runtime/emulator/counters/Metrics.h"
#include "support/Format.h"
#include <string_view>

namespace tilewright::emulator {

std::string inBytes(uint64_t bytes) {
  static constexpr std::string_view units[] = {"kB", "MB", "GB", "TB"};
  if (bytes < 10'000)
    return formatCount(bytes) + " B";
  double amount = double(bytes) / 1000;
  size_t unit = 0;
  while (amount >= 1000 && unit + 1 < std::size(units)) {
    amount /= 1000;
    ++unit;
  }
  return format("{} {}", {formatFixed(amount, 1), units[unit]});
}

std::string percent(uint64_t part, uint64_t whole) {
  if (!whole)
    return "-";
  return formatFixed(100.0 * double(part) / double(whole), 1) + " %";
}

std::string dimensions(const Dim3 &dims) {
  std::string text = std::to_string(dims[0]);
  if (dims[1] > 1 || dims[2] > 1)
    text += format(" x {}", {dims[1]});
  if (dims[2] > 1)
    text += format(" x {}", {dims[2]});
  return text;
}

std::string launchesText(uint64_t count) {
  return formatCount(count) + (count == 1 ? " launch" : " launches");
}

} // namespace tilewright::emulator
