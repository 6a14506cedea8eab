#include "runtime/emulator/machine/Mbarrier.h"
#include "support/Format.h"
#include <cstring>

namespace tilewright::emulator {

//===--- The object -------------------------------------------------------===//

constexpr uint64_t liveBit = uint64_t{1} << 63;
constexpr unsigned expectedShift = 20, bytesShift = 40, phaseShift = 61;
constexpr uint64_t bytesMask = (uint64_t{1} << (phaseShift - bytesShift)) - 1;

std::optional<Mbarrier> Mbarrier::decoded(uint64_t bits) {
  if (!(bits & liveBit))
    return std::nullopt;
  Mbarrier barrier;
  barrier.pending = uint32_t(bits & maxCount);
  barrier.expected = uint32_t(bits >> expectedShift & maxCount);
  auto bytes = int32_t(bits >> bytesShift & bytesMask);
  constexpr auto half = int32_t((bytesMask + 1) / 2);
  barrier.bytes = bytes >= half ? bytes - 2 * half : bytes;
  barrier.phase = uint32_t(bits >> phaseShift & 3);
  return barrier;
}

uint64_t Mbarrier::encoded() const {
  return liveBit | uint64_t{phase} << phaseShift |
         (uint64_t(int64_t{bytes}) & bytesMask) << bytesShift |
         uint64_t{expected} << expectedShift | pending;
}

/// Section 9.7.13.15.6.
void Mbarrier::completePhase() {
  if (pending || bytes)
    return;
  phase = (phase + 1) % 4;
  pending = expected;
}

static std::string expectedRange(const char *what, int64_t least, int64_t most,
                                 int64_t found) {
  return format("expected {} of {} to {}, found {}",
                {what, least, most, found});
}

std::string Mbarrier::expectBytes(uint32_t count) {
  int64_t sum = int64_t{bytes} + count;
  if (sum > maxCount)
    return expectedRange("a tx-count", -int64_t{maxCount}, maxCount, sum);
  bytes = int32_t(sum);
  return {};
}

std::string Mbarrier::completeBytes(uint32_t count) {
  int64_t sum = int64_t{bytes} - count;
  if (sum < -int64_t{maxCount})
    return expectedRange("a tx-count", -int64_t{maxCount}, maxCount, sum);
  bytes = int32_t(sum);
  completePhase();
  return {};
}

std::string Mbarrier::arrive(uint32_t count) {
  if (count == 0 || count > pending)
    return format("expected 1 to {} arrivals, as many as are pending, found {}",
                  {pending, count});
  pending -= count;
  completePhase();
  return {};
}

std::string Mbarrier::addPending() {
  if (pending == maxCount)
    return expectedRange("pending arrivals", 0, maxCount, int64_t{pending} + 1);
  ++pending;
  return {};
}

std::string Mbarrier::drop(uint32_t count) {
  if (count > expected)
    return format("expected at most {} arrivals to drop, found {}",
                  {expected, count});
  expected -= count;
  return {};
}

//===--- In memory --------------------------------------------------------===//

std::optional<MbarrierAt> readMbarrier(Warp &warp,
                                       const Instruction &instruction,
                                       const MemoryAccess &memoryAccess,
                                       unsigned lane) {
  MbarrierAt at;
  at.location = locateShared(warp, instruction, memoryAccess, lane);
  if (!at.location.host)
    return std::nullopt;
  uint64_t bits;
  std::memcpy(&bits, at.location.host, sizeof(bits));
  std::optional<Mbarrier> barrier = Mbarrier::decoded(bits);
  if (!barrier) {
    fail(warp, instruction, FaultCode::undefinedBehavior,
         "expected an mbarrier object, initialized and not overwritten", lane,
         memoryAccess.address);
    return std::nullopt;
  }
  at.barrier = *barrier;
  return at;
}

void writeMbarrier(Warp &warp, const MbarrierAt &at) {
  uint64_t bits;
  std::memcpy(&bits, at.location.host, sizeof(bits));
  std::optional<Mbarrier> before = Mbarrier::decoded(bits);
  if (before && before->phase != at.barrier.phase)
    ++warp.block->cluster->events;
  bits = at.barrier.encoded();
  std::memcpy(at.location.host, &bits, sizeof(bits));
  warp.polls = 0;
}

bool completeBytes(Warp &warp, const Instruction &instruction,
                   const MemoryAccess &memoryAccess, const Block &block,
                   uint32_t count, unsigned lane) {
  std::optional<MbarrierAt> at =
      readMbarrier(warp, instruction, memoryAccess, lane);
  if (!at)
    return false;
  std::string expected =
      at->location.block == &block
          ? at->barrier.completeBytes(count)
          : "expected the mbarrier in the block that the bytes go to";
  if (!expected.empty()) {
    fail(warp, instruction, FaultCode::undefinedBehavior, expected, lane,
         memoryAccess.address);
    return false;
  }
  writeMbarrier(warp, *at);
  return true;
}

} // namespace tilewright::emulator
