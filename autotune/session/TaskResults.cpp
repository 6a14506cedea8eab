#include "autotune/session/TaskResults.h"

namespace tilewright::autotune {

std::optional<double> TaskResults::accept(const TrialRecord &trial,
                                          const std::filesystem::path &file) {
  ++count;
  if (trial.verdict != Verdict::ok) {
    failure = trial.reason;
    return std::nullopt;
  }
  auto reference = costs.find(trial.against);
  bool isExact = metric != Metric::time;
  double cost = isExact || reference == costs.end()
                    ? trial.median
                    : reference->second * trial.ratio;
  costs[trial.schedule] = cost;
  // What was measured against another than the present incumbent (in another
  // shard's run) has not beaten this one.
  if (!first)
    first = best = {trial.schedule, file, cost};
  else if (trial.ratioHigh < 1 && trial.against == best->schedule)
    best = {trial.schedule, file, cost};
  return cost;
}

void TaskResults::confirm(const TrialRecord &trial) {
  if (trial.verdict == Verdict::ok && trial.ratioHigh < 1)
    best->cost =
        metric == Metric::time ? first->cost * trial.ratio : trial.median;
  else
    best = first;
}

} // namespace tilewright::autotune
