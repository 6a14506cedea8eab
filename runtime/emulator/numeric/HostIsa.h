// Which of the compiled copies of the emulator's arithmetic this machine runs.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_HOSTISA_H
#define TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_HOSTISA_H

#include <cstdint>

namespace tilewright::emulator {

/// The instruction sets that hot code is compiled for (Isa.h), in order: a
/// machine that has one has those before it.
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
[[nodiscard]] HostIsa hostIsa();

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_NUMERIC_HOSTISA_H
