// Placing buffers with lifetimes in one block of memory.
#ifndef TILEWRIGHT_RUNTIME_CORE_ARENAPLANNER_H
#define TILEWRIGHT_RUNTIME_CORE_ARENAPLANNER_H

#include <cstddef>
#include <span>
#include <vector>

namespace tilewright::runtime {

/// Memory needed from step `first` to step `last`, both included.
struct ArenaRequest {
  size_t bytes = 0;
  size_t first = 0;
  size_t last = 0;
};

/// The offset of each request.
struct ArenaPlan {
  /// One for each request, a multiple of 64.
  std::vector<size_t> offsets;
  /// Size of the whole block.
  size_t bytes = 0;
  /// The most bytes that live at one step: no plan can be smaller.
  size_t liveBytes = 0;
};

/// Assigns offsets so that requests that live at the same time do not overlap:
/// the largest first, each in the tightest gap that fits. The plan is
/// deterministic.
[[nodiscard]] ArenaPlan planArena(std::span<const ArenaRequest> requests);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_ARENAPLANNER_H
