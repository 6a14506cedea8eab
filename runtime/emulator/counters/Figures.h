// Numbers as people read them; for the reports' sources only.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_FIGURES_H
#define TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_FIGURES_H

#include "runtime/emulator/program/Specials.h"
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright::emulator {

/// "262,144".
[[nodiscard]] std::string grouped(uint64_t number);
/// "16.8 MB", "512 B".
[[nodiscard]] std::string inBytes(uint64_t bytes);
/// "37.5 %"; of nothing: "-".
[[nodiscard]] std::string percent(uint64_t part, uint64_t whole);
/// "128" or "128 x 4", without trailing ones.
[[nodiscard]] std::string dimensions(const Dim3 &dims);
/// "1 launch", "3 launches".
[[nodiscard]] std::string launchesText(uint64_t count);
/// `text` with blanks before (or behind) it, `width` wide.
[[nodiscard]] std::string right(std::string_view text, size_t width);
[[nodiscard]] std::string left(std::string_view text, size_t width);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_FIGURES_H
