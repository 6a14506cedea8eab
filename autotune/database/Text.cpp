#include "autotune/database/Text.h"

#include <cstddef>
#include <cstdint>

namespace tilewright::autotune {

/// The bytes of the code point that `text` begins with; 0 if it begins with
/// none that is well-formed (Unicode 15.0, table 3-7).
static size_t pointLength(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned first = byte(0);
  if (first >= 0x01 && first < 0x80)
    return 1;
  size_t length = first >= 0xc2 && first < 0xe0   ? 2
                  : first >= 0xe0 && first < 0xf0 ? 3
                  : first >= 0xf0 && first < 0xf5 ? 4
                                                  : 0;
  if (length == 0 || text.size() < length)
    return 0;
  // Overlong forms, surrogates and what is above U+10FFFF show in byte two.
  unsigned low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  unsigned high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high)
    return 0;
  for (size_t i = 2; i < length; ++i)
    if (byte(i) < 0x80 || byte(i) > 0xbf)
      return 0;
  return length;
}

std::string cleanText(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    size_t length = pointLength(text);
    clean += length ? text.substr(0, length) : std::string_view("\xef\xbf\xbd");
    text.remove_prefix(length ? length : 1);
  }
  return clean;
}

} // namespace tilewright::autotune
