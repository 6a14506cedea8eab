//===- GpuSchedule.cpp - How a tile kernel is spread over a GPU -----------===//
#include "tilewright/codegen/GpuSchedule.h"

#include "codegen/schedule/ScheduleText.h"
#include <algorithm>
#include <bit>
#include <vector>

namespace tilewright::schedule {

static constexpr ParameterMember<GpuSchedule> members[] = {
    {"warps", &GpuSchedule::warps}, {"vector_bits", &GpuSchedule::vectorBits}};

std::string GpuSchedule::text() const {
  std::string text;
  for (const ParameterMember<GpuSchedule> &member : members)
    appendPart(text, member.name, this->*member.value);
  appendTunables(text, tunables);
  return text;
}

StatusOr<GpuSchedule> GpuSchedule::parse(std::string_view text) {
  return parseSchedule(text, Kind::gpu, members);
}

ExplainedSchedule defaultSchedule(const KernelWork &work) {
  // What a thread works on at once: enough to hide latency and to use wide
  // accesses, little enough to stay in registers.
  constexpr int64_t bytesOfThread = 64, accumulatorsOfThread = 64;
  int64_t forAccumulators = work.largestDot / accumulatorsOfThread;
  int64_t forBytes = work.largestTile * work.elementBytes / bytesOfThread;
  int64_t warps =
      std::max(forAccumulators, forBytes) / target::GpuTarget::warpSize;
  ExplainedSchedule result;
  result.schedule.warps =
      unsigned(std::bit_floor(uint64_t(std::clamp<int64_t>(warps, 1, 8))));
  result.reason =
      std::to_string(result.schedule.warps) + " warps for " +
      (forAccumulators > forBytes
           ? "a dot of " + std::to_string(work.largestDot) + " results"
           : "a tile of " +
                 std::to_string(work.largestTile * work.elementBytes) +
                 " bytes") +
      ": about 64 a thread";
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
