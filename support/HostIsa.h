// Which of the compiled copies of hot code this machine runs.
#ifndef TILEWRIGHT_SUPPORT_HOSTISA_H
#define TILEWRIGHT_SUPPORT_HOSTISA_H

#include "tilewright/support/Export.h"
#include <cstdint>

namespace tilewright {

/// The instruction sets that hot code is compiled for
/// (cmake/TilewrightIsas.cmake), in order: a machine that has one has those
/// before it.
enum class HostIsa : std::uint8_t {
  /// What every machine of the architecture has.
  baseline,
  /// x86-64: AVX2, FMA, F16C and BMI2.
  avx2,
  /// x86-64: avx2 and AVX-512 F, BW, DQ, VL.
  avx512,
};

/// The last one that this machine has and this build is compiled for. Found out
/// once; any thread.
[[nodiscard]] TILEWRIGHT_PRIVATE_API HostIsa hostIsa();

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_HOSTISA_H
