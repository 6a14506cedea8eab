// Files that are not ours, damaged, older, newer, or cannot be written: one
// error each, and not a byte changed.
#include "autotune/database/File.h"
#include "test/autotune/database/Records.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace tilewright;
using namespace tilewright::autotune;
using namespace tilewright::autotune::test;
using Mode = Database::Mode;

/// Runs SQL on a file, as a person with sqlite3 would.
static void runSql(const fs::path &path, const std::string &sql) {
  if (!fs::exists(path)) {
    auto memory =
        sqlite::Connection::open(path, sqlite::Connection::Access::memory);
    REQUIRE((*memory)->run("CREATE TABLE seeds (name TEXT)").ok());
    writeBytes(path, *(*memory)->serialize());
  }
  auto file = sqlite::Connection::open(path, sqlite::Connection::Access::write);
  REQUIRE(file.ok());
  Status status = (*file)->rows(sql).status();
  INFO(status.message());
  REQUIRE(status.ok());
}

static void fill(const fs::path &path, int64_t trials) {
  Database database = openDatabase(path);
  REQUIRE(database.add(taskNamed("t")).ok());
  REQUIRE(database.add(runNamed("r")).ok());
  for (int64_t i = 0; i < trials; ++i)
    REQUIRE(database.add(goodTrial("a=" + std::to_string(i), 5 + double(i), i))
                .ok());
}

/// Each mode rejects `path` with this message (after the path's name), and the
/// folder stays as it was.
static void checkRejected(const Folder &folder, const fs::path &path,
                          const std::string &message,
                          StatusCode code = StatusCode::invalidInput) {
  auto before = folder.content();
  for (Mode mode : {Mode::read, Mode::readWrite, Mode::create}) {
    Status status = Database::open(path, mode).status();
    CHECK(status.message() == "'" + path.string() + "' " + message);
    CHECK(status.code() == code);
  }
  CHECK(folder.content() == before);
}

TEST_CASE("file: what is no database of ours is rejected and untouched") {
  Folder folder;
  fs::path text = folder.path / "text", empty = folder.path / "empty",
           foreign = folder.path / "foreign", inside = folder.path / "folder";
  writeBytes(text, std::string(5000, 'x'));
  checkRejected(folder, text, "is no tuning database: expected a SQLite file");
  writeBytes(text, "SQLite format 3");
  checkRejected(folder, text, "is no tuning database: expected a SQLite file");
  writeBytes(empty, "");
  checkRejected(folder, empty,
                "is empty, expected a tuning database; remove it to begin one");
  runSql(foreign, "INSERT INTO seeds VALUES ('poppy')");
  checkRejected(folder, foreign,
                "is a SQLite database of another program, no tuning database");
  fs::create_directory(inside);
  checkRejected(folder, inside, "is a directory, expected a tuning database");
  // SQLite's own names are names of files.
  checkRejected(folder, folder.path / "folder" / ".",
                "is a directory, expected a tuning database");
}

TEST_CASE("file: one of a newer format or another mode is rejected") {
  Folder folder;
  fs::path path = folder.path / "db";
  fill(path, 3);
  runSql(path, "PRAGMA user_version = 7");
  checkRejected(
      folder, path,
      "has version 7 of the format, this Tilewright reads versions up "
      "to 1; use the one that wrote it");
  runSql(path, "PRAGMA user_version = 0");
  checkRejected(folder, path, "is damaged: its version is 0");
  runSql(path, "PRAGMA user_version = 1");
  runSql(path, "PRAGMA journal_mode = WAL");
  checkRejected(folder, path,
                "was set to a write-ahead log; to use it, run: sqlite3 '" +
                    path.string() + "' 'PRAGMA journal_mode = DELETE'");
}

TEST_CASE("file: truncated and overwritten ones are rejected and untouched") {
  Folder folder;
  fs::path path = folder.path / "db";
  fill(path, 200);
  const std::string good = bytesOf(path);
  Random random(11);
  int rejected = 0;
  for (int round = 0; round < 200; ++round) {
    std::string bad = good;
    if (round % 2) {
      bad.resize(random.below(good.size()));
    } else {
      // A kilobyte of noise, anywhere but in the header with our magic number.
      size_t at = 100 + random.below(good.size() - 1124);
      for (size_t i = 0; i < 1024; ++i)
        bad[at + i] = char(random.next());
    }
    writeBytes(path, bad);
    for (Mode mode : {Mode::read, Mode::readWrite}) {
      StatusOr<Database> database = Database::open(path, mode);
      Status status = database.status();
      // Noise may hit unused space, or only values: the rows' keys show it.
      if (database.ok())
        status = database->trials().status();
      rejected += !status.ok();
      bool isWhole =
          database.ok() && status.ok() && database->trials()->size() == 200;
      INFO(round << " " << status.message());
      CHECK((isWhole || status.code() == StatusCode::invalidInput));
      CHECK(status.message().find('\n') == std::string::npos);
    }
    CHECK(bytesOf(path) == bad);
    CHECK(folder.content().size() == 1);
  }
  CHECK(rejected > 300);
}

