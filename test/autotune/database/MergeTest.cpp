// Merging is a union of sets: associative, commutative, idempotent.
#include "test/autotune/database/Records.h"

#include <catch2/catch.hpp>

namespace fs = std::filesystem;
using namespace tilewright;
using namespace tilewright::autotune;
using namespace tilewright::autotune::test;

static void merge(const fs::path &target,
                  const std::vector<fs::path> &sources) {
  Status status = mergeDatabases(target, sources);
  INFO(status.message());
  REQUIRE(status.ok());
}

/// A database of some of the records that are the same for all.
static void fill(const fs::path &path, Random &random) {
  Random same(42);
  std::vector<TaskRecord> tasks;
  std::vector<RunRecord> runs;
  for (int i = 0; i < 3; ++i) {
    tasks.push_back(randomTask(same));
    runs.push_back(randomRun(same));
  }
  // The same task under another label, as another model names it.
  tasks.push_back(tasks[0]);
  tasks.back().label = "another label";
  Database database = openDatabase(path);
  for (size_t i = tasks.size(); i-- > 0;)
    if (i < 3 || random.below(2))
      REQUIRE(database.add(tasks[i]).ok());
  for (const RunRecord &run : runs)
    REQUIRE(database.add(run).ok());
  for (int i = 0; i < 12; ++i) {
    TrialRecord trial =
        randomTrial(same, tasks[same.below(3)].task, runs[same.below(3)].run);
    if (random.below(2))
      REQUIRE(database.add(trial).ok());
  }
}

TEST_CASE("merge: the laws of a union, on 201 random databases") {
  Random random(7);
  for (int round = 0; round < 67; ++round) {
    Folder folder;
    fs::path a = folder.path / "a", b = folder.path / "b",
             c = folder.path / "c";
    for (const fs::path &path : {a, b, c})
      fill(path, random);
    const std::string before = bytesOf(a);
    auto out = [&](const char *name) { return folder.path / name; };
    merge(out("ab"), {a, b});
    merge(out("ba"), {b, a});
    CHECK(everything(out("ab")) == everything(out("ba")));
    merge(out("bc"), {b, c});
    merge(out("ab+c"), {out("ab"), c});
    merge(out("a+bc"), {a, out("bc")});
    merge(out("abc"), {c, a, b, a});
    CHECK(everything(out("ab+c")) == everything(out("a+bc")));
    CHECK(everything(out("abc")) == everything(out("a+bc")));
    merge(out("aa"), {a, a});
    CHECK(everything(out("aa")) == everything(a));
    CHECK(bytesOf(a) == before);
    // A target that is one of the sources, and one that is there.
    merge(a, {a, b});
    CHECK(everything(a) == everything(out("ab")));
    merge(b, {c});
    CHECK(everything(b) == everything(out("bc")));
  }
}

TEST_CASE(
    "merge: into one of the sources, of more than SQLite keeps in memory") {
  Folder folder;
  fs::path a = folder.path / "a", b = folder.path / "b";
  for (const fs::path &path : {a, b}) {
    Database database = openDatabase(path);
    REQUIRE(database.add(taskNamed("t")).ok());
    REQUIRE(database.add(runNamed("r")).ok());
    for (int64_t i = 0; i < (path == a ? 1 : 600); ++i) {
      TrialRecord trial = goodTrial("a=1", 5, i);
      trial.reason.assign(10'000, 'x');
      REQUIRE(database.add(trial).ok());
    }
  }
  // What is written to `a` early must not wait for a reader of `a`.
  merge(a, {b, a});
  CHECK(everything(a) == everything(b));
}

TEST_CASE("merge: the best of three shards is that of one run") {
  Folder folder;
  Random random(3);
  for (int round = 0; round < 20; ++round) {
    fs::path whole = folder.path / ("whole" + std::to_string(round));
    std::vector<fs::path> shards;
    std::vector<Database> open;
    for (const char *name : {"0-", "1-", "2-"}) {
      shards.push_back(folder.path / (name + std::to_string(round)));
      open.push_back(openDatabase(shards.back()));
    }
    Database one = openDatabase(whole);
    auto both = [&](const auto &record, size_t shard) {
      REQUIRE(one.add(record).ok());
      REQUIRE(open[shard].add(record).ok());
    };
    for (size_t shard = 0; shard < 3; ++shard) {
      both(taskNamed("t"), shard);
      both(runNamed("r"), shard);
    }
    for (int64_t i = 0; i < 20; ++i)
      both(goodTrial("a=" + std::to_string(random.below(100)),
                     double(random.below(12)), i),
           size_t(i) % 3);
    open.clear();
    fs::path merged = folder.path / ("merged" + std::to_string(round));
    merge(merged, shards);
    auto best = openDatabase(merged).best({"t", "cpu"});
    REQUIRE(best.ok());
    CHECK(*best == *one.best({"t", "cpu"}));
  }
}

TEST_CASE("merge: a source that is not ours leaves all as it was") {
  Folder folder;
  fs::path good = folder.path / "good", other = folder.path / "other",
           bad = folder.path / "bad";
  Random random(5);
  fill(good, random);
  fill(other, random);
  writeBytes(bad, "this is a text about tiles");
  auto before = folder.content();
  std::vector<fs::path> sources = {good, bad};
  for (const char *target : {"new", "other", "good"}) {
    Status status = mergeDatabases(folder.path / target, sources);
    CHECK(status.code() == StatusCode::invalidInput);
    CHECK(status.message() ==
          "'" + bad.string() +
              "' is no tuning database: expected a SQLite file");
  }
  sources = {good, folder.path / "missing"};
  CHECK(mergeDatabases(folder.path / "new", sources).code() ==
        StatusCode::notFound);
  CHECK(folder.content() == before);
}
