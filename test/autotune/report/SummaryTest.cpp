// What is known of each task, and what changed.
#include "autotune/report/Summary.h"
#include "test/autotune/report/Sample.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace tilewright::autotune;
using namespace tilewright::autotune::test;
using Change = Comparison::Change;

static TrialRecord trialOf(const char *schedule, double median,
                           int64_t sequence, const char *origin = "model") {
  TrialRecord trial;
  trial.task = "t";
  trial.run = "r";
  trial.sequence = sequence;
  trial.schedule = schedule;
  trial.origin = origin;
  trial.device = "cpu";
  trial.hardware = "h";
  trial.median = median;
  trial.low = median * 0.99;
  trial.high = median * 1.01;
  return trial;
}

/// Launches in pairs with another schedule's.
static TrialRecord paired(TrialRecord trial, const char *against,
                          double ratio) {
  trial.against = against;
  trial.ratio = ratio;
  trial.ratioLow = ratio * 0.98;
  trial.ratioHigh = ratio * 1.02;
  return trial;
}

static TaskRecord taskOf(const char *name) {
  TaskRecord task;
  task.task = task.label = name;
  return task;
}

TEST_CASE("summary: a line for each device and hardware, and tasks untried") {
  std::vector<TaskRecord> tasks = {taskOf("t"), taskOf("u")};
  std::vector<TrialRecord> trials = {trialOf("a=1", 10, 0, "default"),
                                     paired(trialOf("a=2", 5, 1), "a=1", 0.5),
                                     trialOf("a=3", 4, 2), trialOf("a=4", 3, 3),
                                     trialOf("a=5", 2, 4)};
  trials[2].hardware = "i";
  trials[3].device = "cuda:0";
  trials[4].device = "cuda:1";
  std::vector<TaskSummary> summaries = summarize(tasks, trials);
  REQUIRE(summaries.size() == 4);
  CHECK(summaries[0].device == "cpu");
  CHECK(summaries[0].best->schedule == "a=2");
  CHECK(summaries[0].defaultTrial->schedule == "a=1");
  CHECK(summaries[0].gain == 2);
  CHECK(summaries[1].hardware == "i");
  CHECK(!summaries[1].defaultTrial);
  CHECK(summaries[1].gain == 0);
  CHECK(summaries[2].device == "cuda");
  CHECK(summaries[2].trials.size() == 2);
  CHECK(summaries[2].best->schedule == "a=5");
  CHECK(summaries[3].task.task == "u");
  CHECK(summaries[3].trials.empty());
}

TEST_CASE("summary: the gain is that of the pairs, never of medians") {
  std::vector<TaskRecord> tasks = {taskOf("t")};
  std::vector<TrialRecord> trials = {trialOf("a=1", 10, 0, "default"),
                                     paired(trialOf("a=2", 6, 1), "a=1", 0.5)};
  CHECK(summarize(tasks, trials)[0].gain == 2);
  // The default was measured again, for other reasons.
  trials.push_back(trialOf("a=1", 12, 2, "revalidation"));
  CHECK(summarize(tasks, trials)[0].defaultTrial->median == 12);
  CHECK(summarize(tasks, trials)[0].gain == 2);
  // Along a chain of pairs.
  trials.push_back(paired(trialOf("a=3", 70, 3), "a=2", 0.8));
  CHECK(summarize(tasks, trials)[0].best->schedule == "a=3");
  CHECK(summarize(tasks, trials)[0].gain == 2.5);
  // No pairs join them.
  trials[3].against = "a=9";
  trials[3].median = 1;
  CHECK(summarize(tasks, trials)[0].best->schedule == "a=3");
  CHECK(summarize(tasks, trials)[0].gain == 0);
}

