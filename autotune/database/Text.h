// Texts that a database can hold.
#ifndef TILEWRIGHT_AUTOTUNE_DATABASE_TEXT_H
#define TILEWRIGHT_AUTOTUNE_DATABASE_TEXT_H

#include <string>
#include <string_view>

namespace tilewright::autotune {

/// `text` with each byte that is not part of well-formed UTF-8, and each zero
/// byte, replaced by U+FFFD. Output of tools and crashed programs passes
/// through this before it becomes a reason.
[[nodiscard]] std::string cleanText(std::string_view text);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_DATABASE_TEXT_H
