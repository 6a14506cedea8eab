#include "verify/spatial/VerifySchedule.h"

#include "support/Format.h"
#include "verify/spatial/Rules.h"
#include <algorithm>

namespace tilewright::verify {

using namespace spatial;

namespace {

/// Judges `runs` runs, of which one begins every `interval` cycles.
ScheduleVerdict verifyRuns(const Schedule &schedule, int64_t runs,
                           size_t mostFindings, uint64_t eventsAtOnce) {
  Timetable timetable(schedule, runs, eventsAtOnce);
  FindingList findings(timetable, std::max<size_t>(mostFindings, 1));
  checkCapacity(timetable, findings);
  ScheduleVerdict verdict;
  verdict.cycles = lengthOf(timetable);
  if (verdict.cycles != schedule.cycles)
    findings.addToManifest(
        FindingCode::wrongLength, 0, {},
        format("the manifest says {} cycles, the lines take {}",
               {schedule.cycles, verdict.cycles}));
  checkQueues(timetable, findings);
  checkStreams(timetable, findings);
  checkBanks(timetable, verdict.cycles, findings);
  checkPlanes(timetable, findings);
  checkAlus(timetable, findings);
  checkLinks(timetable, findings);
  checkNames(timetable, findings);
  verdict.findings = findings.take();
  return verdict;
}

} // namespace

ScheduleVerdict verifySchedule(const Schedule &schedule, size_t mostFindings,
                               uint64_t eventsAtOnce) {
  ScheduleVerdict verdict = verifyRuns(schedule, 1, mostFindings, eventsAtOnce);
  int64_t interval = schedule.interval;
  // Where the manifest states another length than the lines have, it says
  // nothing else of runs that overlap.
  if (interval < 1 || interval >= std::min(schedule.cycles, verdict.cycles))
    return verdict;
  // Runs that begin behind the first finding show none before it. What cannot
  // overlap mostly shows it in the first runs, so these are judged before all.
  int64_t runs = 1;
  auto needed = [&] {
    int64_t all = (verdict.cycles + interval - 1) / interval + 1;
    bool found =
        !verdict.findings.empty() && verdict.findings.front().cycle >= 0;
    return found ? std::min(all, verdict.findings.front().cycle / interval + 1)
                 : all;
  };
  while (runs < needed()) {
    runs = std::min(8 * runs, needed());
    verdict = verifyRuns(schedule, runs, mostFindings, eventsAtOnce);
  }
  return verdict;
}

} // namespace tilewright::verify
