// Copies that threads start and wait for: PTX section 9.7.9.25.3, and
// cp.async.mbarrier.arrive of 9.7.13.15.15.
#include "runtime/emulator/execute/Access.h"
#include "runtime/emulator/execute/Groups.h"
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/machine/Mbarrier.h"
#include "support/Format.h"
#include <bit>
#include <cstring>

namespace tilewright::emulator {

/// The first `bytes` bytes of `size` are copied; the others become zero. The
/// copy is pending until the lane waits for it, also where it lands at once.
/// False: a fault is recorded.
static bool start(Warp &warp, const Instruction &in, unsigned lane,
                  std::byte *to, const std::byte *from, uint32_t bytes,
                  uint32_t size) {
  Block &block = *warp.block;
  PendingCopy copy;
  copy.lane = lane;
  auto land = [=] {
    std::byte values[16] = {};
    std::memcpy(values, from, bytes);
    std::memcpy(to, values, size);
  };
  // Its destination is in shared memory of its own block (.shared::cta).
  if (const auto offset = uint64_t(to - block.shared);
      offset < block.sharedBytes) {
    // Of another lane of this instruction; others were found with `to`.
    if (block.pendingWords.touches(offset, size)) {
      failForRace(warp, in, block, offset, size, lane, offset);
      return false;
    }
    copy.instruction = &in;
    copy.offset = uint32_t(offset);
    copy.bytes = size;
    block.pendingWords.add(copy.offset, size);
    block.checksShared = true;
  }
  if (block.launch->options.copiesLandLate)
    copy.land = land;
  else
    land();
  warp.copies.start(std::move(copy));
  return true;
}

/// Operands: to, from, size, and the limit of the bytes that are read. The mode
/// has a Limit, and whether only 16 bytes are allowed.
enum class Limit : uint8_t { none, bytes, ignore };
constexpr uint8_t onlyWide = 4;

/// How many bytes `lane` reads of `size`; the rest is zeros.
static uint32_t bytesRead(Warp &warp, const Instruction &in, unsigned lane,
                          uint32_t size) {
  switch (Limit(in.mode & ~onlyWide)) {
  case Limit::none:
    return size;
  case Limit::bytes:
    return operand<uint32_t>(warp, in, 3)[lane];
  case Limit::ignore:
    return predicateOperand(warp, in, 3) >> lane & 1 ? 0 : size;
  }
  return size;
}

static Step runCopy(Warp &warp, const Instruction &in) {
  uint32_t size = operand<uint32_t>(warp, in, 2)[0];
  const bool wide = in.mode & onlyWide;
  if (size != 16 && (wide || (size != 4 && size != 8)))
    return fail(warp, in, FaultCode::undefinedBehavior,
                format("expected a size of {} bytes, found {}",
                       {wide ? "16" : "4, 8 or 16", size}));
  LaneAddresses to, from;
  if (!findAddresses(warp, in, in.operands[0], size, Access::store, to))
    return Step::failed;
  uint32_t whole = 0, parts = 0;
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    uint32_t bytes = bytesRead(warp, in, lane, size);
    if (bytes > size)
      return fail(warp, in, FaultCode::undefinedBehavior,
                  format("expected a source of at most {} bytes, found {}",
                         {size, bytes}),
                  lane);
    (bytes == size ? whole : parts) |= uint32_t{1} << lane;
  }
  const uint32_t active = warp.active;
  warp.active = whole;
  bool found = !whole || findAddresses(warp, in, in.operands[1], size,
                                       Access::load, from, size, 1);
  warp.active = active;
  if (!found)
    return Step::failed;
  for (uint32_t rest = whole; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    if (!start(warp, in, lane, to.of(lane), from.of(lane), size, size))
      return Step::failed;
  }
  for (uint32_t rest = parts; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    uint32_t bytes = bytesRead(warp, in, lane, size);
    // Nothing is read at an address that reads no bytes.
    std::byte *source = to.of(lane);
    MemoryAccess memoryAccess = {in.address(1).space,
                                 laneAddress(warp, in, in.operands[1], 1, lane),
                                 bytes, size, Access::load};
    if (bytes && !(source = locate(warp, in, memoryAccess, lane)))
      return Step::failed;
    if (!start(warp, in, lane, to.of(lane), source, bytes, size))
      return Step::failed;
  }
  warp.polls = 0;
  return Step::next;
}
template <Limit limit>
static Execute buildCopy(const Match &match, Instruction &in) {
  in.mode = uint8_t(uint8_t(limit) | (match["cop"] == "cg" ? onlyWide : 0));
  return runCopy;
}

