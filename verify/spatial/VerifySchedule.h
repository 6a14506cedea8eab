// Judges a schedule without data. It knows the names of vectors (M12), and so
// proves that each operand is the value that its line names.
#ifndef TILEWRIGHT_VERIFY_SPATIAL_VERIFYSCHEDULE_H
#define TILEWRIGHT_VERIFY_SPATIAL_VERIFYSCHEDULE_H

#include "spatial/program/Finding.h"
#include "spatial/program/Schedule.h"
#include <vector>

namespace tilewright::verify {

struct ScheduleVerdict {
  /// In the order of cycles; empty if the machine can run the schedule on any
  /// data (but for indices of gathers, which depend on it).
  std::vector<spatial::Finding> findings;
  /// Derived from the lines (M11).
  int64_t cycles = 0;
};

/// Proves each rule of docs/spatial.md, or says where one is broken. It ends
/// after `mostFindings`. It looks at about `eventsAtOnce` repetitions of lines
/// together, which bounds its memory: some 100 bytes each.
[[nodiscard]] TILEWRIGHT_PRIVATE_API ScheduleVerdict
verifySchedule(const spatial::Schedule &schedule, size_t mostFindings = 20,
               uint64_t eventsAtOnce = uint64_t(1) << 22);

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_SPATIAL_VERIFYSCHEDULE_H
