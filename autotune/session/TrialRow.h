// The row of the database that a trial becomes.
#ifndef TILEWRIGHT_AUTOTUNE_SESSION_TRIALROW_H
#define TILEWRIGHT_AUTOTUNE_SESSION_TRIALROW_H

#include "autotune/measure/Measurement.h"
#include "autotune/search/Search.h"
#include "autotune/session/RunContext.h"

namespace tilewright::autotune {

/// The terms of an estimate as a JSON object, and what was counted.
[[nodiscard]] std::string
termsOf(const Estimate &estimate,
        const std::vector<runtime::Counter> &counted = {});

/// The fields that do not depend on a trial's result.
[[nodiscard]] TrialRecord startTrial(const RunContext &run, const Task &task,
                                     const Proposal &proposal,
                                     const std::string &schedule);

void takeOver(const Measured &measured, TrialRecord &trial);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_SESSION_TRIALROW_H
