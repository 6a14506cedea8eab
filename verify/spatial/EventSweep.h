// Events of many repeated lines in order of time (or of another number that
// grows with repetitions), some at once: memory stays bounded, however often
// lines are repeated.
#ifndef TILEWRIGHT_VERIFY_SPATIAL_EVENTSWEEP_H
#define TILEWRIGHT_VERIFY_SPATIAL_EVENTSWEEP_H

#include "verify/spatial/Timetable.h"
#include <algorithm>

namespace tilewright::verify {

/// One event for each repetition of a line, in one run. Its key is `start` +
/// i `step` in repetition i.
struct Progression {
  uint32_t line = 0, run = 0;
  int64_t start = 0, step = 1;
  /// What the event is to the one who sweeps.
  uint32_t tag = 0;
};

/// Goes over spans of keys. All events with a key in a span are there together.
class EventSweep {
public:
  explicit EventSweep(const Timetable &timetable) : timetable(timetable) {}

  /// An event `shift` cycles behind each issue of the line, in all runs, by
  /// time.
  void add(uint32_t line, int64_t shift, uint32_t tag = 0);
  /// Where `step` is 0, only the first two repetitions are seen.
  void add(const Progression &progression);

  /// Goes to the next span; false behind the last one.
  bool next();
  /// Calls back with tag, line and issue, in no order.
  template <typename Callback> void forEach(Callback callback) const {
    for (size_t number : active)
      visit(strands[number], callback);
  }
  /// Keys of this span are below.
  [[nodiscard]] int64_t spanEnd() const { return until; }
  /// Whether no span follows.
  [[nodiscard]] bool isLast() const;

private:
  /// A progression, by its keys.
  struct Strand : Progression {
    int64_t least = 0, greatest = 0;
  };
  void sort();
  [[nodiscard]] int64_t endOfSpan(int64_t from) const;

  template <typename Callback>
  void visit(const Strand &strand, Callback callback) const {
    const TimedLine &timed = timetable.lines[strand.line];
    const spatial::Instruction &instruction = *timed.instruction;
    int64_t first = timed.first, end = timed.end;
    if (strand.step == 0) {
      end = std::min(end, first + 2);
    } else {
      // start + i step is in [from, until).
      int64_t low =
          strand.step > 0 ? from - strand.start : strand.start - (until - 1);
      int64_t high =
          strand.step > 0 ? until - 1 - strand.start : strand.start - from;
      int64_t stride = std::abs(strand.step);
      first = std::max(first, floorDivide(low + stride - 1, stride));
      end = std::min(end, floorDivide(high, stride) + 1);
    }
    int64_t base = strand.run * timetable.schedule.interval + instruction.cycle;
    for (int64_t i = first; i < end; ++i)
      callback(strand.tag, strand.line,
               Issue{base + i * instruction.step, i, strand.run});
  }
  static int64_t floorDivide(int64_t a, int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
  }

  const Timetable &timetable;
  /// By least key, once sorted.
  std::vector<Strand> strands;
  std::vector<size_t> active;
  /// The next strand that is not yet active.
  size_t upcoming = 0;
  /// Of all events.
  uint64_t total = 0;
  int64_t from = 0, until = 0;
  bool isSorted = false;
};

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_SPATIAL_EVENTSWEEP_H
