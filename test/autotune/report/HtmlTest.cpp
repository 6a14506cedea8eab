// The page. test/tools/tune.py tests that it is well-formed, and the command
// line.
#include "autotune/report/Html.h"
#include "test/autotune/report/Sample.h"

#include <catch2/catch.hpp>

using namespace tilewright::autotune;
using namespace tilewright::autotune::test;

static size_t countOf(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST_CASE("html: an empty database, one without trials") {
  std::string page = htmlReport("empty.db", {}, {});
  CHECK(page.find("The database holds no tasks.") != std::string::npos);
  CHECK(page.find("0 tasks, 0 trials, 0 runs") != std::string::npos);
  Sample some = sample(1, 1);
  page = htmlReport("some.db", summarize(some.tasks, {}), some.runs);
  CHECK(countOf(page, "Not tried yet.") == 4);
}

TEST_CASE("html: nothing of the database is markup") {
  const std::string evil = "<script>alert(1)</script>\"'&";
  Sample some = sample(2, 10);
  for (TaskRecord &task : some.tasks)
    task.label = task.target = task.arguments = evil;
  for (RunRecord &run : some.runs)
    run.command = run.host = run.version = run.shard = run.started = evil;
  for (TrialRecord &trial : some.trials) {
    trial.reason = trial.origin = trial.device = trial.hardware = evil;
    trial.driver = trial.compiler = evil;
    trial.schedule += " " + evil + "=" + evil + std::to_string(trial.sequence);
  }
  std::string page = htmlReport(evil, some.summaries(), some.runs);
  CHECK(countOf(page, "<script>") == 1);
  CHECK(countOf(page, "</script>") == 1);
  CHECK(countOf(page, "\"'&") == 0);
  CHECK(countOf(page, "&lt;script&gt;alert(1)&lt;/script&gt;") > 50);
}

TEST_CASE("html: one trial, and a thousand") {
  Sample one = sample(3, 1);
  std::string page = htmlReport("one.db", one.summaries(), one.runs);
  CHECK(countOf(page, "<section") == 4);
  CHECK(countOf(page, "\"nan") + countOf(page, ">nan") == 0);
  Sample many = sample(4, 1000);
  page = htmlReport("many.db", many.summaries(), many.runs);
  CHECK(page.find("4 tasks, 4,000 trials, 1 run") != std::string::npos);
  CHECK(countOf(page, "<h3>The ten best</h3>") == 4);
  CHECK(countOf(page, "<h3>Rejected</h3>") == 4);
  CHECK(countOf(page, "http") == countOf(page, "http://www.w3.org/2000/svg"));
  CHECK(countOf(page, "The plots show one of every") == 0);
  Sample most = sample(4, 3500);
  page = htmlReport("most.db", most.summaries(), most.runs);
  CHECK(countOf(page, "The plots show one of every 4 trials.") == 4);
  CHECK(countOf(page, "<circle r=\"3\"") < size_t(4 * 11 * 900));
  page = htmlReport("many.db", many.summaries(), many.runs);
  // The page is deterministic.
  CHECK(page == htmlReport("many.db", many.summaries(), many.runs));
}

TEST_CASE("html: costs that are no times say so") {
  Sample some = sample(5, 20);
  for (TrialRecord &trial : some.trials)
    trial.metric = Metric::model;
  std::string page = htmlReport("model.db", some.summaries(), some.runs);
  CHECK(page.find(" (model)") != std::string::npos);
  CHECK(page.find("cost by the model<") != std::string::npos);
  for (const char *unit : {"ns", "us", "ms"})
    CHECK(page.find(std::string(" ") + unit + " (") == std::string::npos);
  CHECK(page.find("Not drawn: nothing was measured.") != std::string::npos);
}