static Step runWaitAll(Warp &warp, const Instruction &) {
  warp.copies.commit(warp.active);
  warp.copies.wait(warp.active, 0, warp.block->pendingWords);
  return Step::next;
}

/// Arrives when the copies that the thread started have landed. Without
/// .noinc the arrival is one more than the phase expected.
static Step runCopyArrive(Warp &warp, const Instruction &in) {
  warp.copies.wait(warp.active, warp.block->pendingWords);
  const bool adds = in.mode;
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    MemoryAccess memoryAccess = {AddressSpace(in.space),
                                 laneAddress(warp, in, in.operands[0], 0, lane),
                                 8, 8, Access::atomic};
    std::optional<MbarrierAt> at = readMbarrier(warp, in, memoryAccess, lane);
    if (!at)
      return Step::failed;
    std::string expected = adds ? at->barrier.addPending() : std::string();
    if (expected.empty())
      expected = at->barrier.arrive(1);
    if (!expected.empty())
      return fail(warp, in, FaultCode::undefinedBehavior, expected, lane,
                  memoryAccess.address);
    writeMbarrier(warp, *at);
  }
  return Step::next;
}
static Execute buildCopyArrive(const Match &match, Instruction &in) {
  in.mode = !match.has("noinc");
  return runCopyArrive;
}

//===--- The table --------------------------------------------------------===//

#define COPY(HINT)                                                             \
  ".async cop=ca|cg to=shared|shared::cta .global " HINT                       \
  "prefetch?=L2::64B|L2::128B|L2::256B"
#define PLAIN COPY("")
#define HINTED COPY(".L2::cache_hint ")
#define TO_FROM "[d:to], [a:global], #size:u32"
#define COPY_SECTION "9.7.9.25.3.1"

static constexpr Form table[] = {
    {"cp", PLAIN, TO_FROM, COPY_SECTION, buildCopy<Limit::none>},
    {"cp", PLAIN, TO_FROM ", bytes:u32", COPY_SECTION, buildCopy<Limit::bytes>},
    {"cp", PLAIN, TO_FROM ", !ignore:pred", COPY_SECTION,
     buildCopy<Limit::ignore>},
    {"cp", HINTED, TO_FROM ", policy:b64", COPY_SECTION,
     buildCopy<Limit::none>},
    {"cp", HINTED, TO_FROM ", bytes:u32, policy:b64", COPY_SECTION,
     buildCopy<Limit::bytes>},
    {"cp", HINTED, TO_FROM ", !ignore:pred, policy:b64", COPY_SECTION,
     buildCopy<Limit::ignore>},
    {"cp", ".async .commit_group", "", "9.7.9.25.3.2",
     buildGroups<runCommit<&Warp::copies>>},
    {"cp", ".async .wait_group", "#n:u32", "9.7.9.25.3.3",
     buildGroups<runWaitGroup<&Warp::copies>>},
    {"cp", ".async .wait_all", "", "9.7.9.25.3.3", buildGroups<runWaitAll>},
    {"cp", ".async .mbarrier .arrive .noinc? ss?=shared|shared::cta .b64",
     "[a]", "9.7.13.15.15", buildCopyArrive},
};

std::span<const Form> asyncCopyForms() { return table; }

} // namespace tilewright::emulator
