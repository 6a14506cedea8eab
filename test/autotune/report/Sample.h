// A tuning run that did not happen, but could have.
#ifndef TILEWRIGHT_TEST_AUTOTUNE_REPORT_SAMPLE_H
#define TILEWRIGHT_TEST_AUTOTUNE_REPORT_SAMPLE_H

#include "autotune/report/Summary.h"
#include "autotune/space/Random.h"

namespace tilewright::autotune::test {

struct Sample {
  std::vector<TaskRecord> tasks;
  std::vector<RunRecord> runs;
  std::vector<TrialRecord> trials;
  [[nodiscard]] std::vector<TaskSummary> summaries() const {
    return summarize(tasks, trials);
  }
};

/// Tasks of several kernels, with so many trials each: times that depend on the
/// parameters and on chance, a model that is roughly right, failures of all
/// kinds.
Sample sample(uint64_t seed, size_t trialsOfTask);

/// A normal random number, of mean 0 and deviation 1.
double normal(Random &random);

} // namespace tilewright::autotune::test

#endif // TILEWRIGHT_TEST_AUTOTUNE_REPORT_SAMPLE_H
