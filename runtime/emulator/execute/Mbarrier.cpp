// mbarrier: PTX sections 9.7.13.15.9 to 9.7.13.15.17.
#include "runtime/emulator/machine/Mbarrier.h"
#include "runtime/emulator/execute/Access.h"
#include "runtime/emulator/execute/Tables.h"
#include "support/Format.h"
#include <bit>
#include <cstring>

namespace tilewright::emulator {

/// The object that `lane` means, by the operand `index`.
static MemoryAccess memoryAccessOf(Warp &warp, const Instruction &in,
                                   unsigned index, unsigned lane,
                                   Access access) {
  return {AddressSpace(in.space),
          laneAddress(warp, in, in.operands[index], 0, lane), 8, 8, access};
}

static Step undefined(Warp &warp, const Instruction &in,
                      const std::string &expected, unsigned lane,
                      uint64_t address = 0) {
  return fail(warp, in, FaultCode::undefinedBehavior, expected, lane, address);
}

//===--- Life -------------------------------------------------------------===//

static Step runInit(Warp &warp, const Instruction &in) {
  const uint32_t *counts = operand<uint32_t>(warp, in, 1);
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    uint32_t count = counts[lane];
    MemoryAccess memoryAccess =
        memoryAccessOf(warp, in, 0, lane, Access::store);
    if (count == 0 || count > Mbarrier::maxCount)
      return undefined(warp, in,
                       format("expected a count of 1 to {}, found {}",
                              {Mbarrier::maxCount, count}),
                       lane, memoryAccess.address);
    SharedLocation location = locateShared(warp, in, memoryAccess, lane);
    if (!location.host)
      return Step::failed;
    uint64_t bits = Mbarrier{count, count, 0, 0}.encoded();
    std::memcpy(location.host, &bits, sizeof(bits));
  }
  warp.polls = 0;
  return Step::next;
}
static Step runInvalidate(Warp &warp, const Instruction &in) {
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    MemoryAccess memoryAccess =
        memoryAccessOf(warp, in, 0, lane, Access::atomic);
    std::optional<MbarrierAt> at = readMbarrier(warp, in, memoryAccess, lane);
    if (!at)
      return Step::failed;
    std::memset(at->location.host, 0, sizeof(uint64_t));
  }
  return Step::next;
}
template <Step (*Run)(Warp &, const Instruction &)>
static Execute build(const Match &, Instruction &) {
  return Run;
}

//===--- Arrivals and bytes -----------------------------------------------===//

/// Each lane changes its object, one after another: change(at, lane) returns
/// what the manual expected, or nothing.
template <typename F>
static Step changeEach(Warp &warp, const Instruction &in, unsigned index,
                       F change) {
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    MemoryAccess memoryAccess =
        memoryAccessOf(warp, in, index, lane, Access::atomic);
    std::optional<MbarrierAt> at = readMbarrier(warp, in, memoryAccess, lane);
    if (!at)
      return Step::failed;
    std::string expected = change(*at, lane);
    if (!expected.empty())
      return undefined(warp, in, expected, lane, memoryAccess.address);
    writeMbarrier(warp, *at);
  }
  return Step::next;
}

static Step runExpect(Warp &warp, const Instruction &in) {
  const uint32_t *bytes = operand<uint32_t>(warp, in, 1);
  return changeEach(warp, in, 0, [&](MbarrierAt &at, unsigned lane) {
    return at.barrier.expectBytes(bytes[lane]);
  });
}
static Step runComplete(Warp &warp, const Instruction &in) {
  const uint32_t *bytes = operand<uint32_t>(warp, in, 1);
  return changeEach(warp, in, 0, [&](MbarrierAt &at, unsigned lane) {
    return at.barrier.completeBytes(bytes[lane]);
  });
}

/// What else an arrival does.
struct Arrival {
  static constexpr uint8_t drops = 1, expects = 2, completesNothing = 4;
};