TEST_CASE("summary: levelled times are those at the default's load") {
  std::vector<TaskRecord> tasks = {taskOf("t")};
  // The machine was busy from the second trial on.
  std::vector<TrialRecord> trials = {trialOf("a=1", 10, 0, "default"),
                                     paired(trialOf("a=2", 40, 1), "a=1", 0.5),
                                     paired(trialOf("a=3", 90, 2), "a=2", 1.5),
                                     trialOf("a=4", 4, 3)};
  trials[3].verdict = Verdict::wrongResult;
  TaskSummary summary = levelled(summarize(tasks, trials)[0]);
  REQUIRE(summary.trials.size() == 4);
  CHECK(summary.trials[1].median == 5);
  CHECK(summary.trials[1].low == Approx(4.9));
  CHECK(summary.trials[2].median == 7.5);
  CHECK(summary.best->median == 5);
  CHECK(summary.defaultTrial->median == 10);
  CHECK(rankedTrials(summary, 9)[1].schedule == "a=3");
  // What no pairs join to the default is left out, ...
  trials.push_back(paired(trialOf("a=5", 95, 4), "a=8", 1.5));
  CHECK(levelled(summarize(tasks, trials)[0]).trials.size() == 4);
  // ... and where it is the best, the default is.
  trials[4].median = 3;
  summary = levelled(summarize(tasks, trials)[0]);
  CHECK(summary.best->schedule == "a=5");
  CHECK(!summary.defaultTrial);
  // Counters are exact.
  for (TrialRecord &trial : trials)
    trial.metric = Metric::counters;
  summary = levelled(summarize(tasks, trials)[0]);
  CHECK(summary.best->median == 3);
  CHECK(summary.gain == Approx(10.0 / 3));
}

TEST_CASE("summary: reasons are counted without their numbers") {
  std::vector<TrialRecord> trials(6, trialOf("a=1", 0, 0));
  const char *reasons[] = {"registers: 53 of 32",
                           "registers: 40 of 32",
                           "c[3, 17] is 2.0",
                           "c[10,000, 1] is 5",
                           "",
                           "signal 11\nat 0x4"};
  for (size_t i = 0; i < 6; ++i) {
    trials[i].verdict = i < 2 ? Verdict::rejected : Verdict::timedOut;
    trials[i].reason = reasons[i];
  }
  trials.push_back(trialOf("a=1", 1, 1));
  std::string text;
  for (const ReasonCount &reason : countReasons(trials))
    text += std::to_string(reason.count) + " " +
            std::string(verdictName(reason.verdict)) + "/" + reason.reason +
            "; ";
  CHECK(text == "2 rejected/registers; 2 timed out/c[N, N] is N; "
                "1 timed out/; 1 timed out/signal N; ");
}

TEST_CASE("summary: ranked are the latest good trials, fastest first") {
  std::vector<TaskRecord> tasks = {taskOf("t")};
  std::vector<TrialRecord> trials = {trialOf("a=1", 5, 0), trialOf("a=2", 4, 1),
                                     trialOf("a=3", 3, 2), trialOf("a=3", 6, 3),
                                     trialOf("a=4", 1, 4)};
  trials[4].verdict = Verdict::wrongResult;
  TaskSummary summary = summarize(tasks, trials)[0];
  auto names = [&](size_t most) {
    std::string text;
    for (const TrialRecord &trial : rankedTrials(summary, most))
      text += trial.schedule + " ";
    return text;
  };
  CHECK(names(10) == "a=2 a=1 a=3 ");
  CHECK(names(2) == "a=2 a=1 ");
}

/// What becomes of a task whose best trial was `before` and is `after`.
static Change changeOf(const std::vector<TrialRecord> &before,
                       const std::vector<TrialRecord> &after) {
  std::vector<TaskRecord> tasks = {taskOf("t")};
  std::vector<Comparison> list =
      compare(summarize(tasks, before), summarize(tasks, after), 1.05);
  REQUIRE(list.size() == 1);
  return list[0].change;
}

