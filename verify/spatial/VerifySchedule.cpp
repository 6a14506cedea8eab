#include "verify/spatial/VerifySchedule.h"

#include "support/Format.h"
#include "verify/spatial/Rules.h"
#include <algorithm>

namespace tilewright::verify {

using namespace spatial;

namespace {

/// Judges `runs` runs, of which one begins every `interval` cycles.
ScheduleVerdict verifyRuns(const Schedule &schedule, int64_t runs,
                           size_t mostFindings) {
  Timetable timetable(schedule, runs);
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

ScheduleVerdict verifySchedule(const Schedule &schedule, size_t mostFindings) {
  ScheduleVerdict verdict = verifyRuns(schedule, 1, mostFindings);
  if (!verdict.findings.empty() || schedule.interval < 1 ||
      schedule.interval >= schedule.cycles)
    return verdict;
  // Runs that cannot overlap mostly show it in the first two, which take less
  // time than all that may overlap.
  int64_t all =
      (schedule.cycles + schedule.interval - 1) / schedule.interval + 1;
  for (int64_t runs : {std::min<int64_t>(all, 3), all})
    if (ScheduleVerdict more = verifyRuns(schedule, runs, mostFindings);
        !more.findings.empty())
      return more;
  return verdict;
}

} // namespace tilewright::verify