TEST_CASE("file: a row that was changed by hand is found when it is read") {
  Folder folder;
  fs::path path = folder.path / "db";
  fill(path, 3);
  runSql(path, "UPDATE trials SET median = 1 WHERE sequence = 2");
  Database database = openDatabase(path, Mode::read);
  StatusOr<std::vector<TrialRecord>> trials = database.trials();
  REQUIRE(!trials.ok());
  CHECK(trials.status().message().find("is damaged: a row of trials was "
                                       "changed: its key '") !=
        std::string::npos);
  runSql(path, "UPDATE trials SET verdict = 'so so' WHERE sequence = 2");
  CHECK(database.trials().status().message() ==
        "'" + path.string() +
            "' is damaged: a row of trials has in 'verdict' the value 'so so', "
            "which is not one; delete that row, or take a copy that is whole");
  runSql(path, "ALTER TABLE trials RENAME COLUMN deviation TO spread");
  checkRejected(
      folder, path,
      "is damaged: its table 'trials' is not as expected; take a copy "
      "that is whole, or begin a new database");
}

TEST_CASE("file: reading writes nothing") {
  Folder folder;
  fs::path path = folder.path / "db";
  fill(path, 20);
  auto before = folder.content();
  auto time = fs::last_write_time(path);
  {
    Database database = openDatabase(path, Mode::read);
    CHECK(database.trials()->size() == 20);
    CHECK(database.best({"t", "cpu"}).ok());
    CHECK(database.add(goodTrial("a=99", 1, 99)).code() == StatusCode::ioError);
  }
  CHECK(folder.content() == before);
  CHECK(fs::last_write_time(path) == time);
}

TEST_CASE("file: places that cannot be written") {
  Folder folder;
  fs::path missing = folder.path / "none";
  for (Mode mode : {Mode::read, Mode::readWrite})
    CHECK(Database::open(missing, mode).status().message() ==
          "there is no file '" + missing.string() +
              "', expected a tuning database");
  Status status =
      Database::open(folder.path / "none" / "db", Mode::create).status();
  CHECK(status.code() == StatusCode::ioError);
  CHECK(status.message().ends_with("': No such file or directory"));
  writeBytes(folder.path / "file", "x");
  status = Database::open(folder.path / "file" / "db", Mode::create).status();
  CHECK(status.code() == StatusCode::ioError);
  CHECK(status.message().ends_with("': Not a directory"));
  CHECK(folder.content().size() == 1);
}

/// Runs `work` in a separate process; returns its exit status.
template <typename Work> static int inProcess(Work work) {
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("file: no more space is one error, and what was written stays") {
  Folder folder;
  fs::path path = folder.path / "db";
  fill(path, 5);
  const size_t size = bytesOf(path).size();
  int code = inProcess([&] {
    // As a full disk: no file may grow.
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{size, size};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    StatusOr<Database> database = Database::open(path, Mode::readWrite);
    if (!database.ok())
      return 1;
    TrialRecord trial = goodTrial("a=99", 1, 99);
    trial.reason.assign(100'000, 'x');
    Status status = database->add(trial);
    bool isClear =
        status.code() == StatusCode::ioError &&
        status.message().find("cannot read or write '" + path.string()) == 0;
    return isClear && database->trials()->size() == 5 ? 0 : 2;
  });
  CHECK(code == 0);
  CHECK(folder.content().size() == 1);
  CHECK(openDatabase(path, Mode::read).trials()->size() == 5);
}

TEST_CASE("file: one that may only be read is not opened for writing") {
  Folder folder;
  fs::path path = folder.path / "db";
  fill(path, 5);
  fs::permissions(path, fs::perms::owner_read | fs::perms::others_read);
  fs::permissions(folder.path, fs::perms::owner_all | fs::perms::others_all);
  auto before = folder.content();
  int code = inProcess([&] {
    // Nobody's rights, where the test runs with those of all.
    if (::geteuid() == 0 && (::setgid(65534) || ::setuid(65534)))
      return 1;
    Status status = Database::open(path, Mode::readWrite).status();
    bool isRejected = status.message() == "cannot write '" + path.string() +
                                              "': it may only be read";
    return isRejected && Database::open(path, Mode::read).ok() ? 0 : 2;
  });
  CHECK(code == 0);
  CHECK(folder.content() == before);
}

/// A format that there is not: its trials have a column for the temperature.
static Format nextFormat() {
  Format format = presentFormat();
  format.version = 2;
  format.migrations = {
      "ALTER TABLE trials ADD COLUMN celsius REAL NOT NULL DEFAULT 0"};
  return format;
}

TEST_CASE("file: an older format is brought up to date when it is written") {
  Folder folder;
  fs::path path = folder.path / "db";
  fill(path, 3);
  auto before = folder.content();
  const std::string query = "SELECT sum(celsius), count(*) FROM trials";
  {
    // In a copy, for those who only read.
    auto file = openFile(path, Mode::read, nextFormat());
    REQUIRE(file.ok());
    CHECK((*file)->rows(query).ok());
    CHECK(folder.content() == before);
  }
  {
    auto file = openFile(path, Mode::readWrite, nextFormat());
    REQUIRE(file.ok());
    CHECK((*(*file)->rows(query))[0][1] == Cell(int64_t(3)));
  }
  CHECK(Database::open(path, Mode::read).status().message() ==
        "'" + path.string() +
            "' has version 2 of the format, this Tilewright reads versions up "
            "to 1; use the one that wrote it");
}

TEST_CASE("file: a migration that fails leaves the file as it was") {
  Folder folder;
  fs::path path = folder.path / "db";
  fill(path, 3);
  auto before = folder.content();
  Format format = nextFormat();
  format.migrations[0] += "; ALTER TABLE nothing ADD COLUMN x TEXT";
  CHECK(!openFile(path, Mode::readWrite, format).ok());
  CHECK(folder.content() == before);
}
