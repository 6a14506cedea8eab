// Copies of many bytes by one thread: PTX sections 9.7.9.25.4 and 9.7.9.25.6.
#include "runtime/emulator/execute/Groups.h"
#include "runtime/emulator/execute/MbarrierCopy.h"
#include "runtime/emulator/execute/Reduce.h"
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/machine/Observer.h"
#include "support/Format.h"
#include <cstring>

namespace tilewright::emulator {

/// Operands: to, from, size, then the mbarrier and the blocks' mask. Addresses:
/// to, from, the mbarrier.
constexpr unsigned toOperand = 0, fromOperand = 1, sizeOperand = 2,
                   barrierOperand = 3, maskOperand = 4;
constexpr unsigned barrierAddress = 2;

/// A lane's size. No value: a fault is recorded.
static std::optional<uint32_t> sizeOf(Warp &warp, const Instruction &in,
                                      unsigned lane) {
  uint32_t size = operand<uint32_t>(warp, in, sizeOperand)[lane];
  if (size % 16 == 0)
    return size;
  fail(warp, in, FaultCode::undefinedBehavior,
       format("expected a size that is a multiple of 16, found {}", {size}),
       lane);
  return std::nullopt;
}

/// The address of one side of the copy, and its host memory (null: a fault is
/// recorded).
static uint64_t addressOf(Warp &warp, const Instruction &in, unsigned index,
                          unsigned lane) {
  return laneAddress(warp, in, in.operands[index], index, lane);
}
static std::byte *sideOf(Warp &warp, const Instruction &in, unsigned index,
                         uint32_t size, Access access, unsigned lane) {
  MemoryAccess memoryAccess = {in.address(index).space,
                               addressOf(warp, in, index, lane), size, 16,
                               access};
  return locate(warp, in, memoryAccess, lane);
}

static void copyBytes(std::byte *to, const std::byte *from, size_t bytes) {
  std::memmove(to, from, bytes);
}

/// How the bytes come together with those that are there.
constexpr uint8_t copies = 0xFF;
static ReduceElements combinationOf(const Instruction &in) {
  return in.mode == copies ? copyBytes : unpackReduction(in.mode);
}

//===--- Copies -----------------------------------------------------------===//

template <bool toMany>
static Step runToShared(Warp &warp, const Instruction &in) {
  ReduceElements combine = combinationOf(in);
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    std::optional<uint32_t> size = sizeOf(warp, in, lane);
    if (!size)
      return Step::failed;
    std::byte *source =
        sideOf(warp, in, fromOperand, *size, Access::load, lane);
    if (!source)
      return Step::failed;
    MbarrierCopy copyTarget =
        mbarrierCopyOf(warp, in, lane, toOperand, in.operands[toOperand],
                       barrierAddress, in.operands[barrierOperand]);
    copyTarget.to.bytes = *size;
    copyTarget.to.alignment = 16;
    if (in.mode != copies)
      copyTarget.to.access = Access::atomic;
    if (toMany)
      copyTarget.blocks = operand<uint16_t>(warp, in, maskOperand)[lane];
    bool arrived =
        copyAndSignal(warp, in, lane, copyTarget, [&](SharedLocation location) {
          combine(location.host, source, *size);
        });
    if (!arrived)
      return Step::failed;
    const bool inCluster =
        in.address(fromOperand).space != AddressSpace::global;
    tellCopy(warp, in,
             inCluster ? DataPath::copiedInCluster : DataPath::copiedToShared,
             inCluster ? 0 : addressOf(warp, in, fromOperand, lane), *size);
  }
  return Step::next;
}

static Step runToGlobal(Warp &warp, const Instruction &in) {
  ReduceElements combine = combinationOf(in);
  Access access = in.mode == copies ? Access::store : Access::atomic;
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    std::optional<uint32_t> size = sizeOf(warp, in, lane);
    if (!size)
      return Step::failed;
    std::byte *source =
        sideOf(warp, in, fromOperand, *size, Access::load, lane);
    std::byte *target =
        source ? sideOf(warp, in, toOperand, *size, access, lane) : nullptr;
    if (!target)
      return Step::failed;
    startCopy(warp, &Warp::bulkCopies, lane,
              [=, bytes = *size] { combine(target, source, bytes); });
    tellCopy(warp, in, DataPath::copiedToGlobal,
             addressOf(warp, in, toOperand, lane), *size);
  }
  warp.polls = 0;
  return Step::next;
}

template <Step (*Run)(Warp &, const Instruction &)>
static Execute buildCopy(const Match &, Instruction &in) {
  in.mode = copies;
  return Run;
}
template <Step (*Run)(Warp &, const Instruction &)>
static Execute buildReduce(const Match &match, Instruction &in) {
  in.mode = packReduction(reduceOpFromName(match["op"]), match.type());
  // Others of the launch may add to the same location.
  in.communicates = in.address(toOperand).space == AddressSpace::global;
  return Run;
}

