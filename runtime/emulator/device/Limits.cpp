#include "runtime/emulator/device/Limits.h"
#include "runtime/emulator/counters/Occupancy.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::emulator {

static std::string printed(const Dim3 &dims) {
  return format("{}, {}, {}", {dims[0], dims[1], dims[2]});
}

static uint64_t volume(const Dim3 &dims) {
  return uint64_t{dims[0]} * dims[1] * dims[2];
}

Status checkHostThreads(unsigned threads) {
  constexpr unsigned most = 4096;
  return threads <= most
             ? Status()
             : Status::invalidInput(
                   format("at most {} threads, found {}", {most, threads}));
}

bool hasClusters(std::string_view target) { return capabilityOf(target) >= 90; }

Dim3 prescribedCluster(const Program &program) {
  Dim3 required = program.kernel().bounds.requiredCluster;
  return required[0] ? required : Dim3{1, 1, 1};
}

static Status checkThreads(const Function &kernel, const Dim3 &block) {
  const LaunchBounds &bounds = kernel.bounds;
  const bool isOverlong = std::ranges::any_of(
      block, [](uint32_t threads) { return threads > 1024; });
  if (isOverlong || !volume(block) || volume(block) > 1024 || block[2] > 64)
    return Status::unsupported(
        "expected a block of 1 to 1024 threads, at most 64 of them in z, "
        "found " +
        printed(block));
  if (bounds.requiredBlock[0] && block != bounds.requiredBlock)
    return Status::invalidInput(
        format("expected a block of {} threads ({} has .reqntid), found {}",
               {printed(bounds.requiredBlock), kernel.name, printed(block)}));
  if (bounds.maximumBlock[0] && volume(block) > volume(bounds.maximumBlock))
    return Status::invalidInput(format(
        "expected a block of at most {} threads ({} has .maxntid), found {}",
        {volume(bounds.maximumBlock), kernel.name, printed(block)}));
  return {};
}

Status checkBlock(const Program &program, const LaunchShape &shape) {
  const Function &kernel = program.kernel();
  std::string target(program.source->target);
  TILEWRIGHT_RETURN_IF_ERROR(checkThreads(kernel, shape.block));
  uint64_t shared = uint64_t{program.sharedBytes} + shape.dynamicShared;
  if (shared > blockSharedBytes(target))
    return Status::unsupported(format(
        "expected at most {} bytes of shared memory in a block of {}, "
        "found {} ({} of them declared in the code)",
        {blockSharedBytes(target), target, shared, program.sharedBytes}));
  const bool isWide = std::ranges::any_of(
      shape.cluster, [](uint32_t blocks) { return blocks > 16; });
  uint64_t blocks = volume(shape.cluster);
  if (isWide || !blocks || blocks > 16)
    return Status::unsupported(
        format("expected a cluster of 1 to 16 blocks, found {}", {blocks}));
  if (blocks > 1 && !hasClusters(target))
    return Status::unsupported(format("expected no cluster on {}, found {}",
                                      {target, printed(shape.cluster)}));
  const Dim3 &required = kernel.bounds.requiredCluster;
  if (required[0] && shape.cluster != required)
    return Status::invalidInput(format(
        "expected a cluster of {} blocks ({} has .reqnctapercluster), found {}",
        {printed(required), kernel.name, printed(shape.cluster)}));
  return {};
}

Status checkGrid(const LaunchShape &shape) {
  constexpr Dim3 most = {0x7FFFFFFF, 65535, 65535};
  for (unsigned dim = 0; dim < 3; ++dim) {
    if (shape.grid[dim] > most[dim])
      return Status::unsupported(format(
          "expected at most {} blocks in dimension {} of the grid, found {}",
          {most[dim], dim, printed(shape.grid)}));
    if (shape.grid[dim] % shape.cluster[dim])
      return Status::invalidInput(
          format("expected a multiple of the cluster's {} blocks in dimension "
                 "{} of the grid, found {}",
                 {shape.cluster[dim], dim, printed(shape.grid)}));
  }
  return {};
}

} // namespace tilewright::emulator
