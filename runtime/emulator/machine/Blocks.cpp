#include "runtime/emulator/machine/Blocks.h"
#include "runtime/emulator/machine/Scheduler.h"
#include "runtime/emulator/program/Layout.h"
#include <cstring>

namespace tilewright::emulator {

namespace {

/// The index in each dimension of the `linear`-th, x first.
Dim3 delinearized(uint64_t linear, const Dim3 &dims) {
  Dim3 index;
  for (unsigned dim = 0; dim < 3; ++dim) {
    index[dim] = uint32_t(linear % dims[dim]);
    linear /= dims[dim];
  }
  return index;
}

// Null below: there is no memory.

std::unique_ptr<Warp> makeWarp(Block &block, uint32_t index,
                               Observer *observer) {
  const Program &program = *block.launch->program;
  auto warp = std::make_unique<Warp>();
  warp->block = &block;
  warp->observer = observer;
  warp->index = index;
  uint32_t threads = volume(block.location.block) - index * 32;
  warp->alive = threads >= 32 ? ~uint32_t{0} : (uint32_t{1} << threads) - 1;
  WarpLocation location = block.location;
  location.warp = index;
  // Lane vectors start at multiples of 64 bytes.
  size_t bytes = program.specialRegisters.size() * specialStride;
  warp->specialRegisters.resize(bytes + 64);
  void *start = warp->specialRegisters.data();
  size_t room = warp->specialRegisters.size();
  auto *bank = static_cast<std::byte *>(std::align(64, bytes, start, room));
  for (size_t i = 0; i < program.specialRegisters.size(); ++i) {
    const SpecialRegister &special =
        specialRegisters()[program.specialRegisters[i]];
    size_t width = typeBits(special.type) / 8;
    for (unsigned lane = 0; lane < 32; ++lane) {
      uint64_t value = special.value(location, lane);
      std::memcpy(bank + i * specialStride + lane * width, &value, width);
    }
  }
  warp->banks[Ref::specialRegisters] = bank;
  warp->banks[Ref::constants] =
      const_cast<std::byte *>(program.constants.data());
  Frame *frame = enterFunction(*warp, program.kernel(), warp->alive);
  if (!frame)
    return nullptr;
  warp->group = {frame, 0, warp->alive, false, 0};
  return warp;
}

std::unique_ptr<Block> makeBlock(Launch &launch, Cluster &cluster,
                                 const Dim3 &index, Observer *observer) {
  auto block = std::make_unique<Block>();
  block->launch = &launch;
  block->cluster = &cluster;
  block->sharedBytes = launch.program->sharedBytes + launch.dynamicShared;
  WarpLocation &location = block->location;
  location.block = launch.block;
  location.grid = launch.grid;
  location.cluster = launch.cluster;
  location.blockIndex = index;
  location.warps = (volume(launch.block) + 31) / 32;
  location.dynamicShared = launch.dynamicShared;
  location.totalShared = block->sharedBytes;
  size_t bytes = block->sharedBytes + 1024;
  block->sharedMemory = std::make_unique<std::byte[]>(bytes);
  void *start = block->sharedMemory.get();
  block->shared = static_cast<std::byte *>(
      std::align(1024, block->sharedBytes, start, bytes));
  if (launch.options.checkInitialized)
    block->sharedWritten =
        std::make_unique<uint8_t[]>(block->sharedBytes / 8 + 1);
  block->checksShared = launch.options.checkInitialized;
  block->liveWarps = location.warps;
  for (uint32_t i = 0; i < location.warps; ++i) {
    block->warps.push_back(makeWarp(*block, i, observer));
    if (!block->warps.back())
      return nullptr;
  }
  return block;
}

} // namespace

std::unique_ptr<Cluster> makeCluster(Launch &launch, uint64_t linear,
                                     Observer *observer) {
  auto cluster = std::make_unique<Cluster>();
  Dim3 clusters;
  for (unsigned dim = 0; dim < 3; ++dim)
    clusters[dim] = launch.grid[dim] / launch.cluster[dim];
  Dim3 first = delinearized(linear, clusters);
  uint32_t count = volume(launch.cluster);
  cluster->liveBlocks = count;
  cluster->index = linear;
  if (launch.options.interleave)
    // So the numbers of one seed are not those of the next, one later.
    cluster->interleaving.emplace(
        *launch.options.interleave * 0xD1342543DE82EF95, linear);
  for (uint32_t rank = 0; rank < count; ++rank) {
    Dim3 index = delinearized(rank, launch.cluster);
    for (unsigned dim = 0; dim < 3; ++dim)
      index[dim] += first[dim] * launch.cluster[dim];
    cluster->blocks.push_back(makeBlock(launch, *cluster, index, observer));
    if (!cluster->blocks.back())
      return nullptr;
  }
  return cluster;
}

uint64_t bytesOfCluster(const Launch &launch) {
  const Function &kernel = launch.program->kernel();
  uint64_t warp =
      uint64_t{kernel.frameBytes} + 64 + alignUp(kernel.localBytes, 64) * 32;
  uint64_t shared =
      uint64_t{launch.program->sharedBytes} + launch.dynamicShared;
  uint64_t warps = (volume(launch.block) + 31) / 32;
  return volume(launch.cluster) * (warps * warp + shared);
}

} // namespace tilewright::emulator
