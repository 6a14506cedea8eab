#include "autotune/report/Format.h"

#include <algorithm>
#include <cmath>

namespace tilewright::autotune {

std::string formatNumber(double value) {
  double size = std::abs(value);
  if (size >= 999.5)
    return groupDigits(formatFixed(value, 0));
  if (size == 0)
    return "0";
  int decimals = 2 - int(std::floor(std::log10(size)));
  // 9.996 has one digit more once it is rounded.
  if (size + 0.5 * std::pow(10, -decimals) >=
      std::pow(10, std::floor(std::log10(size)) + 1))
    --decimals;
  return formatFixed(value, std::clamp(decimals, 0, 12));
}

std::string formatTime(double nanoseconds) {
  static constexpr const char *units[] = {" ns", " us", " ms", " s"};
  size_t unit = 0;
  for (; unit < 3 && std::abs(nanoseconds) >= 999.5; ++unit)
    nanoseconds /= 1000;
  return formatNumber(nanoseconds) + units[unit];
}

std::string formatDuration(double seconds) {
  if (seconds < 9.95)
    return formatFixed(std::max(seconds, 0.0), 1) + " s";
  int64_t whole = std::llround(std::min(seconds, 1e15));
  if (whole < 60)
    return format("{} s", {whole});
  if (whole < 3600)
    return format("{} m {:02} s", {whole / 60, whole % 60});
  return format("{} h {:02} m", {whole / 3600, whole / 60 % 60});
}

std::string formatRatio(double ratio) {
  return ratio < 100 ? formatFixed(ratio, 2) + "x" : formatNumber(ratio) + "x";
}

std::string formatPlural(size_t count, const std::string &noun) {
  return format("{} {}{}", {formatCount(count), noun, count == 1 ? "" : "s"});
}

/// Code points, which is what a terminal shows a column each for.
static size_t width(std::string_view text) {
  return size_t(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string oneLine(std::string_view text, size_t most) {
  std::string line;
  bool isCut = width(text) > most;
  size_t left = isCut ? most - std::min<size_t>(most, 3) : most;
  for (char c : text) {
    bool isFirst = (c & 0xc0) != 0x80;
    if (isFirst && left == 0)
      break;
    left -= isFirst;
    bool isControl = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    line += isControl ? ' ' : c;
  }
  return isCut ? line + "..." : line;
}

std::string TextTable::text(const std::string &indent) const {
  std::vector<size_t> widths(columns.size());
  for (const std::vector<std::string> &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width(row[i]));
  std::string text;
  for (const std::vector<std::string> &row : rows) {
    std::string line = indent;
    for (size_t i = 0; i < row.size(); ++i) {
      std::string space(widths[i] - width(row[i]), ' ');
      line += i ? "  " : "";
      line += columns[i] == Align::right ? space + row[i] : row[i] + space;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

} // namespace tilewright::autotune
