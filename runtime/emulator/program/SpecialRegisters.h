// Special registers: %tid and the like.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_SPECIALREGISTERS_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_SPECIALREGISTERS_H

#include "runtime/emulator/ptx/Types.h"
#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace tilewright::emulator {

using Dim3 = std::array<uint32_t, 3>;

/// A warp's position in its launch, for the special registers.
struct WarpLocation {
  Dim3 block, grid, cluster, blockIndex;
  uint32_t warp = 0, warps = 0;
  uint32_t multiprocessor = 0, multiprocessors = 1;
  uint64_t gridId = 0;
  uint32_t dynamicShared = 0, totalShared = 0;

  /// %tid in dimension `dim` (PTX section 10.1; the linear index runs over x
  /// first).
  [[nodiscard]] uint32_t thread(unsigned lane, unsigned dim) const {
    uint32_t linear = warp * 32 + lane;
    if (dim == 0)
      return linear % block[0];
    linear /= block[0];
    return dim == 1 ? linear % block[1] : linear / block[1];
  }
  [[nodiscard]] uint32_t clusterRank() const {
    return blockIndex[0] % cluster[0] +
           cluster[0] * (blockIndex[1] % cluster[1] +
                         cluster[1] * (blockIndex[2] % cluster[2]));
  }
};

/// A register that is constant while a warp runs.
struct SpecialRegister {
  std::string_view name;
  Type type;
  uint64_t (*value)(const WarpLocation &, unsigned lane);
};
[[nodiscard]] std::span<const SpecialRegister> specialRegisters();

/// The index of the one called `name`, such as "%tid.x".
[[nodiscard]] std::optional<unsigned> findSpecial(std::string_view name);

/// Bytes in the bank of special registers that each one has.
constexpr uint32_t specialStride = 32 * 8;

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PROGRAM_SPECIALREGISTERS_H
