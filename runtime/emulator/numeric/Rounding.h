#ifndef TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_ROUNDING_H
#define TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_ROUNDING_H

#include <cstdint>

namespace tilewright::emulator {

/// How a result that the format cannot hold is rounded: .rn, .rz, .rm, .rp of
/// PTX (and .rni, .rzi, .rmi, .rpi); .rna of cvt to tf32.
enum class Rounding : std::uint8_t {
  nearestEven,
  towardZero,
  down,
  up,
  nearestAway
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_ROUNDING_H
