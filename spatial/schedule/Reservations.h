// What a schedule occupies so far: queues and streams, cycle by cycle.
#ifndef TILEWRIGHT_SPATIAL_SCHEDULE_RESERVATIONS_H
#define TILEWRIGHT_SPATIAL_SCHEDULE_RESERVATIONS_H

#include "spatial/program/Instruction.h"
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright::spatial {

/// Cycles first, first + step, ..: `count` of them, each `width` cycles long.
struct Cycles {
  int64_t first = 0, count = 1, step = 1, width = 1;

  [[nodiscard]] int64_t at(int64_t i) const { return first + i * step; }
  /// The cycle behind the last.
  [[nodiscard]] int64_t end() const { return at(count - 1) + width; }
  [[nodiscard]] Cycles later(int64_t by) const {
    return {first + by, count, step, width};
  }
};

/// Whether two of the same step have a cycle in common.
[[nodiscard]] bool overlap(const Cycles &a, const Cycles &b);

/// The cycles in which something is used.
class CycleSet {
public:
  /// How many cycles later the cycles must be at least to be free; 0 if they
  /// are. More may be needed: what is that much later is not looked at.
  [[nodiscard]] int64_t delayToFree(const Cycles &cycles) const;
  void add(const Cycles &cycles);
  /// How many cycles from `first` on, before `end`, are used.
  [[nodiscard]] int64_t usedIn(int64_t first, int64_t end) const;

private:
  /// A bit for each cycle.
  std::vector<uint64_t> used;
};

/// A way of a value on a stream: put at `from` in `cycles`, and needed as far
/// as `to`.
struct Flow {
  int64_t from = 0, to = 0;
  Cycles cycles;

  [[nodiscard]] Direction direction() const {
    return to > from ? Direction::east : Direction::west;
  }
  [[nodiscard]] int64_t distance() const {
    return to > from ? to - from : from - to;
  }
  /// The positions at which it is seen: all but the one where it is put.
  [[nodiscard]] int64_t firstSeen() const { return to > from ? from + 1 : to; }
  [[nodiscard]] int64_t lastSeen() const { return to > from ? to : from - 1; }
  [[nodiscard]] Flow later(int64_t by) const {
    return {from, to, cycles.later(by)};
  }
};

/// Whether two ways on one stream would meet.
[[nodiscard]] bool clash(const Flow &a, const Flow &b);

/// Who uses which stream where. A value that is put eastward at position x in
/// cycle t is at x + i in t + i, so that it stays on the diagonal t - x; two
/// values meet only on one stream and diagonal, where their ways overlap.
class StreamSet {
public:
  explicit StreamSet(const Machine &machine);

  /// The first stream from number `first` on, on which the way is free at all
  /// cycles.
  [[nodiscard]] std::optional<Stream> find(const Flow &flow,
                                           int64_t first) const;
  void add(const Flow &flow, const Stream &stream);
  /// Frees the tables; nothing is used.
  void clear();

private:
  [[nodiscard]] bool isFree(const Flow &flow, Direction direction,
                            int64_t number) const;
  [[nodiscard]] int64_t diagonal(const Flow &flow, Direction direction,
                                 int64_t i) const;

  /// For each of `diagonalsOfPage` diagonals a bit for each position; empty
  /// where nothing flows.
  using Page = std::vector<uint64_t>;
  static constexpr int64_t diagonalsOfPage = 256;

  int64_t positions, words;
  std::array<int64_t, 2> counts;
  /// By direction and stream: most of them are used now and then.
  std::array<std::vector<std::vector<Page>>, 2> used;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SCHEDULE_RESERVATIONS_H