static Execute rejectMask(const Match &match, Instruction &) {
  match.reject("copies with a mask of bytes are for sm_100 and later");
  return nullptr;
}

/// Of a hint.
static Step runNothing(Warp &, const Instruction &) { return Step::next; }
static Execute buildNothing(const Match &, Instruction &) { return runNothing; }

//===--- The table --------------------------------------------------------===//

#define BYTES ".mbarrier::complete_tx::bytes "
#define TO_SHARED ".async .bulk dst=shared::cluster|shared::cta .global " BYTES
#define TO_MANY                                                                \
  ".async .bulk dst=shared::cluster .global " BYTES ".multicast::cluster "
#define TO_CLUSTER ".async .bulk .shared::cluster .shared::cta " BYTES
#define TO_GLOBAL ".async .bulk .global .shared::cta .bulk_group "
#define HINT ".L2::cache_hint "

#define FROM_GLOBAL "[d:dst], [a:global], size:u32, [b:dst]"
#define FROM_SHARED                                                            \
  "[d:shared::cluster], [a:shared::cta], size:u32, [b:shared::cluster]"
#define GLOBAL_SHARED "[d:global], [a:shared::cta], size:u32"
#define MASK ", mask:b16"
#define POLICY ", policy:b64"

#define COPY_SECTION "9.7.9.25.4.1"
#define REDUCE_SECTION "9.7.9.25.4.2"

#define REDUCE_TO_GLOBAL(OPERATION)                                            \
  {"cp", ".reduce " TO_GLOBAL OPERATION, GLOBAL_SHARED, REDUCE_SECTION,        \
   buildReduce<runToGlobal>},                                                  \
  {                                                                            \
    "cp", ".reduce " TO_GLOBAL HINT OPERATION, GLOBAL_SHARED POLICY,           \
        REDUCE_SECTION, buildReduce<runToGlobal>                               \
  }
#define REDUCE_TO_CLUSTER(OPERATION)                                           \
  {"cp", ".reduce " TO_CLUSTER OPERATION, FROM_SHARED, REDUCE_SECTION,         \
   buildReduce<runToShared<false>>}

static constexpr Form table[] = {
    {"cp", TO_SHARED, FROM_GLOBAL, COPY_SECTION, buildCopy<runToShared<false>>},
    {"cp", TO_SHARED HINT, FROM_GLOBAL POLICY, COPY_SECTION,
     buildCopy<runToShared<false>>},
    {"cp", TO_MANY, FROM_GLOBAL MASK, COPY_SECTION,
     buildCopy<runToShared<true>>},
    {"cp", TO_MANY HINT, FROM_GLOBAL MASK POLICY, COPY_SECTION,
     buildCopy<runToShared<true>>},
    {"cp", TO_CLUSTER, FROM_SHARED, COPY_SECTION,
     buildCopy<runToShared<false>>},
    {"cp", TO_GLOBAL, GLOBAL_SHARED, COPY_SECTION, buildCopy<runToGlobal>},
    {"cp", TO_GLOBAL HINT, GLOBAL_SHARED POLICY, COPY_SECTION,
     buildCopy<runToGlobal>},
    {"cp", TO_GLOBAL ".L2::cache_hint? .cp_mask", "*", COPY_SECTION,
     rejectMask},
    REDUCE_TO_GLOBAL("op=add type=u32|s32|u64|f32|f64"),
    REDUCE_TO_GLOBAL("op=add .noftz type=f16|bf16"),
    REDUCE_TO_GLOBAL("op=min|max type=u32|s32|u64|s64|f16|bf16"),
    REDUCE_TO_GLOBAL("op=inc|dec type=u32"),
    REDUCE_TO_GLOBAL("op=and|or|xor type=b32|b64"),
    REDUCE_TO_CLUSTER("op=add type=u32|s32|u64"),
    REDUCE_TO_CLUSTER("op=min|max type=u32|s32"),
    REDUCE_TO_CLUSTER("op=inc|dec type=u32"),
    REDUCE_TO_CLUSTER("op=and|or|xor type=b32"),
    {"cp", ".async .bulk .prefetch .L2 .global", "[a:global], size:u32",
     "9.7.9.25.4.3", buildNothing},
    {"cp", ".async .bulk .prefetch .L2 .global " HINT,
     "[a:global], size:u32" POLICY, "9.7.9.25.4.3", buildNothing},
    {"cp", ".async .bulk .commit_group", "", "9.7.9.25.6.1",
     buildGroups<runCommit<&Warp::bulkCopies>>},
    {"cp", ".async .bulk .wait_group .read?", "#n:u32", "9.7.9.25.6.2",
     buildGroups<runWaitGroup<&Warp::bulkCopies>>},
};

std::span<const Form> bulkCopyForms() { return table; }

} // namespace tilewright::emulator
