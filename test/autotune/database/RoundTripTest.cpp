// What is written is what is read, field by field.
#include "autotune/database/Cells.h"
#include "autotune/database/Text.h"
#include "test/autotune/database/Records.h"

#include <catch2/catch.hpp>
#include <limits>

using namespace tilewright;
using namespace tilewright::autotune;
using namespace tilewright::autotune::test;

TEST_CASE("database: each field of random records comes back") {
  Folder folder;
  Random random(1);
  for (int round = 0; round < 100; ++round) {
    std::filesystem::path path = folder.path / std::to_string(round);
    TaskRecord task = randomTask(random);
    RunRecord run = randomRun(random);
    TrialRecord trial = randomTrial(random, task.task, run.run);
    {
      Database database = openDatabase(path);
      REQUIRE(database.add(task).ok());
      REQUIRE(database.add(run).ok());
      REQUIRE(database.add(trial).ok());
      // Once more changes nothing.
      REQUIRE(database.add(trial).ok());
      REQUIRE(database.add(run).ok());
    }
    Database database = openDatabase(path, Database::Mode::read);
    CHECK(*database.tasks() == std::vector{task});
    CHECK(*database.runs() == std::vector{run});
    CHECK(*database.trials() == std::vector{trial});
    std::filesystem::remove(path);
  }
}

TEST_CASE("database: rows of the first release have the present words") {
  TrialRecord trial =
      goodTrial("warps=2 vector_bits=64 tunable.access=3", 5, 0);
  trial.against = "vector_bits=128";
  trial.verdict = Verdict::rejected;
  std::vector<Cell> cells = *toCells(trial);
  for (Cell &cell : cells)
    if (auto *text = std::get_if<std::string>(&cell)) {
      if (*text == trial.schedule)
        *text = "warps=2 access=64 tunable.access=3";
      else if (*text == trial.against)
        *text = "access=128";
      else if (*text == "rejected")
        *text = "refused";
    }
  CHECK(*fromCells<TrialRecord>(cells) == trial);
}

TEST_CASE("database: what no column holds is rejected by name") {
  Folder folder;
  Database database = openDatabase(folder.path / "db");
  REQUIRE(database.add(taskNamed("t")).ok());
  REQUIRE(database.add(runNamed("r")).ok());
  TrialRecord trial = goodTrial("a=1", 5, 0);
  trial.high = std::numeric_limits<double>::infinity();
  CHECK(database.add(trial).message() ==
        "a record of trials: high: expected a finite number, found inf");
  trial = goodTrial("a=1", std::numeric_limits<double>::quiet_NaN(), 0);
  CHECK(database.add(trial).message() ==
        "a record of trials: median: expected a finite number, found nan");
  for (const std::string &text :
       {std::string("\xff"), std::string("a\0b", 3), std::string("\xc0\xaf"),
        std::string("\xed\xa0\x80"), std::string("\xf4\x90\x80\x80"),
        std::string("\xe2\x82")}) {
    trial = goodTrial("a=1", 5, 0);
    trial.reason = text;
    CHECK(database.add(trial).message() ==
          "a record of trials: reason: expected UTF-8 without zero bytes");
    trial.reason = cleanText(text);
    CHECK(database.add(trial).ok());
  }
  CHECK(cleanText("so\xffso \xe2\x82\xac") == "so\xef\xbf\xbdso \xe2\x82\xac");
  CHECK(cleanText("\xf0\x9f\x98\x80 ß") == "\xf0\x9f\x98\x80 ß");
}

TEST_CASE("database: a trial needs its task and its run") {
  Folder folder;
  std::filesystem::path path = folder.path / "db";
  Database database = openDatabase(path);
  CHECK(database.add(goodTrial("a=1", 5, 0)).message() ==
        "'" + path.string() +
            "': a trial of the task 't', which is not in it; it has to be "
            "added first");
  REQUIRE(database.add(taskNamed("t")).ok());
  CHECK(database.add(goodTrial("a=1", 5, 0)).message() ==
        "'" + path.string() +
            "': a trial of the run 'r', which is not in it; it has to be "
            "added first");
  REQUIRE(database.add(runNamed("r")).ok());
  CHECK(database.add(goodTrial("a=1", 5, 0)).ok());
}

TEST_CASE("database: trials are found by each of their filters") {
  Folder folder;
  Database database = openDatabase(folder.path / "db");
  for (const char *task : {"t", "u"})
    REQUIRE(database.add(taskNamed(task)).ok());
  for (const char *run : {"q", "r"})
    REQUIRE(database.add(runNamed(run)).ok());
  std::vector<TrialRecord> all;
  for (const char *task : {"t", "u"})
    for (const char *device : {"cpu", "cuda:0", "cuda:1"})
      for (const char *run : {"q", "r"})
        for (int64_t sequence : {0, 1}) {
          TrialRecord trial = goodTrial("a=1", 5, sequence);
          trial.task = task;
          trial.device = device;
          trial.run = run;
          trial.metric = sequence ? Metric::model : Metric::time;
          trial.verdict = sequence ? Verdict::timedOut : Verdict::ok;
          all.push_back(trial);
        }
  // In another order than they come out.
  for (size_t i = all.size(); i-- > 0;)
    REQUIRE(database.add(all[i]).ok());
  CHECK(*database.trials() == all);
  auto count = [&](const TrialFilter &filter) {
    return database.trials(filter)->size();
  };
  CHECK(count({.task = "t"}) == 12);
  CHECK(count({.task = "t", .device = "cuda"}) == 8);
  CHECK(count({.device = "cuda:1"}) == 8);
  CHECK(count({.device = "cud"}) == 0);
  CHECK(count({.run = "q"}) == 12);
  CHECK(count({.metric = Metric::model}) == 12);
  CHECK(count({.verdict = Verdict::timedOut}) == 12);
  CHECK(count({.metric = Metric::counters}) == 0);
}

TEST_CASE("database: stale are trials of other tools, until tried again") {
  Folder folder;
  Database database = openDatabase(folder.path / "db");
  REQUIRE(database.add(taskNamed("t")).ok());
  REQUIRE(database.add(runNamed("r")).ok());
  auto add = [&](const char *schedule, const char *compiler, const char *driver,
                 int64_t sequence) {
    TrialRecord trial = goodTrial(schedule, 5, sequence);
    trial.compiler = compiler;
    trial.driver = driver;
    REQUIRE(database.add(trial).ok());
  };
  add("a=1", "old", "550", 0);
  add("a=2", "new", "535", 1);
  add("a=3", "old", "550", 2);
  add("a=4", "new", "550", 3);
  auto stale = [&] {
    std::string found;
    const auto trials = *database.stale("cpu", "new", "550");
    for (const TrialRecord &trial : trials)
      found += trial.schedule + " ";
    return found;
  };
  CHECK(stale() == "a=1 a=2 a=3 ");
  add("a=3", "new", "550", 4);
  CHECK(stale() == "a=1 a=2 ");
  CHECK(database.stale("cuda:0", "new", "550")->empty());
}
