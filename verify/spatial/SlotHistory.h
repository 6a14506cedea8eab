// What rows, rows of buffers and accumulators hold, over time.
#ifndef TILEWRIGHT_VERIFY_SPATIAL_SLOTHISTORY_H
#define TILEWRIGHT_VERIFY_SPATIAL_SLOTHISTORY_H

#include "verify/spatial/FindingList.h"
#include <optional>
#include <string_view>

namespace tilewright::verify {

/// A slot is a row of a bank, a row of a buffer or an accumulator: a name is
/// put into it, and stays until the next one.
class SlotHistory {
public:
  static constexpr uint32_t noLine = ~uint32_t(0);
  struct Entry {
    int64_t slot = 0;
    /// The slot no longer holds its old name behind this cycle, and holds this
    /// one from `ready` on; in between, neither.
    int64_t begun = 0, ready = 0;
    PlaneName name;
    /// That put it there; noLine of a placement.
    uint32_t line = noLine;
  };
  /// Cycles in which what was asked holds.
  struct Window {
    int64_t from = 0, until = 0;
    [[nodiscard]] bool contains(int64_t cycle) const {
      return from <= cycle && cycle <= until;
    }
  };

  /// What the slots are: "row", "accumulator"; slots of buffers are rows, so
  /// many of each buffer.
  SlotHistory(const Timetable &timetable, std::string_view kind,
              int64_t rowsOfBuffer = 0)
      : timetable(timetable), kind(kind), rowsOfBuffer(rowsOfBuffer) {}

  void add(Entry entry) { entries.push_back(entry); }
  /// To be called when all entries that begin before some cycle are there,
  /// before anything is asked about it.
  void sort();
  /// Forgets what is not to be found in `cycle` or later.
  void forgetBefore(int64_t cycle);

  /// What was last put into the slot before `cycle`; null if nothing was.
  [[nodiscard]] const Entry *find(int64_t slot, int64_t cycle) const;

  /// Demands that slots `slot` + i, i < count, hold `name` + i in `cycle`. The
  /// finding is of operand `operand` of `line`.
  struct Question {
    int64_t slot = 0, count = 1;
    PlaneName name;
    int64_t cycle = 0;
    uint32_t line = 0;
    int operand = 0;
  };
  void demand(const Question &question, FindingList &findings);

  /// "row 3 was never written before", "row 3 of buffer 1 holds x[1]", ..
  [[nodiscard]] std::string describe(const Entry *entry, int64_t slot,
                                     int64_t cycle) const;

private:
  /// The window in which the answer is yes; none if it is no in `cycle`.
  std::optional<Window> windowOf(const Question &question) const;
  void report(const Question &question, FindingList &findings) const;

  const Timetable &timetable;
  const std::string_view kind;
  const int64_t rowsOfBuffer;
  std::vector<Entry> entries;
  using Key = std::tuple<int64_t, int64_t, PlaneName>;
  /// Of ranges of slots: the window that was found last.
  std::map<Key, Window> windows;
};

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_SPATIAL_SLOTHISTORY_H
