// The rules of docs/spatial.md, each proved over all repetitions of all lines
// that it is about.
#ifndef TILEWRIGHT_VERIFY_SPATIAL_RULES_H
#define TILEWRIGHT_VERIFY_SPATIAL_RULES_H

#include "verify/spatial/FindingList.h"

namespace tilewright::verify {

/// Finds what the machine lacks, and takes it out of the timetable: nothing
/// else sees those repetitions. All other rules need this one before.
void checkCapacity(Timetable &timetable, FindingList &findings);
/// Whether the machine has the row of the i-th vector of a placement.
[[nodiscard]] bool hasRow(const spatial::Schedule &schedule,
                          const spatial::Placement &placement, int64_t i);
/// Queues begin one instruction a cycle, and none while one is at work.
void checkQueues(const Timetable &timetable, FindingList &findings);
/// No two values begin at one position of a stream in one cycle; what is taken
/// from streams is there.
void checkStreams(const Timetable &timetable, FindingList &findings);
/// Rows that are read hold what they should, and those of outputs do at the
/// end of each run. `length` is that of one run.
void checkBanks(const Timetable &timetable, int64_t length,
                FindingList &findings);
/// The same of buffers and accumulators; no load enters a buffer in use.
void checkPlanes(const Timetable &timetable, FindingList &findings);
/// ALUs that take results take those that are ready.
void checkAlus(const Timetable &timetable, FindingList &findings);
/// Packets are received when they arrive.
void checkLinks(const Timetable &timetable, FindingList &findings);
/// Each name is made in one way.
void checkNames(const Timetable &timetable, FindingList &findings);

/// The last cycle in which a written row becomes readable, plus one; of the
/// first run.
[[nodiscard]] int64_t lengthOf(const Timetable &timetable);

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_SPATIAL_RULES_H
