#include "runtime/emulator/counters/Figures.h"
#include <array>
#include <cstdio>

namespace tilewright::emulator {

std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3; at -= 3)
    digits.insert(at - 3, ",");
  return digits;
}

/// With one digit behind the point.
static std::string tenths(double number) {
  std::array<char, 32> text;
  int length = std::snprintf(text.data(), text.size(), "%.1f", number);
  return std::string(text.data(), size_t(length));
}

std::string inBytes(uint64_t bytes) {
  static constexpr std::string_view units[] = {"kB", "MB", "GB", "TB"};
  if (bytes < 10'000)
    return grouped(bytes) + " B";
  double amount = double(bytes) / 1000;
  size_t unit = 0;
  while (amount >= 1000 && unit + 1 < std::size(units)) {
    amount /= 1000;
    ++unit;
  }
  return tenths(amount) + " " + std::string(units[unit]);
}

std::string percent(uint64_t part, uint64_t whole) {
  if (!whole)
    return "-";
  return tenths(100.0 * double(part) / double(whole)) + " %";
}

std::string dimensions(const Dim3 &dims) {
  std::string text = std::to_string(dims[0]);
  if (dims[1] > 1 || dims[2] > 1)
    text += " x " + std::to_string(dims[1]);
  if (dims[2] > 1)
    text += " x " + std::to_string(dims[2]);
  return text;
}

std::string right(std::string_view text, size_t width) {
  std::string blanks(width > text.size() ? width - text.size() : 0, ' ');
  return blanks + std::string(text);
}
std::string left(std::string_view text, size_t width) {
  std::string blanks(width > text.size() ? width - text.size() : 0, ' ');
  return std::string(text) + blanks;
}

std::string launchesText(uint64_t count) {
  return grouped(count) + (count == 1 ? " launch" : " launches");
}

} // namespace tilewright::emulator
