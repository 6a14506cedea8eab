// Writers that are killed, and writers that share a file.
#include "test/autotune/database/Records.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace tilewright;
using namespace tilewright::autotune;
using namespace tilewright::autotune::test;
using Mode = Database::Mode;

static void prepare(const fs::path &path) {
  Database database = openDatabase(path);
  REQUIRE(database.add(taskNamed("t")).ok());
  REQUIRE(database.add(runNamed("r")).ok());
}

/// Appends trials after the file's last one for ever, and writes the number of
/// each committed one to `pipe`. Returns the error.
static int append(const fs::path &path, int pipe) {
  StatusOr<Database> database = Database::open(path, Mode::create);
  if (!database.ok())
    return 1;
  StatusOr<std::vector<TrialRecord>> trials = database->trials();
  if (!trials.ok())
    return 2;
  for (auto next = int64_t(trials->size());; ++next) {
    TrialRecord trial = goodTrial("a=" + std::to_string(next), 5, next);
    // Of several pages now and then.
    trial.reason.assign(size_t(next % 7 == 0 ? 20'000 : 50), 'x');
    if (!database->add(trial).ok())
      return 3;
    if (::write(pipe, &next, sizeof next) != sizeof next)
      return 4;
  }
}

/// Starts a writer, kills it after this time; returns the last trial that it
/// reported as committed, or -1.
static int64_t killedAfter(const fs::path &path, uint64_t microseconds) {
  int pipe[2];
  REQUIRE(::pipe(pipe) == 0);
  pid_t child = ::fork();
  if (child == 0) {
    ::close(pipe[0]);
    ::_exit(append(path, pipe[1]));
  }
  ::close(pipe[1]);
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
  ::kill(child, SIGKILL);
  int64_t number = -1, last = -1;
  while (::read(pipe[0], &number, sizeof number) == sizeof number)
    last = number;
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  return last;
}

TEST_CASE("database: killed at 200 points, all but the trial in flight stay") {
  Folder folder;
  fs::path path = folder.path / "db";
  prepare(path);
  Random random(13);
  size_t count = 0;
  int journals = 0;
  for (int round = 0; round < 200; ++round) {
    int64_t last = killedAfter(path, 2000 + random.below(20'000));
    journals += fs::exists(folder.path / "db-journal");
    // Both readers and writers find it whole; writing continues from there.
    Mode mode = random.below(2) ? Mode::read : Mode::readWrite;
    StatusOr<std::vector<TrialRecord>> trials =
        openDatabase(path, mode).trials();
    REQUIRE(trials.ok());
    CHECK(int64_t(trials->size()) >= last + 1);
    // At most one trial was committed but not reported.
    CHECK(int64_t(trials->size()) <= std::max(last + 2, int64_t(count) + 1));
    CHECK(trials->size() >= count);
    count = trials->size();
    for (size_t i = 0; i < count; ++i)
      REQUIRE((*trials)[i].sequence == int64_t(i));
    // A new file now and then, so that it stays quick.
    if (round % 25 == 24) {
      fs::remove(path);
      prepare(path);
      count = 0;
    }
  }
  INFO("killed inside of a transaction: " << journals);
  CHECK(journals > 10);
}

TEST_CASE("database: killed while a new file is made") {
  Random random(17);
  for (int round = 0; round < 50; ++round) {
    Folder folder;
    fs::path path = folder.path / "db";
    pid_t child = ::fork();
    if (child == 0) {
      (void)Database::open(path, Mode::create);
      ::_exit(0);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(6000)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    // There is none, or a whole one.
    CHECK((!fs::exists(path) || Database::open(path, Mode::read).ok()));
    prepare(path);
  }
}

TEST_CASE("database: writers of one file lose nothing") {
  Folder folder;
  fs::path path = folder.path / "db";
  constexpr int writers = 4, each = 50;
  std::vector<pid_t> children;
  for (int writer = 0; writer < writers; ++writer) {
    pid_t child = ::fork();
    if (child == 0) {
      // All of them make the file, and the rows that they share.
      StatusOr<Database> database = Database::open(path, Mode::create);
      bool isGood = database.ok() && database->add(taskNamed("t")).ok() &&
                    database->add(runNamed("r")).ok();
      for (int i = 0; isGood && i < each; ++i)
        isGood = database->add(goodTrial("a=1", 5, writer * each + i)).ok() &&
                 (i % 10 || database->best({"t", "cpu"}).ok());
      ::_exit(isGood ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  Database database = openDatabase(path, Mode::read);
  std::set<int64_t> sequences;
  const std::vector<TrialRecord> trials = *database.trials();
  for (const TrialRecord &trial : trials)
    sequences.insert(trial.sequence);
  CHECK(sequences.size() == writers * each);
  CHECK(database.tasks()->size() == 1);
  CHECK(folder.content().size() == 1);
}
