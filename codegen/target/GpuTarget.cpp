//===- GpuTarget.cpp - Facts about a GPU that code is made for ------------===//
#include "tilewright/codegen/GpuTarget.h"

#include <algorithm>

namespace tilewright::target {

static constexpr GpuTarget table[] = {
#define GPU_TARGET(name, major, minor, ptx, sharedKiB, warps, blocks, float8,  \
                   matrix, count)                                              \
  {name,  major,  minor,  ptx,    sharedKiB * 1024,                            \
   warps, blocks, float8, matrix, count},
#include "codegen/target/GpuTargets.inc"
#undef GPU_TARGET
};

std::span<const GpuTarget> gpuTargets() { return table; }

const GpuTarget *findGpuTarget(std::string_view name) {
  const auto *found = std::ranges::find(table, name, &GpuTarget::name);
  return found == std::end(table) ? nullptr : found;
}

std::string gpuTargetNames() {
  std::string names;
  for (const GpuTarget &target : table)
    names += (names.empty() ? "" : ", ") + std::string(target.name);
  return names;
}

static int64_t roundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

Occupancy occupancy(const BlockResources &block, const GpuTarget &target) {
  int64_t warps = roundUp(block.threads, target.warpSize) / target.warpSize;
  int64_t shared = roundUp(block.shared, target.sharedUnit);
  int64_t warpRegisters =
      roundUp(block.registers * target.warpSize, target.warpRegisterUnit);
  // Warps whose registers fit; each of four schedulers has its own registers.
  int64_t fittingWarps = target.multiprocessorRegisters / 4 / warpRegisters * 4;
  using Limit = Occupancy::Limit;
  const std::pair<Limit, int64_t> limits[] = {
      {Limit::blocks, target.multiprocessorBlocks},
      {Limit::warps, target.multiprocessorWarps / warps},
      {Limit::shared,
       target.multiprocessorShared / (shared + target.reservedShared)},
      {Limit::registers, fittingWarps / warps}};
  auto [limit, blocks] =
      *std::ranges::min_element(limits, {}, [](auto &l) { return l.second; });
  return {blocks, limit,
          double(blocks * warps) / double(target.multiprocessorWarps)};
}

std::string_view limitName(Occupancy::Limit limit) {
  switch (limit) {
  case Occupancy::Limit::blocks:
    return "blocks";
  case Occupancy::Limit::warps:
    return "warps";
  case Occupancy::Limit::shared:
    return "shared memory";
  case Occupancy::Limit::registers:
    return "registers";
  }
  return "unknown";
}

} // namespace tilewright::target