/// Operands: the phase's token, the object, and how many arrive (else one), or
/// the bytes that are expected.
static Step runArrive(Warp &warp, const Instruction &in) {
  const uint32_t *values =
      in.operands[2].present() ? operand<uint32_t>(warp, in, 2) : nullptr;
  const bool expects = in.mode & Arrival::expects;
  const bool noResult = in.operands[0] == Ref::sink();
  uint64_t tokens[32] = {};
  Step step = changeEach(warp, in, 1, [&](MbarrierAt &at, unsigned lane) {
    Mbarrier &barrier = at.barrier;
    tokens[lane] = barrier.encoded();
    if (at.location.block != warp.block && !noResult)
      return std::string("expected '_' for the result of an arrival at "
                         "another block's mbarrier");
    uint32_t count = values && !expects ? values[lane] : 1;
    std::string expected;
    if (expects)
      expected = barrier.expectBytes(values[lane]);
    if (expected.empty() && (in.mode & Arrival::drops))
      expected = barrier.drop(count);
    uint32_t phase = barrier.phase;
    if (expected.empty())
      expected = barrier.arrive(count);
    if (expected.empty() && (in.mode & Arrival::completesNothing) &&
        barrier.phase != phase)
      expected = "expected an arrival that does not complete the phase";
    return expected;
  });
  if (step != Step::next)
    return step;
  forActive(warp, operand<uint64_t>(warp, in, 0),
            [&](unsigned lane) { return tokens[lane]; });
  return Step::next;
}
/// An order must have a scope.
static bool isOrdered(const Match &match) {
  if (match.has("order") && !match.has("scope"))
    match.reject("expected a scope behind the order");
  return match.reason.empty();
}

static Execute buildArrive(const Match &match, Instruction &in) {
  if (match["ss"] == "shared::cluster" && in.operands[0] != Ref::sink())
    match.reject("expected '_' for the result with .shared::cluster");
  if (!isOrdered(match))
    return nullptr;
  in.mode = uint8_t((match.has("arrive_drop") ? Arrival::drops : 0) |
                    (match.has("expect_tx") ? Arrival::expects : 0) |
                    (match.has("noComplete") ? Arrival::completesNothing : 0));
  return runArrive;
}

static Step runPendingCount(Warp &warp, const Instruction &in) {
  const uint64_t *tokens = operand<uint64_t>(warp, in, 1);
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    if (!Mbarrier::decoded(tokens[lane]))
      return undefined(warp, in, "expected the state that an arrival gave",
                       lane);
  }
  forActive(warp, operand<uint32_t>(warp, in, 0), [&](unsigned lane) {
    return uint32_t(tokens[lane]) & Mbarrier::maxCount;
  });
  return Step::next;
}

//===--- Waits ------------------------------------------------------------===//

/// Whether the phase of a token is over. Only the current phase and the one
/// before may be tested (9.7.13.15.16).
static std::string isOver(const Mbarrier &barrier, uint64_t token, bool &over) {
  std::optional<Mbarrier> before = Mbarrier::decoded(token);
  if (!before)
    return "expected the state that an arrival gave";
  uint32_t age = (barrier.phase - before->phase) % 4;
  over = age == 1;
  return age <= 1 ? "" : "expected the phase under way or the one before it";
}
/// The phase under way has the parity of its number, from 0 on. Of the operand
/// the lowest bit counts, as on hardware: Triton writes -1 for 1.
static bool parityIsOver(const Mbarrier &barrier, uint32_t parity) {
  return barrier.phase % 2 != parity % 2;
}

/// Finds the lanes whose phase is over. False: a fault is recorded. Operands:
/// the result, the object, the token or parity.
static bool findOver(Warp &warp, const Instruction &in, uint32_t &over) {
  const bool byParity = in.mode;
  over = 0;
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    MemoryAccess memoryAccess = memoryAccessOf(warp, in, 1, lane, Access::load);
    std::optional<MbarrierAt> at = readMbarrier(warp, in, memoryAccess, lane);
    if (!at)
      return false;
    bool isTrue = false;
    std::string expected;
    if (byParity)
      isTrue = parityIsOver(at->barrier, operand<uint32_t>(warp, in, 2)[lane]);
    else
      expected =
          isOver(at->barrier, operand<uint64_t>(warp, in, 2)[lane], isTrue);
    if (at->location.block != warp.block)
      expected = "expected an mbarrier of the own block to wait for";
    if (!expected.empty()) {
      undefined(warp, in, expected, lane, memoryAccess.address);
      return false;
    }
    over |= uint32_t{isTrue} << lane;
  }
  return true;
}

