#include "runtime/emulator/program/Selector.h"

namespace tilewright::emulator {

std::optional<SelectorKind> selectorKindFromName(std::string_view name) {
  using enum SelectorKind;
  struct Named {
    std::string_view name;
    SelectorKind kind;
  };
  static constexpr Named kinds[] = {
      {"whole", whole},       {"part", part},         {"location", location},
      {"halfMask", halfMask}, {"byteMask", byteMask}, {"halves", halves},
      {"bytes", bytes}};
  for (const Named &each : kinds)
    if (each.name == name)
      return each.kind;
  return std::nullopt;
}

static std::optional<uint32_t> partValue(std::string_view text) {
  static constexpr std::string_view parts[] = {"",   "b0", "b1", "b2",
                                               "b3", "h0", "h1"};
  for (uint32_t i = 0; i < 7; ++i)
    if (parts[i] == text)
      return i;
  return std::nullopt;
}

/// `h10`, `b320`: the elements from the highest, each at most once.
static std::optional<uint32_t> maskValue(std::string_view digits,
                                         unsigned count) {
  uint32_t mask = 0;
  char last = char('0' + count);
  for (char digit : digits) {
    if (digit < '0' || digit >= last)
      return std::nullopt;
    mask |= uint32_t{1} << (digit - '0');
    last = digit;
  }
  return mask;
}

/// `h32`, `b7654`: the first is the highest element's.
static std::optional<uint32_t> choiceValue(std::string_view digits,
                                           unsigned count) {
  if (digits.size() != count)
    return std::nullopt;
  uint32_t value = 0;
  for (char digit : digits) {
    if (digit < '0' || unsigned(digit - '0') >= 2 * count)
      return std::nullopt;
    value = value << 4 | uint32_t(digit - '0');
  }
  return value;
}

std::optional<uint32_t> selectorValue(SelectorKind kind, std::string_view text,
                                      bool second) {
  bool isHalf = kind == SelectorKind::halfMask || kind == SelectorKind::halves;
  unsigned count = isHalf ? 2 : 4;
  char letter = isHalf ? 'h' : 'b';
  bool fits = text.size() > 1 && text[0] == letter;
  switch (kind) {
  case SelectorKind::none:
    return std::nullopt;
  case SelectorKind::whole:
    return text.empty() ? partValue(text) : std::nullopt;
  case SelectorKind::location:
    return text.empty() ? std::nullopt : partValue(text);
  case SelectorKind::part:
    return partValue(text);
  case SelectorKind::halfMask:
  case SelectorKind::byteMask:
    if (text.empty())
      return (uint32_t{1} << count) - 1;
    return fits ? maskValue(text.substr(1), count) : std::nullopt;
  case SelectorKind::halves:
    if (text.empty())
      return second ? 0x32 : 0x10;
    return fits ? choiceValue(text.substr(1), count) : std::nullopt;
  case SelectorKind::bytes:
    if (text.empty())
      return second ? 0x7654 : 0x3210;
    return fits ? choiceValue(text.substr(1), count) : std::nullopt;
  }
  return std::nullopt;
}

} // namespace tilewright::emulator
