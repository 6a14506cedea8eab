// sample-database FILE TRIALS SEED [FACTOR]: writes a database that could be
// that of a run, to look at reports of it; all times are FACTOR times as long.
#include "autotune/database/Database.h"
#include "test/autotune/report/Sample.h"

#include <cstdio>
#include <cstdlib>

using namespace tilewright;
using namespace tilewright::autotune;

static Status write(const char *path, size_t trials, uint64_t seed,
                    double factor) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Database database,
                              Database::open(path, Database::Mode::create));
  test::Sample sample = test::sample(seed, trials);
  for (const TaskRecord &task : sample.tasks)
    TILEWRIGHT_RETURN_IF_ERROR(database.add(task));
  for (const RunRecord &run : sample.runs)
    TILEWRIGHT_RETURN_IF_ERROR(database.add(run));
  for (TrialRecord &trial : sample.trials) {
    for (double *time : {&trial.median, &trial.low, &trial.high, &trial.least,
                         &trial.deviation})
      *time *= factor;
    TILEWRIGHT_RETURN_IF_ERROR(database.add(trial));
  }
  return {};
}

int main(int count, char **arguments) {
  if (count != 4 && count != 5) {
    std::fprintf(stderr, "usage: sample-database FILE TRIALS SEED [FACTOR]\n");
    return 2;
  }
  Status status = write(arguments[1], std::strtoul(arguments[2], nullptr, 10),
                        std::strtoull(arguments[3], nullptr, 10),
                        count == 5 ? std::strtod(arguments[4], nullptr) : 1);
  if (!status.ok())
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
