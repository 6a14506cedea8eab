// Which trial is the best, against the rule read literally.
#include "autotune/database/Best.h"
#include "test/autotune/database/Records.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace tilewright::autotune;
using namespace tilewright::autotune::test;

static std::string bestOf(const std::vector<TrialRecord> &trials) {
  std::optional<size_t> index = bestTrial(trials);
  return index ? trials[*index].schedule : "none";
}

/// A trial that took `ratio` of the time of `against`, give or take 2 %.
static TrialRecord pairTrial(const char *schedule, double median,
                             int64_t sequence, const char *against,
                             double ratio) {
  TrialRecord trial = goodTrial(schedule, median, sequence);
  trial.against = against;
  trial.ratio = ratio;
  trial.ratioLow = ratio - 0.02;
  trial.ratioHigh = ratio + 0.02;
  return trial;
}

TEST_CASE("best: the least median, then the first text") {
  CHECK(bestOf({}) == "none");
  CHECK(bestOf({goodTrial("a=2", 6, 0), goodTrial("a=1", 5, 1),
                goodTrial("a=3", 7, 2)}) == "a=1");
  CHECK(bestOf({goodTrial("a=2", 5, 0), goodTrial("a=1", 5, 1)}) == "a=1");
}

TEST_CASE("best: times before counters before the model, never mixed") {
  TrialRecord model = goodTrial("a=1", 1, 0), counters = goodTrial("a=2", 2, 1),
              time = goodTrial("a=3", 3, 2);
  model.metric = Metric::model;
  counters.metric = Metric::counters;
  CHECK(bestOf({model, counters, time}) == "a=3");
  CHECK(bestOf({model, counters}) == "a=2");
  time.verdict = Verdict::crashed;
  CHECK(bestOf({model, counters, time}) == "a=2");
}

TEST_CASE("best: one hardware, that of which most is known") {
  TrialRecord a = goodTrial("a=1", 3, 0), b = goodTrial("a=2", 4, 1),
              fast = goodTrial("a=3", 1, 2);
  fast.hardware = "another processor";
  CHECK(bestOf({a, b, fast}) == "a=1");
  CHECK(bestOf({a, fast}) == "a=1");
}

TEST_CASE("best: the latest trial of a schedule counts, if it is ok") {
  TrialRecord first = goodTrial("a=1", 3, 0), other = goodTrial("a=2", 4, 1);
  CHECK(bestOf({first, other, goodTrial("a=1", 5, 2)}) == "a=2");
  TrialRecord wrong = goodTrial("a=1", 0, 3);
  wrong.verdict = Verdict::wrongResult;
  CHECK(bestOf({first, other, wrong}) == "a=2");
  CHECK(bestOf({wrong, first}) == "none");
  CHECK(bestOf({first, wrong, goodTrial("a=1", 3.5, 4)}) == "a=1");
}

TEST_CASE("best: a pair wins beyond noise only, and before medians") {
  TrialRecord base = goodTrial("a=1", 10, 0);
  // 1 % faster, give or take 2 %: not beyond noise.
  CHECK(bestOf({base, pairTrial("a=2", 9, 1, "a=1", 0.99)}) == "a=1");
  CHECK(bestOf({base, pairTrial("a=2", 9, 1, "a=1", 0.9)}) == "a=2");
  // The clock rate fell between the two: the pair is better than the medians.
  CHECK(bestOf({base, pairTrial("a=2", 11, 1, "a=1", 0.9)}) == "a=2");
  CHECK(bestOf({base, pairTrial("a=2", 11, 1, "a=1", 0.9),
                pairTrial("a=3", 8, 2, "a=2", 1.1)}) == "a=2");
  // By a chain.
  CHECK(bestOf({base, pairTrial("a=2", 11, 1, "a=1", 0.9),
                pairTrial("a=3", 12, 2, "a=2", 0.9)}) == "a=3");
  // Who was beaten by a schedule that is no good was not beaten.
  TrialRecord wrong = goodTrial("a=2", 9, 5);
  wrong.verdict = Verdict::wrongResult;
  CHECK(bestOf({base, pairTrial("a=2", 9, 1, "a=1", 0.9), wrong}) == "a=1");
  // A circle, as two runs can make it: the medians have to say.
  CHECK(bestOf({pairTrial("a=1", 8, 0, "a=3", 0.9),
                pairTrial("a=2", 7, 1, "a=1", 0.9),
                pairTrial("a=3", 9, 2, "a=2", 0.9),
                pairTrial("a=4", 5, 3, "a=3", 1.2)}) == "a=2");
  CHECK(bestOf({pairTrial("a=1", 8, 0, "a=1", 2)}) == "a=1");
}

/// The rule with a matrix of who beats whom, by chains too.
static std::string slowBest(const std::vector<TrialRecord> &trials) {
  std::vector<TrialRecord> latest;
  for (const TrialRecord &trial : trials) {
    bool isLatest = std::ranges::none_of(trials, [&](const TrialRecord &t) {
      return t.schedule == trial.schedule && isLater(t, trial);
    });
    if (isLatest && trial.verdict == Verdict::ok)
      latest.push_back(trial);
  }
  size_t n = latest.size();
  std::vector<std::vector<bool>> beats(n, std::vector<bool>(n));
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      if (i != j && latest[i].against == latest[j].schedule)
        (latest[i].ratioHigh < 1 ? beats[i][j] : beats[j][i]) = true;
  for (size_t k = 0; k < n; ++k)
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        if (beats[i][k] && beats[k][j])
          beats[i][j] = true;
  std::string best = "none";
  double least = 0;
  for (size_t i = 0; i < n; ++i) {
    bool isOut = false;
    for (size_t j = 0; j < n; ++j)
      isOut |= beats[j][i] && !beats[i][j];
    const TrialRecord &t = latest[i];
    if (!isOut && (best == "none" || t.median < least ||
                   (t.median == least && t.schedule < best))) {
      best = t.schedule;
      least = t.median;
    }
  }
  return best;
}

TEST_CASE("best: as the rule read literally, whatever the order") {
  Random random(19);
  for (int round = 0; round < 2000; ++round) {
    std::vector<TrialRecord> trials;
    uint64_t schedules = 1 + random.below(10);
    for (int64_t i = 0, n = int64_t(random.below(16)); i < n; ++i) {
      TrialRecord trial =
          goodTrial("a=" + std::to_string(random.below(schedules)),
                    double(random.below(6)), i);
      if (random.below(3))
        trial.against = "a=" + std::to_string(random.below(schedules));
      trial.ratioHigh = 0.5 + random.unit();
      if (random.below(8) == 0)
        trial.verdict = Verdict::wrongResult;
      trials.push_back(trial);
    }
    const std::string expected = slowBest(trials);
    for (int shuffle = 0; shuffle < 3; ++shuffle) {
      CHECK(bestOf(trials) == expected);
      for (size_t i = trials.size(); i > 1; --i)
        std::swap(trials[i - 1], trials[random.below(i)]);
    }
  }
}

TEST_CASE("best: a chain of many thousands") {
  std::vector<TrialRecord> trials = {goodTrial("a=0", 1, 0)};
  for (int64_t i = 1; i < 20'000; ++i) {
    TrialRecord trial = goodTrial("a=" + std::to_string(i), 1, i);
    trial.against = "a=" + std::to_string(i - 1);
    trial.ratioHigh = 0.99;
    trials.push_back(trial);
  }
  CHECK(bestOf(trials) == "a=19999");
}
