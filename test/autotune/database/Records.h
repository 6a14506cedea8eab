// Random records, and files that go with the test.
#ifndef TILEWRIGHT_TEST_AUTOTUNE_DATABASE_RECORDS_H
#define TILEWRIGHT_TEST_AUTOTUNE_DATABASE_RECORDS_H

#include "autotune/database/Database.h"
#include "autotune/space/Random.h"
#include <string>

namespace tilewright::autotune::test {

/// A directory that goes with the scope.
struct Folder {
  Folder();
  ~Folder();
  std::filesystem::path path;
  /// Names and bytes of all that is in it.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>>
  content() const;
};

/// The bytes of a file; empty where there is none.
std::string bytesOf(const std::filesystem::path &path);
void writeBytes(const std::filesystem::path &path, const std::string &bytes);

/// Texts with quotes, line ends, commas and letters of several bytes.
std::string randomText(Random &random);
/// Of any exponent, also whole ones, zeros and the extremes.
double randomNumber(Random &random);
TaskRecord randomTask(Random &random);
RunRecord randomRun(Random &random);
/// With all fields set.
TrialRecord randomTrial(Random &random, const std::string &task,
                        const std::string &run);

/// Records with a key and nothing else.
TaskRecord taskNamed(const std::string &name);
RunRecord runNamed(const std::string &name);

/// A good trial on the cpu, with this median, at second `sequence`.
TrialRecord goodTrial(const std::string &schedule, double median,
                      int64_t sequence);

/// Opens; the test fails where that fails.
Database openDatabase(const std::filesystem::path &path,
                      Database::Mode mode = Database::Mode::create);
/// All that is in it, sorted.
std::string everything(const std::filesystem::path &path);

} // namespace tilewright::autotune::test

#endif // TILEWRIGHT_TEST_AUTOTUNE_DATABASE_RECORDS_H
