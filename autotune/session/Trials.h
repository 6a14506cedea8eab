// Tries schedules: compiles them, measures them and records what came of it.
#ifndef TILEWRIGHT_AUTOTUNE_SESSION_TRIALS_H
#define TILEWRIGHT_AUTOTUNE_SESSION_TRIALS_H

#include "autotune/session/TaskContext.h"

namespace tilewright::autotune {

/// Tries the proposals in order, and tells the search their costs. What an
/// earlier run tried is not tried again. When the run is over, what is left
/// stays untried, but for the default schedule. Errors: the database.
Status tryAll(TaskContext &context, std::vector<Proposal> proposals);

/// Measures the incumbent against the default schedule once more. Errors: the
/// database.
Status confirmIncumbent(TaskContext &context);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_SESSION_TRIALS_H
