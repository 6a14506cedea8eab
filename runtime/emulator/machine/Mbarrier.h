// Barrier objects in shared memory (PTX section 9.7.13.15).
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_MBARRIER_H
#define TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_MBARRIER_H

#include "runtime/emulator/machine/Locate.h"
#include <optional>

namespace tilewright::emulator {

/// An mbarrier object, and the token of a phase. Programs see 64 bits that
/// mean nothing to them; here they are
///   0-19 pending arrivals, 20-39 arrivals of the phases to come,
///   40-60 bytes that are still expected (two's complement),
///   61-62 the phase modulo 4, 63 one: it was initialized.
/// A token is the object before the arrival that returned it.
///
/// The operations return what the manual expected where it calls the behavior
/// undefined; empty: it is well.
struct Mbarrier {
  /// Of arrivals, and of bytes in either direction (section 9.7.13.15.2).
  static constexpr uint32_t maxCount = (uint32_t{1} << 20) - 1;

  uint32_t pending = 0;
  uint32_t expected = 0;
  int32_t bytes = 0;
  uint32_t phase = 0;

  /// No value: the bits are no such object.
  static std::optional<Mbarrier> decoded(uint64_t bits);
  [[nodiscard]] uint64_t encoded() const;

  /// expect-tx and complete-tx (9.7.13.15.5).
  std::string expectBytes(uint32_t count);
  std::string completeBytes(uint32_t count);
  /// arrive-on (9.7.13.15.7), and what cp.async.mbarrier.arrive adds before.
  std::string arrive(uint32_t count);
  std::string addPending();
  /// For the phases that follow (9.7.13.15.14).
  std::string drop(uint32_t count);

private:
  void completePhase();
};

/// The mbarrier object at `memoryAccess`, which must be in shared memory. No
/// value: a fault is recorded.
struct MbarrierAt {
  SharedLocation location;
  Mbarrier barrier;
};
std::optional<MbarrierAt> readMbarrier(Warp &warp,
                                       const Instruction &instruction,
                                       const MemoryAccess &memoryAccess,
                                       unsigned lane);
/// Writes it back. A completed phase is an event that warps may wait for.
void writeMbarrier(Warp &warp, const MbarrierAt &at);

/// A copy of `count` bytes has come to `block`: signals the mbarrier at
/// `memoryAccess`, which must be there too. False: a fault is recorded.
bool completeBytes(Warp &warp, const Instruction &instruction,
                   const MemoryAccess &memoryAccess, const Block &block,
                   uint32_t count, unsigned lane);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_MACHINE_MBARRIER_H
