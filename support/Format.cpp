#include "support/Format.h"

#include <cassert>
#include <charconv>
#include <fmt/args.h>

namespace tilewright {

std::string format(std::string_view pattern,
                   std::initializer_list<FormatArgument> arguments) {
  using Kind = FormatArgument::Kind;
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const FormatArgument &argument : arguments)
    switch (argument.kind) {
    case Kind::text:
      store.push_back(fmt::string_view(argument.text));
      break;
    case Kind::integer:
      store.push_back(argument.number);
      break;
    case Kind::natural:
      store.push_back(uint64_t(argument.number));
      break;
    case Kind::character:
      store.push_back(char(argument.number));
      break;
    case Kind::real:
      store.push_back(argument.real);
      break;
    }
  try {
    return fmt::vformat(pattern, store);
  } catch (const fmt::format_error &) {
    assert(false && "a pattern and arguments that do not fit");
    return std::string(pattern);
  }
}

/// Room for the largest number with 60 decimals.
static constexpr size_t longest = 400;

std::string formatFixed(double value, int decimals) {
  char buffer[longest];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value,
                           std::chars_format::fixed, decimals);
  return {buffer, end.ptr};
}

std::string formatGeneral(double value, int digits) {
  char buffer[longest];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value,
                           std::chars_format::general, digits);
  return {buffer, end.ptr};
}

std::string formatShortest(double value) {
  char buffer[longest];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end.ptr};
}

std::string groupDigits(std::string digits) {
  size_t begin = digits.starts_with('-');
  for (size_t at = digits.size(); at > begin + 3;)
    digits.insert(at -= 3, ",");
  return digits;
}

static std::string blanks(std::string_view text, size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ');
}

std::string alignedRight(std::string_view text, size_t width) {
  return blanks(text, width) + std::string(text);
}

std::string alignedLeft(std::string_view text, size_t width) {
  return std::string(text) + blanks(text, width);
}

} // namespace tilewright
