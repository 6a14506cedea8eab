// Conversions of 16-bit floats, correctly rounded, on integers only.
#ifndef TILEWRIGHT_RUNTIME_CPU_SMALLFLOATS_H
#define TILEWRIGHT_RUNTIME_CPU_SMALLFLOATS_H

#include "tilewright/support/Export.h"
#include <cstdint>

namespace tilewright::runtime {

/// The nearest IEEE binary16 number, ties to even; NaNs become quiet and keep
/// the top of their payload. A float argument converts exactly, so these serve
/// float as well.
[[nodiscard]] TILEWRIGHT_PRIVATE_API uint16_t halfFromDouble(double value);
/// The nearest bfloat16 number, likewise.
[[nodiscard]] TILEWRIGHT_PRIVATE_API uint16_t bfloatFromDouble(double value);
/// Exact.
[[nodiscard]] float floatFromHalf(uint16_t bits);
[[nodiscard]] float floatFromBfloat(uint16_t bits);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CPU_SMALLFLOATS_H
