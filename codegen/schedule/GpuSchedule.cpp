//===- GpuSchedule.cpp - How a tile kernel is spread over a GPU -----------===//
#include "tilewright/codegen/GpuSchedule.h"

#include "codegen/schedule/ScheduleText.h"
#include <algorithm>
#include <bit>
#include <vector>

namespace tilewright::schedule {

static constexpr ParameterMember<GpuSchedule> gpuMembers[] = {
    {"warps", &GpuSchedule::warps},
    {"vector_bits", &GpuSchedule::vectorBits},
    {"min_blocks", &GpuSchedule::minBlocks},
    {"max_registers", &GpuSchedule::maxRegisters},
    {"persistent", &GpuSchedule::persistent},
    {"group", &GpuSchedule::group},
    {"instruction", &GpuSchedule::instruction},
    {"stages", &GpuSchedule::stages}};

std::string GpuSchedule::text() const {
  std::string text;
  // 0 asks for nothing.
  for (const ParameterMember<GpuSchedule> &member : gpuMembers)
    if (this->*member.value)
      appendPart(text, member.name, this->*member.value);
  appendTunables(text, tunables);
  return text;
}

StatusOr<GpuSchedule> GpuSchedule::parse(std::string_view text) {
  return parseSchedule(text, Kind::gpu, gpuMembers);
}

ExplainedSchedule defaultSchedule(const KernelWork &work) {
  // What a thread works on at once: enough to hide latency and to use wide
  // accesses, little enough to stay in registers.
  constexpr int64_t bytesOfThread = 64, accumulatorsOfThread = 64;
  // Warps of matrix instructions read the less of shared memory the more each
  // computes: from 4 warps on twice as much.
  constexpr int64_t fewThreads = 4 * int64_t(target::GpuTarget::warpSize);
  const int64_t forMatrix =
      std::max(std::min(work.matrixDot / accumulatorsOfThread, fewThreads),
               work.matrixDot / (2 * accumulatorsOfThread));
  int64_t forAccumulators =
      std::max(work.largestDot / accumulatorsOfThread, forMatrix);
  const int64_t largestDot = std::max(work.largestDot, work.matrixDot);
  int64_t forBytes = work.largestTile * work.elementBytes / bytesOfThread;
  int64_t warps = std::clamp<int64_t>(
      std::max(forAccumulators, forBytes) / target::GpuTarget::warpSize, 1, 8);
  // Of several whole rows a thread has more: the more rows, or the longer parts
  // of them, the less it exchanges with others.
  constexpr int64_t longRow = 256, elementsOfThread = 64;
  const bool hasRows =
      largestDot == 0 && work.fibers > 1 && work.fiberElements >= longRow;
  if (hasRows) {
    const int64_t elements = work.fibers * work.fiberElements;
    const int64_t elementsOfWarp =
        elementsOfThread * target::GpuTarget::warpSize;
    warps = std::min(warps,
                     std::max<int64_t>(2, (elements - 1) / elementsOfWarp + 1));
  }
  // Each row of a product stays in the registers of one warp, as it is reduced
  // and multiplied again.
  constexpr int64_t rowsOfWarp = 16;
  const bool keepsRows = work.matrixDot > 0 && work.fibers > 1 &&
                         warps > std::max<int64_t>(1, work.fibers / rowsOfWarp);
  if (keepsRows)
    warps = std::max<int64_t>(1, work.fibers / rowsOfWarp);
  ExplainedSchedule result;
  result.schedule.warps = unsigned(std::bit_floor(uint64_t(warps)));
  result.reason = std::to_string(result.schedule.warps) + " warps for ";
  if (keepsRows)
    result.reason += std::to_string(work.fibers) +
                     " reduced rows of a product: at least " +
                     std::to_string(rowsOfWarp) + " a warp";
  else if (hasRows)
    result.reason += std::to_string(work.fibers) + " rows of " +
                     std::to_string(work.fiberElements) + " elements: about " +
                     std::to_string(elementsOfThread) + " a thread";
  else if (forAccumulators > forBytes)
    result.reason += "a dot of " + std::to_string(largestDot) +
                     " results: about " +
                     std::to_string(largestDot / forAccumulators) + " a thread";
  else
    result.reason += "a tile of " +
                     std::to_string(work.largestTile * work.elementBytes) +
                     " bytes: about 64 a thread";
  return result;
}

/// 232448 as "232,448".
static std::string grouped(int64_t value) {
  std::string digits = std::to_string(value);
  for (int64_t at = int64_t(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(size_t(at), ",");
  return digits;
}

Status checkResources(const GpuSchedule &schedule, int64_t shared,
                      std::span<const SharedUse> uses,
                      const target::GpuTarget &target) {
  std::string where =
      "schedule does not fit " + std::string(target.name) + ": ";
  if (schedule.threads() > target.blockThreads)
    return Status::resourceExhausted(where + "threads of a block " +
                                     grouped(schedule.threads()) + " of " +
                                     grouped(target.blockThreads));
  // A multiprocessor gives registers to warps in units of 8 for each thread.
  constexpr int64_t leastRegisters = 24;
  if (schedule.maxRegisters && schedule.maxRegisters < leastRegisters)
    return Status::resourceExhausted(
        where + "max_registers " + std::to_string(schedule.maxRegisters) +
        ", of at least " + std::to_string(leastRegisters));
  const target::Occupancy most = target::occupancy(
      {.threads = schedule.threads(),
       .shared = shared,
       .registers = std::max<int64_t>(schedule.maxRegisters, leastRegisters)},
      target);
  if (schedule.minBlocks > most.blocks)
    return Status::resourceExhausted(
        where + "min_blocks " + std::to_string(schedule.minBlocks) + " of " +
        std::to_string(most.blocks) + " for which there are " +
        std::string(target::limitName(most.limit)));
  if (int64_t(schedule.vectorBits) > target.widestAccess())
    return Status::resourceExhausted(
        where + "vector_bits " + std::to_string(schedule.vectorBits) + " of " +
        std::to_string(target.widestAccess()));
  if (shared <= target.blockShared())
    return Status();
  std::string message = where + "shared memory " + grouped(shared) + " B of " +
                        grouped(target.blockShared()) + " B";
  std::vector<SharedUse> largest(uses.begin(), uses.end());
  std::ranges::sort(largest, std::ranges::greater(), &SharedUse::bytes);
  largest.resize(std::min<size_t>(largest.size(), 4));
  for (const SharedUse &use : largest)
    message += "\n  " + use.what + " " + grouped(use.bytes) + " B";
  return Status::resourceExhausted(message);
}

} // namespace tilewright::schedule
