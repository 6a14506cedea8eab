#include "runtime/core/ArenaPlanner.h"
#include "tilewright/runtime/Tensor.h"
#include <algorithm>
#include <numeric>

namespace tilewright::runtime {

static size_t roundUp(size_t bytes) {
  return (bytes + tensorAlignment - 1) / tensorAlignment * tensorAlignment;
}

static size_t largestLiveSet(std::span<const ArenaRequest> requests) {
  size_t largest = 0;
  // The live set only grows where some request begins.
  for (const ArenaRequest &at : requests) {
    size_t live = 0;
    for (const ArenaRequest &other : requests)
      if (other.first <= at.first && at.first <= other.last)
        live += roundUp(other.bytes);
    largest = std::max(largest, live);
  }
  return largest;
}

ArenaPlan planArena(std::span<const ArenaRequest> requests) {
  ArenaPlan plan;
  plan.offsets.assign(requests.size(), 0);
  plan.liveBytes = largestLiveSet(requests);
  std::vector<size_t> order(requests.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return requests[a].bytes != requests[b].bytes
               ? requests[a].bytes > requests[b].bytes
               : a < b;
  });
  std::vector<size_t> placed; // By offset.
  for (size_t index : order) {
    const ArenaRequest &request = requests[index];
    size_t bytes = roundUp(request.bytes);
    if (bytes == 0)
      continue;
    size_t end = 0; // Of what lives at the same time, so far.
    size_t best = SIZE_MAX, bestGap = SIZE_MAX;
    for (size_t other : placed) {
      const ArenaRequest &neighbour = requests[other];
      if (neighbour.last < request.first || request.last < neighbour.first)
        continue;
      size_t offset = plan.offsets[other];
      if (offset > end && offset - end >= bytes && offset - end < bestGap) {
        best = end;
        bestGap = offset - end;
      }
      end = std::max(end, offset + roundUp(neighbour.bytes));
    }
    size_t offset = best == SIZE_MAX ? end : best;
    plan.offsets[index] = offset;
    plan.bytes = std::max(plan.bytes, offset + bytes);
    auto position = std::upper_bound(
        placed.begin(), placed.end(), offset,
        [&](size_t at, size_t other) { return at < plan.offsets[other]; });
    placed.insert(position, index);
  }
  return plan;
}

} // namespace tilewright::runtime
