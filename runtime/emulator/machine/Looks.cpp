#include "runtime/emulator/machine/Looks.h"
#include "runtime/emulator/machine/Warp.h"
#include <algorithm>
#include <cstring>
#include <span>

namespace tilewright::emulator {

/// Two chains, so that the products of one do not wait for one another.
static uint64_t hash(std::span<const std::byte> bytes, uint64_t seed) {
  uint64_t chains[2] = {seed, mixed(seed, 0xD1342543DE82EF95)};
  size_t at = 0;
  for (; at + 16 <= bytes.size(); at += 16)
    for (size_t i = 0; i < 2; ++i) {
      uint64_t word;
      std::memcpy(&word, bytes.data() + at + 8 * i, 8);
      chains[i] = mixed(chains[i], word);
    }
  for (; at < bytes.size(); ++at)
    chains[0] = mixed(chains[0], uint64_t(bytes[at]));
  return mixed(mixed(chains[0], bytes.size()), chains[1]);
}

static uint64_t hash(const LaneGroup &group) {
  return mixed(mixed(group.frame->depth, group.index), group.lanes);
}

/// All that the warp's next instructions depend on, but for memory that it
/// shares and for how long it has waited.
static uint64_t stateOf(const Warp &warp) {
  uint64_t state = mixed(warp.alive, warp.carry);
  for (const std::unique_ptr<Frame> &frame : warp.frames) {
    state = hash({frame->registers, frame->function->frameBytes}, state);
    state = mixed(state, frame->stackBytes);
  }
  state = hash({warp.local.get(), size_t{warp.localStride} * 32}, state);
  // The order of the groups does not count.
  uint64_t groups = warp.group.lanes ? hash(warp.group) : 0;
  for (const LaneGroup &group : warp.others)
    groups += hash(group);
  return mixed(state, groups);
}

bool StateHistory::addsNew(const Cluster &cluster, uint64_t now) {
  constexpr size_t maxStates = 1 << 16;
  if (now != changes || states.size() > maxStates) {
    changes = now;
    states.clear();
    oldInRow = skips = 0;
  }
  bool isNew = false;
  uint64_t part = 0;
  for (const std::unique_ptr<Block> &block : cluster.blocks) {
    isNew |= add(hash({block->shared, block->sharedBytes}, ++part));
    for (const std::unique_ptr<Warp> &warp : block->warps) {
      ++part;
      if (warp)
        isNew |= add(mixed(stateOf(*warp), part));
    }
  }
  return isNew;
}

bool StateHistory::repeats(const Cluster &cluster, uint64_t now) {
  if (now == changes && skips) {
    --skips;
    return false;
  }
  const bool isNew = addsNew(cluster, now);
  oldInRow = isNew ? 0 : oldInRow + 1;
  nextSkips = isNew ? std::min(2 * nextSkips + 1, maxSkips) : 0;
  skips = nextSkips;
  return areOld();
}

} // namespace tilewright::emulator
