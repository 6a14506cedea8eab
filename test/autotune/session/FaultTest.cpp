// Schedules that go wrong: each is recorded with its reason, and the run goes
// on.
#include "Kernels.h"

#include "autotune/measure/WorkerProcess.h"
#include <catch2/catch.hpp>
#include <fstream>

using namespace tilewright;
using namespace tilewright::autotune;
using namespace tilewright::autotune::test;

/// What became of the schedule that starts so.
static TrialRecord trialOf(const std::vector<TrialRecord> &trials,
                           const std::string &schedule) {
  for (const TrialRecord &trial : trials)
    if (trial.schedule.starts_with(schedule))
      return trial;
  FAIL("no trial of " << schedule);
  return {};
}

TEST_CASE(
    "a schedule that hangs, crashes, asks for too large a tile or computes "
    "something else is recorded, and survived") {
  Folder folder;
  Database database = openDatabase(folder);
  TuneOptions options = quickOptions(folder);
  options.trials = 0;
  options.timeoutSeconds = 3;
  options.search.strategy = Strategy::exhaustive;
  // The model would not let the memory hog through.
  options.search.triesRejected = true;
  Workload workload = workloadOf(faultyKernel);
  // Of the schedules' other keys only the defaults.
  options.search.onlyParameters = {"MODE", "HELD"};
  StatusOr<TuneReport> report = tune(workload, database, options);
  REQUIRE(report.ok());
  INFO(report->tasks[0].trouble);
  CHECK(report->tasks[0].trouble.empty());
  std::vector<TrialRecord> trials = trialsIn(database);
  REQUIRE(trials.size() == 8);

  TrialRecord good = trialOf(trials, "MODE=0 HELD=64");
  CHECK(good.verdict == Verdict::ok);
  CHECK(good.median > 0);

  TrialRecord hangs = trialOf(trials, "MODE=1 HELD=64");
  CHECK(hangs.verdict == Verdict::timedOut);
  CHECK(hangs.reason.find("no end after") != std::string::npos);

  TrialRecord crashes = trialOf(trials, "MODE=2 HELD=64");
  CHECK(crashes.verdict == Verdict::crashed);
  CHECK(crashes.reason.find("SEGV") != std::string::npos);

  TrialRecord wrong = trialOf(trials, "MODE=4 HELD=64");
  CHECK(wrong.verdict == Verdict::wrongResult);
  CHECK(wrong.reason.find("by the interpreter") != std::string::npos);

  TrialRecord large = trialOf(trials, "MODE=0 HELD=8589934592");
  CHECK(large.verdict == Verdict::rejected);
  CHECK(large.reason.find("elements") != std::string::npos);

  CHECK(report->failures.at("timed out") >= 1);
  CHECK(report->tasks[0].schedule.starts_with("MODE=0 HELD=64"));
}

TEST_CASE("what code generation rejects is a verdict, and the worker lives") {
  Folder folder;
  WorkerOptions options;
  options.command = {"/proc/self/exe", "worker"};
  options.folder = folder.path;
  TaskRecord task = workloadOf(gemm(64, 128, 32)).tasks.front().task;
  WorkerProcess worker(options, "worker");
  worker.setTask(task);
  const std::chrono::seconds timeout(20);
  WorkerFailure rejected =
      worker.compile("rows=14 vectors=6", folder.path / "a", timeout);
  CHECK(rejected.verdict == Verdict::rejected);
  CHECK(rejected.reason.find("vector registers") != std::string::npos);
  CHECK(worker.compile("rows=2", folder.path / "b", timeout).verdict ==
        Verdict::ok);
  CHECK(std::filesystem::exists(folder.path / "b"));
}

TEST_CASE("a worker goes from task to task") {
  Folder folder;
  WorkerOptions options;
  options.command = {"/proc/self/exe", "worker"};
  options.folder = folder.path;
  const std::chrono::seconds timeout(20);
  auto compiled = [&](WorkerProcess &worker, const TaskRecord &task) {
    worker.setTask(task);
    std::filesystem::path file = folder.path / "candidate";
    CHECK(worker.compile("rows=2", file, timeout).verdict == Verdict::ok);
    std::ifstream stream(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const TaskRecord tasks[] = {workloadOf(gemm(64, 128, 32)).tasks[0].task,
                              workloadOf(gemm(96, 48, 32)).tasks[0].task};
  WorkerProcess shared(options, "shared");
  for (size_t i : {0, 1, 1, 0}) {
    WorkerProcess own(options, "own");
    std::string expected = compiled(own, tasks[i]);
    CHECK_FALSE(expected.empty());
    CHECK(compiled(shared, tasks[i]) == expected);
  }
}

TEST_CASE("a worker that gets no more memory says so") {
  Folder folder;
  WorkerOptions options;
  options.command = {"/proc/self/exe", "worker"};
  options.folder = folder.path;
  // Less than the process has already when the limit is set.
  options.memoryBytes = size_t(1) << 20;
  TaskRecord task = workloadOf(gemm(64, 128, 32)).tasks.front().task;
  WorkerProcess worker(options, "worker");
  worker.setTask(task);
  WorkerFailure failure =
      worker.compile("", folder.path / "a", std::chrono::seconds(20));
  CHECK(failure.verdict == Verdict::outOfMemory);
  CHECK(failure.reason == "more than 1 MiB were asked for");
}

TEST_CASE("a default that goes wrong ends the task with the reason") {
  Folder folder;
  Database database = openDatabase(folder);
  TuneOptions options = quickOptions(folder);
  options.timeoutSeconds = 2;
  std::string code = faultyKernel;
  code.replace(code.find("MODE = 0, 1"), 11, "MODE = 2, 1");
  StatusOr<TuneReport> report = tune(workloadOf(code), database, options);
  REQUIRE(report.ok());
  CHECK_FALSE(report->tasks[0].trouble.empty());
}

TEST_CASE("what cannot be tuned is one message, and the others go on") {
  Folder folder;
  Database database = openDatabase(folder);
  TuneOptions options = quickOptions(folder);
  options.trials = 2;
  Workload workload = workloadOf("tile.kernel @k(%x: !tile.view<?xf32>) {}");
  workload.tasks.push_back(workloadOf(gemm(32, 32, 32)).tasks.front());
  StatusOr<TuneReport> report = tune(workload, database, options);
  REQUIRE(report.ok());
  CHECK(report->tasks[0].trouble.find("expected a shape") != std::string::npos);
  CHECK(report->tasks[1].trouble.empty());
}

TEST_CASE("a worker that cannot be started is an error of the task") {
  Folder folder;
  Database database = openDatabase(folder);
  TuneOptions options = quickOptions(folder);
  options.worker = {(folder.path / "nothing").string()};
  StatusOr<TuneReport> report =
      tune(workloadOf(gemm(32, 32, 32)), database, options);
  REQUIRE(report.ok());
  CHECK(report->tasks[0].trouble.find("cannot start") != std::string::npos);
}
