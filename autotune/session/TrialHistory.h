// What the database knows of a task before it is tuned.
#ifndef TILEWRIGHT_AUTOTUNE_SESSION_TRIALHISTORY_H
#define TILEWRIGHT_AUTOTUNE_SESSION_TRIALHISTORY_H

#include "autotune/session/RunContext.h"
#include "autotune/space/Space.h"

namespace tilewright::autotune {

/// The trials, by schedule, of earlier runs on the same hardware and by the
/// same build, where the run resumes them; else none. Errors: the database.
StatusOr<std::map<std::string, TrialRecord>>
earlierTrials(const RunContext &run, const TaskRecord &task);

/// Where a kernel that differs in sizes only is fast; at most one.
std::vector<Point> transferredPoints(const RunContext &run,
                                     const TaskRecord &task,
                                     const Space &space);

/// The schedules that were fastest when they were tried, whoever did, but for
/// the default.
std::vector<Point> bestKnownPoints(const RunContext &run,
                                   const TaskRecord &task, const Space &space);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_SESSION_TRIALHISTORY_H
