// What is to happen, by the cycle in which it does.
#ifndef TILEWRIGHT_SPATIAL_SIMULATOR_CALENDAR_H
#define TILEWRIGHT_SPATIAL_SIMULATOR_CALENDAR_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace tilewright::spatial {

constexpr int64_t noCycle = std::numeric_limits<int64_t>::max();

/// Events of each cycle, in the order in which they were added. Those of the
/// next cycles are in a ring, which needs no memory once it has grown.
template <typename Event> class Calendar {
public:
  /// `cycle` is not before that of the last take().
  void add(int64_t cycle, Event event) {
    if (cycle - now < window) {
      ring[slot(cycle)].push_back(std::move(event));
      ++near;
    } else {
      far[cycle].push_back(std::move(event));
    }
  }

  /// The first cycle with events, or noCycle.
  [[nodiscard]] int64_t next() const {
    int64_t cycle = far.empty() ? noCycle : far.begin()->first;
    if (near)
      for (int64_t c = now; c < std::min(cycle, now + window); ++c)
        if (!ring[slot(c)].empty())
          return c;
    return cycle;
  }

  /// Puts the events of `cycle`, before which there are none, into `events`,
  /// which is cleared.
  void take(int64_t cycle, std::vector<Event> &events) {
    now = cycle;
    events.clear();
    if (near) {
      std::swap(events, ring[slot(cycle)]);
      near -= events.size();
    }
    if (!far.empty() && far.begin()->first == cycle) {
      for (Event &event : far.begin()->second)
        events.push_back(std::move(event));
      far.erase(far.begin());
    }
  }

private:
  static constexpr int64_t window = 256;
  static size_t slot(int64_t cycle) {
    return static_cast<size_t>(cycle % window);
  }

  int64_t now = 0;
  size_t near = 0;
  std::array<std::vector<Event>, window> ring;
  std::map<int64_t, std::vector<Event>> far;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SIMULATOR_CALENDAR_H
