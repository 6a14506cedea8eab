// Whole runs.
#include "Kernels.h"

#include "autotune/report/Summary.h"
#include "autotune/session/Lookup.h"
#include <catch2/catch.hpp>
#include <map>
#include <set>

using namespace tilewright;
using namespace tilewright::autotune;
using namespace tilewright::autotune::test;

static std::vector<std::string> schedulesOf(const Database &database) {
  std::vector<std::string> schedules;
  for (const TrialRecord &trial : trialsIn(database))
    schedules.push_back(trial.schedule + " " + trial.origin);
  return schedules;
}

TEST_CASE("a run keeps each trial, with all that is known of it") {
  Folder folder;
  Database database = openDatabase(folder);
  StatusOr<TuneReport> report =
      tune(workloadOf(gemm(64, 96, 32)), database, quickOptions(folder));
  REQUIRE(report.ok());
  CHECK(report->tasks[0].trouble.empty());
  std::vector<TrialRecord> trials = trialsIn(database);
  REQUIRE(trials.size() == 12);
  CHECK(trials[0].origin == "default");
  std::set<std::string> schedules;
  for (const TrialRecord &trial : trials) {
    INFO(trial.schedule << ": " << trial.reason);
    schedules.insert(trial.schedule);
    CHECK(trial.verdict == Verdict::ok);
    CHECK(trial.samples > 0);
    CHECK(trial.least <= trial.median);
    CHECK(trial.low <= trial.median);
    CHECK(trial.median <= trial.high);
    CHECK(trial.modelled > 0);
    CHECK(trial.terms.find("compute") != std::string::npos);
    CHECK(trial.against.empty() == (trial.origin == "default"));
    CHECK(trial.compiler == "this build");
    CHECK_FALSE(trial.hardware.empty());
  }
  CHECK(schedules.size() == 12);
  CHECK(report->trials >= 12);
  CHECK(report->measuring > 0);
  // Nothing is left of the run's files.
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path),
                      std::filesystem::directory_iterator()) == 1);
}

TEST_CASE("each task has its turn before one has its second") {
  Folder folder;
  Database database = openDatabase(folder);
  TuneOptions options = quickOptions(folder);
  options.trials = 20;
  Workload workload = workloadOf(gemm(64, 96, 32));
  workload.tasks.push_back(workloadOf(gemm(16, 16, 16)).tasks[0]);
  StatusOr<TuneReport> report = tune(workload, database, options);
  REQUIRE(report.ok());
  std::map<std::string, size_t> counts;
  for (const TrialRecord &trial : trialsIn(database)) {
    ++counts[trial.task];
    // The default and a step of eight, of both.
    if (counts[trial.task] > 9)
      for (const auto &[task, count] : counts)
        CHECK(count >= 9);
  }
  REQUIRE(counts.size() == 2);
  for (const TunedTask &task : report->tasks)
    CHECK_FALSE(task.triedDefaultOnly);
}

TEST_CASE("a report has the figures that its database has") {
  Folder folder;
  Database database = openDatabase(folder);
  StatusOr<TuneReport> report =
      tune(workloadOf(gemm(64, 96, 32)), database, quickOptions(folder));
  REQUIRE(report.ok());
  TaskSummary summary = summarize(database)->front();
  const TunedTask &task = report->tasks[0];
  CHECK(task.schedule == summary.best->schedule);
  CHECK(task.defaultCost == summary.defaultTrial->median);
  CHECK(task.defaultCost / task.best == Approx(summary.gain));
}

TEST_CASE("a default that has no time for more is named") {
  Folder folder;
  Database database = openDatabase(folder);
  TuneOptions options = quickOptions(folder);
  options.seconds = 1e-3;
  Workload workload = workloadOf(gemm(64, 96, 32));
  workload.tasks.push_back(workloadOf(gemm(16, 16, 16)).tasks[0]);
  StatusOr<TuneReport> report = tune(workload, database, options);
  REQUIRE(report.ok());
  CHECK(report->tasks[0].triedDefaultOnly);
  CHECK(report->tasks[1].trouble == "there was no time left for it");
}

TEST_CASE("the same seed tries the same in the same order, where results do "
          "not decide") {
  Folder folder;
  Database first = openDatabase(folder, "1.db");
  Database second = openDatabase(folder, "2.db");
  TuneOptions options = quickOptions(folder);
  options.search.strategy = GENERATE(Strategy::model, Strategy::random);
  Workload workload = workloadOf(gemm(48, 64, 80));
  REQUIRE(tune(workload, first, options).ok());
  REQUIRE(tune(workload, second, options).ok());
  CHECK(schedulesOf(first) == schedulesOf(second));
}

TEST_CASE("a resumed run tries nothing twice and goes on where it was") {
  Folder folder;
  Database once = openDatabase(folder, "once.db");
  Database twice = openDatabase(folder, "twice.db");
  TuneOptions options = quickOptions(folder);
  options.search.strategy = Strategy::model;
  Workload workload = workloadOf(gemm(48, 64, 80));
  REQUIRE(tune(workload, once, options).ok());
  options.trials = 5;
  REQUIRE(tune(workload, twice, options).ok());
  REQUIRE(trialsIn(twice).size() == 5);
  options.trials = 12;
  options.resume = true;
  REQUIRE(tune(workload, twice, options).ok());
  std::set<std::string> both, single;
  for (const TrialRecord &trial : trialsIn(twice))
    CHECK(both.insert(trial.schedule).second);
  for (const TrialRecord &trial : trialsIn(once))
    single.insert(trial.schedule);
  CHECK(both == single);
  // Another build's trials do not count.
  options.compiler = "another build";
  options.trials = 3;
  REQUIRE(tune(workload, twice, options).ok());
  CHECK(trialsIn(twice).size() == 15);
}

TEST_CASE("a compilation finds the kernel, or the nearest shape of its kind") {
  Folder folder;
  TuneOptions options = quickOptions(folder);
  options.trials = 3;
  {
    Database database = openDatabase(folder);
    REQUIRE(tune(workloadOf(gemm(64, 64, 64)), database, options).ok());
  }
  StatusOr<Lookup> lookup = Lookup::open(folder.path / "t.db");
  REQUIRE(lookup.ok());
  StatusOr<std::optional<Found>> same = lookup->find(gemm(64, 64, 64), "cpu");
  REQUIRE((same.ok() && *same));
  CHECK((*same)->origin.find("distance 0,") != std::string::npos);
  StatusOr<std::optional<Found>> near = lookup->find(gemm(64, 64, 96), "cpu");
  REQUIRE(near.ok());
  if (*near) // Only where its tiles are legal here.
    CHECK((*near)->origin.find("distance 1.17,") != std::string::npos);
  StatusOr<std::optional<Found>> far = lookup->find(gemm(512, 512, 64), "cpu");
  REQUIRE(far.ok());
  CHECK_FALSE(*far);
}
