// Numbers as people read them; for the reports' sources only.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_METRICS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_METRICS_H

#include "runtime/emulator/program/SpecialRegisters.h"
#include <cstdint>
#include <string>

namespace tilewright::emulator {

/// "16.8 MB", "512 B".
[[nodiscard]] std::string inBytes(uint64_t bytes);
/// "37.5 %"; of nothing: "-".
[[nodiscard]] std::string percent(uint64_t part, uint64_t whole);
/// "128" or "128 x 4", without trailing ones.
[[nodiscard]] std::string dimensions(const Dim3 &dims);
/// "1 launch", "3 launches".
[[nodiscard]] std::string launchesText(uint64_t count);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_COUNTERS_METRICS_H
