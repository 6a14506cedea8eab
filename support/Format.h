// Numbers, counts and lists as people read them. The text does not depend on
// the locale.
#ifndef TILEWRIGHT_SUPPORT_FORMAT_H
#define TILEWRIGHT_SUPPORT_FORMAT_H

#include "tilewright/support/Export.h"
#include "tilewright/support/Language.h"

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

namespace tilewright {

/// A value that format() puts into a text. It refers to texts, and is not kept.
class FormatArgument {
public:
  FormatArgument(std::integral auto value) {
    if constexpr (std::same_as<decltype(value), bool>)
      text = value ? "true" : "false";
    else if constexpr (std::same_as<decltype(value), char>)
      number = int64_t(value), kind = Kind::character;
    else if constexpr (std::signed_integral<decltype(value)>)
      number = int64_t(value), kind = Kind::integer;
    else
      number = int64_t(value), kind = Kind::natural;
  }
  FormatArgument(std::floating_point auto value)
      : real(value), kind(Kind::real) {}
  FormatArgument(const char *value) : text(value) {}
  FormatArgument(std::string_view value) : text(value) {}
  FormatArgument(const std::string &value) : text(value) {}

private:
  friend std::string format(std::string_view,
                            std::initializer_list<FormatArgument>);

  std::string_view text;
  int64_t number = 0;
  double real = 0;
  enum class Kind : uint8_t { text, integer, natural, character, real };
  Kind kind = Kind::text;
};

/// `pattern` with an argument in place of each "{}", in order: format("expected
/// {} bytes, found {}", {n, m}). The format in braces is fmt's, and Python's:
/// "{:.2f}", "{:#x}", "{:>8}"; "{{" is a brace. Each "{}" has one argument, of
/// a kind that it can format.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
format(std::string_view pattern,
       std::initializer_list<FormatArgument> arguments);

/// `decimals` digits behind the point, not more than 60: "12.50".
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string formatFixed(double value,
                                                             int decimals);
/// `digits` significant ones, without zeros at the end: "0.5", "200", "1e+06".
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string formatGeneral(double value,
                                                               int digits);
/// The shortest text that reads back as the same number.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string formatShortest(double value);

/// A comma before each three digits of a whole number, which may be negative.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
groupDigits(std::string digits);
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
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
alignedRight(std::string_view text, size_t width);
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
alignedLeft(std::string_view text, size_t width);

/// "a, b, c": `textOf` returns the text, or the integer, of each element.
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
