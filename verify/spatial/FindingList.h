// The first findings of a schedule, in their order.
#ifndef TILEWRIGHT_VERIFY_SPATIAL_FINDINGLIST_H
#define TILEWRIGHT_VERIFY_SPATIAL_FINDINGLIST_H

#include "spatial/program/Finding.h"
#include "verify/spatial/Timetable.h"
#include <map>
#include <tuple>
#include <vector>

namespace tilewright::verify {

/// What a finding is about, within one cycle of a queue; findings of one cycle
/// and queue are in this order. Operand i stands at operands + i.
struct FindingPart {
  static constexpr int lacks = 0, busy = 1, operands = 2, defines = 64,
                       collides = 65;
};

/// Keeps the first findings by cycle, chip, queue as text and part; those
/// without a cycle come last. One for each part of a line and cycle.
class FindingList {
public:
  FindingList(const Timetable &timetable, size_t most)
      : timetable(timetable), most(most) {}

  /// Whether a finding of this cycle would be kept: messages are made only
  /// then.
  [[nodiscard]] bool wants(int64_t cycle) const {
    return found.size() < most ||
           rankOf(cycle) <= std::get<0>(found.rbegin()->first);
  }
  /// A finding at a line. `cycle` is when it shows; of several at one part, the
  /// one of the lowest `stream` is kept.
  void add(spatial::FindingCode code, int64_t cycle, uint32_t line, int part,
           std::string message, int stream = 0);
  /// A finding of the manifest, with no cycle.
  void addToManifest(spatial::FindingCode code, int64_t chip, std::string queue,
                     std::string message);

  [[nodiscard]] bool empty() const { return found.empty(); }
  [[nodiscard]] std::vector<spatial::Finding> take();

private:
  /// Cycle, chip, queue, part, line or a count, stream.
  using Key = std::tuple<uint64_t, int64_t, std::string, int, uint64_t, int>;
  static uint64_t rankOf(int64_t cycle) {
    return static_cast<uint64_t>(cycle); // -1 is the greatest.
  }
  void insert(const Key &key, spatial::Finding finding);

  const Timetable &timetable;
  const size_t most;
  std::map<Key, spatial::Finding> found;
  uint64_t manifestFindings = 0;
};

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_SPATIAL_FINDINGLIST_H
