// Numbers, counts and lists as people read them. The same value gives the same
// text, whatever the locale.
#ifndef TILEWRIGHT_SUPPORT_FORMAT_H
#define TILEWRIGHT_SUPPORT_FORMAT_H

#include "support/Language.h"

#include <concepts>
#include <cstdint>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

namespace tilewright {

/// `decimals` digits behind the point, not more than 60: "12.50".
[[nodiscard]] std::string formatFixed(double value, int decimals);
/// `digits` significant ones, without zeros at the end: "0.5", "200", "1e+06".
[[nodiscard]] std::string formatGeneral(double value, int digits);
/// The shortest text that reads back as the same number.
[[nodiscard]] std::string formatShortest(double value);

/// A comma before each three digits of a whole number, which may be negative.
[[nodiscard]] std::string groupDigits(std::string digits);
/// "262,144".
[[nodiscard]] std::string formatCount(std::integral auto count) {
  return groupDigits(std::to_string(count));
}
/// "1 step", "1024 steps".
[[nodiscard]] std::string counted(std::integral auto count,
                                  std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) +
         (count == 1 ? "" : "s");
}

/// `text` in a column of `width` bytes, at its right (or left) side. A longer
/// text stays as it is.
[[nodiscard]] std::string alignedRight(std::string_view text, size_t width);
[[nodiscard]] std::string alignedLeft(std::string_view text, size_t width);

/// "a, b, c": `textOf` gives the text, or the whole number, of each element.
template <std::ranges::input_range Range, typename TextOf = std::identity>
[[nodiscard]] std::string
joined(Range &&range, std::string_view separator = ", ", TextOf textOf = {}) {
  std::string text;
  bool isFirst = true;
  for (auto &&element : range) {
    if (!std::exchange(isFirst, false))
      text += separator;
    if constexpr (std::integral<std::remove_cvref_t<decltype(std::invoke(
                      textOf, element))>>)
      text += std::to_string(std::invoke(textOf, element));
    else
      text += std::invoke(textOf, element);
  }
  return text;
}

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_FORMAT_H