TEST_CASE("compare: what counts as a change") {
  TrialRecord base = trialOf("a=1", 100, 0);
  CHECK(changeOf({base}, {trialOf("a=2", 104, 0)}) == Change::same);
  CHECK(changeOf({base}, {trialOf("a=2", 110, 0)}) == Change::slower);
  CHECK(changeOf({base}, {trialOf("a=2", 90, 0)}) == Change::faster);
  CHECK(changeOf({base}, {trialOf("a=2", 96, 0)}) == Change::same);
  // Much slower, but not significantly: the intervals overlap.
  TrialRecord noisy = trialOf("a=2", 120, 0);
  noisy.low = 90;
  noisy.high = 150;
  CHECK(changeOf({base}, {noisy}) == Change::same);
  TrialRecord wrong = trialOf("a=1", 0, 0);
  wrong.verdict = Verdict::wrongResult;
  CHECK(changeOf({base}, {wrong}) == Change::broken);
  CHECK(changeOf({base}, {}) == Change::onlyBefore);
  CHECK(changeOf({}, {base}) == Change::onlyAfter);
  CHECK(changeOf({wrong}, {base}) == Change::onlyAfter);
  TrialRecord model = trialOf("a=1", 500, 0);
  model.metric = Metric::model;
  CHECK(changeOf({base}, {model}) == Change::metricsDiffer);
  // Launches that all went wrong are no other metric.
  CHECK(changeOf({base}, {model, wrong}) == Change::broken);
  CHECK(changeOf({model}, {base}) == Change::metricsDiffer);
}

TEST_CASE("compare: tasks on other hardware are not compared") {
  std::vector<TaskRecord> tasks = {taskOf("t")};
  std::vector<TrialRecord> before = {trialOf("a=1", 100, 0)},
                           after = {trialOf("a=1", 500, 0)};
  after[0].hardware = "i";
  std::vector<Comparison> list =
      compare(summarize(tasks, before), summarize(tasks, after), 1.05);
  REQUIRE(list.size() == 2);
  CHECK(list[0].change == Change::onlyBefore);
  CHECK(list[1].change == Change::onlyAfter);
}

/// The median of 31 launches that take about `time`, and its interval of 95 %
/// by ranks.
static TrialRecord measured(double time, Random &random) {
  std::vector<double> launches;
  for (int i = 0; i < 31; ++i)
    launches.push_back(time * (1 + 0.03 * normal(random)));
  std::ranges::sort(launches);
  TrialRecord trial = trialOf("a=1", launches[15], 0);
  trial.low = launches[9];
  trial.high = launches[21];
  return trial;
}

TEST_CASE("compare: 20 % more is seen in 20 of 20, noise in none of 20") {
  Random random(31);
  for (int round = 0; round < 20; ++round) {
    CHECK(changeOf({measured(1e6, random)}, {measured(1e6, random)}) ==
          Change::same);
    CHECK(changeOf({measured(1e6, random)}, {measured(1.2e6, random)}) ==
          Change::slower);
  }
}

TEST_CASE("compare: of several trials of one build, pairs decide") {
  auto trials = [](std::initializer_list<double> medians,
                   const char *compiler = "c") {
    std::vector<TrialRecord> list;
    for (double median : medians) {
      list.push_back(trialOf("a=1", median, int64_t(list.size())));
      list.back().compiler = compiler;
    }
    return list;
  };
  // The last two differ by 30 %; so do two before.
  CHECK(changeOf(trials({100, 130, 100}), trials({100, 102, 130})) ==
        Change::same);
  CHECK(changeOf(trials({100, 110, 105}), trials({125, 135, 130})) ==
        Change::slower);
  // One pair of 25 may overlap, not two.
  CHECK(changeOf(trials({100, 100, 100, 100, 121}),
                 trials({120, 130, 130, 130, 130})) == Change::slower);
  CHECK(changeOf(trials({100, 100, 100, 121, 121}),
                 trials({120, 130, 130, 130, 130})) == Change::same);
  // What another build did is not what this one does.
  std::vector<TrialRecord> mixed = trials({100, 100}, "old");
  mixed.push_back(trialOf("a=1", 130, 2));
  CHECK(changeOf({trialOf("a=1", 100, 0)}, mixed) == Change::slower);
}