/// Of the object, in the first lane.
static uint64_t firstAddress(Warp &warp, const Instruction &in) {
  const unsigned lane = unsigned(std::countr_zero(warp.active));
  return laneAddress(warp, in, in.operands[1], 0, lane);
}

static Step runTestWait(Warp &warp, const Instruction &in) {
  uint32_t over;
  if (!findOver(warp, in, over))
    return Step::failed;
  setPredicate(warp, in.operands[0], over);
  if (!over)
    countPoll(warp, in, firstAddress(warp, in));
  return Step::next;
}

/// Blocks for a time, then reports that the phase is not over.
static Step runTryWait(Warp &warp, const Instruction &in) {
  constexpr uint64_t maxTries = 16;
  uint32_t over;
  if (!findOver(warp, in, over))
    return Step::failed;
  if (!over && ++warp.group.token < maxTries)
    return Step::waits;
  warp.group.token = 0;
  if (!over) {
    warp.look = &in;
    warp.lookedAt = firstAddress(warp, in);
    warp.yields = true;
  }
  setPredicate(warp, in.operands[0], over);
  return Step::next;
}

template <Step (*Run)(Warp &, const Instruction &)>
static Execute buildWait(const Match &match, Instruction &in) {
  if (!isOrdered(match))
    return nullptr;
  in.mode = match.has("parity");
  return Run;
}

//===--- The table --------------------------------------------------------===//

#define OWN "ss?=shared|shared::cta .b64"
#define ANY "ss?=shared|shared::cta|shared::cluster .b64"
#define ARRIVE "order?=release|relaxed scope?=cta|cluster " ANY
#define WAIT "order?=acquire|relaxed scope?=cta|cluster " OWN
#define BYTES "order?=relaxed scope?=cta|cluster " ANY
#define SECTION "9.7.13.15."

#define ARRIVALS(NAME, NUMBER)                                                 \
  {"mbarrier", NAME " " ARRIVE, "d:b64, [a], count:u32?", SECTION NUMBER,      \
   buildArrive},                                                               \
      {"mbarrier", NAME " .expect_tx " ARRIVE, "d:b64, [a], bytes:u32",        \
       SECTION NUMBER, buildArrive},                                           \
  {                                                                            \
    "mbarrier", NAME " .noComplete order?=release scope?=cta " OWN,            \
        "d:b64, [a], count:u32", SECTION NUMBER, buildArrive                   \
  }

static constexpr Form table[] = {
    {"mbarrier", ".init " OWN, "[a], count:u32", SECTION "9", build<runInit>},
    {"mbarrier", ".inval " OWN, "[a]", SECTION "10", build<runInvalidate>},
    {"mbarrier", ".expect_tx " BYTES, "[a], bytes:u32", SECTION "11",
     build<runExpect>},
    {"mbarrier", ".complete_tx " BYTES, "[a], bytes:u32", SECTION "12",
     build<runComplete>},
    ARRIVALS(".arrive", "13"),
    ARRIVALS(".arrive_drop", "14"),
    {"mbarrier", ".test_wait " WAIT, "d:pred, [a], state:b64", SECTION "16",
     buildWait<runTestWait>},
    {"mbarrier", ".test_wait .parity " WAIT, "d:pred, [a], parity:u32",
     SECTION "16", buildWait<runTestWait>},
    {"mbarrier", ".try_wait " WAIT, "d:pred, [a], state:b64, hint:u32?",
     SECTION "16", buildWait<runTryWait>},
    {"mbarrier", ".try_wait .parity " WAIT,
     "d:pred, [a], parity:u32, hint:u32?", SECTION "16", buildWait<runTryWait>},
    {"mbarrier", ".pending_count .b64", "d:u32, state:b64", SECTION "17",
     build<runPendingCount>},
};

std::span<const Form> mbarrierForms() { return table; }

} // namespace tilewright::emulator
