// Runs on the emulator, where a trial is what one launch costs by its counters.
#include "Kernels.h"

#include "autotune/task/Task.h"
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace tilewright;
using namespace tilewright::autotune;
using namespace tilewright::autotune::test;

static TuneOptions emulatorOptions(const Folder &folder) {
  TuneOptions options = quickOptions(folder);
  options.device = "emulator";
  options.trials = 30;
  options.search.modelled = 8;
  return options;
}

/// A trial without what two runs of the same may differ in.
static TrialRecord lasting(TrialRecord trial) {
  trial.run.clear();
  trial.started.clear();
  trial.seconds = trial.measuring = 0;
  return trial;
}

static std::vector<TrialRecord> tuned(const Folder &folder,
                                      const TuneOptions &options,
                                      const std::string &target,
                                      const std::string &name) {
  Database database = openDatabase(folder, name);
  StatusOr<TuneReport> report =
      tune(workloadOf(gemm(32, 48, 32), target), database, options);
  REQUIRE(report.ok());
  INFO(report->tasks[0].trouble);
  REQUIRE(report->tasks[0].trouble.empty());
  std::vector<TrialRecord> trials = trialsIn(database);
  for (TrialRecord &trial : trials)
    trial = lasting(trial);
  return trials;
}

TEST_CASE("on the emulator each trial is one launch, counted") {
  Folder folder;
  auto target = GENERATE(as<std::string>(), "sm_80", "sm_90a");
  auto trials = tuned(folder, emulatorOptions(folder), target, "t.db");
  REQUIRE(trials.size() == 30);
  std::map<std::string, double> costs;
  for (const TrialRecord &trial : trials) {
    INFO(trial.schedule << ": " << trial.reason);
    REQUIRE(trial.verdict == Verdict::ok);
    CHECK(trial.metric == Metric::counters);
    CHECK(trial.samples == 1);
    CHECK(trial.low == trial.median);
    CHECK(trial.high == trial.median);
    CHECK(trial.least == trial.median);
    auto terms = nlohmann::json::parse(trial.terms);
    CHECK(terms.value("counted.warps", 0) > 0);
    CHECK(terms.value("counted.sectors", 0) > 0);
    CHECK(terms.contains("latency"));
    costs[trial.schedule] = trial.median;
    if (!trial.against.empty())
      CHECK(trial.ratio == trial.median / costs.at(trial.against));
    CHECK(trial.ratioLow == trial.ratio);
    CHECK(trial.ratioHigh == trial.ratio);
  }
}

TEST_CASE("the same seed tries the same with the same results on the "
          "emulator, evolution included") {
  Folder folder;
  TuneOptions options = emulatorOptions(folder);
  auto first = tuned(folder, options, "sm_90a", "1.db");
  // However many processes compile.
  options.jobs = 2;
  CHECK(first == tuned(folder, options, "sm_90a", "2.db"));
  bool evolved = false;
  for (const TrialRecord &trial : first)
    evolved |= trial.origin == "evolution";
  CHECK(evolved);
  options.search.seed = 2;
  CHECK(first != tuned(folder, options, "sm_90a", "3.db"));
}

TEST_CASE("the default schedule of a GPU is in the space") {
  TaskRecord record = workloadOf(gemm(64, 64, 64), "sm_90a").tasks[0].task;
  StatusOr<std::unique_ptr<Task>> task = Task::open(record);
  REQUIRE(task.ok());
  const Space &space = (*task)->space();
  for (size_t i = 0; i < space.parameters().size(); ++i)
    CHECK(space.defaultPoint()[i] < space.parameters()[i].values.size());
  CHECK_FALSE((*task)->estimate(space.text(space.defaultPoint())).rejection);
}

TEST_CASE("the cost of a launch is that of what was counted") {
  TaskRecord record = workloadOf(gemm(64, 64, 64), "sm_80").tasks[0].task;
  StatusOr<std::unique_ptr<Task>> task = Task::open(record);
  REQUIRE(task.ok());
  std::string schedule = (*task)->space().text((*task)->space().defaultPoint());
  runtime::LaunchCounters counters;
  auto cost = [&](const char *name, uint64_t value) {
    counters.counters = {{name, value}};
    StatusOr<double> cost = (*task)->costOf(schedule, counters);
    REQUIRE(cost.ok());
    return *cost;
  };
  // One launch of an A100, and what bounds it: 5000 GB/s of L2 for sectors,
  // 1.41 GHz for wavefronts and 4 slots a cycle, on 16 multiprocessors.
  double programs = double((*task)->programs());
  REQUIRE(programs == 16);
  CHECK(cost("sectors", 10'000'000) >= 2500 + 10e6 * 32 / 5000);
  CHECK(cost("wavefronts", 160'000'000) >= 2500 + 1e7 / 1.41);
  double slots = cost("warps", 640'000'000);
  CHECK(slots >= 2500 + 1e7 / 1.41);
  // Functions take more slots than other instructions.
  counters.counters = {{"warps", 640'000'000},
                       {"instructions.transcendental", 640'000'000}};
  StatusOr<double> functions = (*task)->costOf(schedule, counters);
  REQUIRE(functions.ok());
  CHECK(*functions > 8 * slots);
  // Registers beyond the limit make it slower, and do not reject it.
  counters.counters = {{"warps", 640'000'000}, {"registers", 1020}};
  StatusOr<double> spilled = (*task)->costOf(schedule, counters);
  REQUIRE(spilled.ok());
  CHECK(*spilled > 3.9 * slots);
}

TEST_CASE("times and costs by counters of one database do not mix") {
  Folder folder;
  TuneOptions options = emulatorOptions(folder);
  options.trials = 3;
  tuned(folder, options, "sm_90a", "t.db");
  Database database = openDatabase(folder);
  auto all = database.trials();
  REQUIRE((all.ok() && !all->empty()));
  // A device of the same kind whose launches were timed: slower, and first.
  TrialRecord timed = all->front();
  timed.metric = Metric::time;
  timed.schedule = "tile0=1";
  timed.against.clear();
  timed.sequence = 1000;
  timed.median = timed.low = timed.high = timed.least = 1e9;
  REQUIRE(database.add(timed).ok());
  auto best = database.best({timed.task, "emulator"});
  REQUIRE((best.ok() && *best));
  CHECK((*best)->metric == Metric::time);
  CHECK((*best)->schedule == "tile0=1");
}

TEST_CASE("a launch that takes the emulator too long says what to do") {
  std::string trouble;
  // A busy machine may have no time for the interpreter, whose result comes
  // first.
  for (double seconds : {3, 9, 27}) {
    Folder folder;
    TuneOptions options = emulatorOptions(folder);
    options.timeoutSeconds = seconds;
    options.trials = 2;
    Database database = openDatabase(folder);
    StatusOr<TuneReport> report =
        tune(workloadOf(gemm(1024, 2048, 1024), "sm_90a"), database, options);
    REQUIRE(report.ok());
    trouble = report->tasks[0].trouble;
    if (trouble.find("the interpreter has no result") == std::string::npos)
      break;
  }
  INFO(trouble);
  CHECK(trouble.find("on device 'emulator'") != std::string::npos);
  CHECK(trouble.find("use smaller shapes") != std::string::npos);
}
