// The results of tuning runs, in a file that outlives them: a SQLite database
// that any tool can read.
//
// Rows are added and never changed, and a row's key is a hash of its fields, so
// a file is a set of rows: merging is their union, in any order and any number
// of times. Every trial is a separate transaction. A process that is killed at
// any point loses only the trial in flight.
//
// The file has no write-ahead log: that needs memory shared between processes,
// which network file systems lack, and further files. Several processes of one
// machine may write one file, waiting for each other. Several machines write a
// file each, which are merged.
#ifndef TILEWRIGHT_AUTOTUNE_DATABASE_DATABASE_H
#define TILEWRIGHT_AUTOTUNE_DATABASE_DATABASE_H

#include "autotune/database/Trial.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <filesystem>
#include <memory>
#include <span>

namespace tilewright::autotune {

/// Which trials. What is empty matches all.
struct TrialFilter {
  std::string task = {};
  /// "cuda:1", or a kind: "cuda" matches each of them.
  std::string device = {};
  std::string run = {};
  std::optional<Metric> metric = {};
  std::optional<Verdict> verdict = {};
};

/// A query for a best trial.
struct BestQuery {
  std::string task;
  /// Devices of one kind are equivalent: "cuda:1" and "cuda" are the same
  /// query.
  std::string device;
  /// As TrialRecord::hardware. Empty: that of which most is known.
  std::string hardware = {};
  /// As TrialRecord::compiler. Empty: any.
  std::string compiler = {};
};

/// A task like another one, and the best that is known of it.
struct Nearest {
  TaskRecord task;
  TrialRecord trial;
  /// The sum over all sizes of |log2(a / b)|, to nine decimals: 0 is the same
  /// shape, 1 is one size doubled.
  double distance = 0;
};

/// A database. One object is for one thread at a time; threads and processes
/// that share a file open it each. Errors of all members: the file cannot be
/// read or written, the disk is full, a row is damaged. They name the file, and
/// what was committed before stays.
class TILEWRIGHT_PRIVATE_API Database {
public:
  enum class Mode {
    /// Reads and writes; creates a missing file.
    create,
    readWrite,
    /// Writes nothing, but for undoing half a transaction that a killed writer
    /// left: without that no one can read the file.
    read,
  };

  /// Opens a file. One that is not ours, or damaged, or of a newer format, is
  /// an error, and is not touched. One of an older format is brought up to
  /// date, with `read` in a copy in memory.
  static StatusOr<Database> open(const std::filesystem::path &path, Mode mode);

  // Adding what is there already changes nothing. Errors: a number that is not
  // finite, a text that is not UTF-8 (Text.h helps), a trial of a task or run
  // that was not added.
  Status add(const TaskRecord &task);
  Status add(const RunRecord &run);
  Status add(const TrialRecord &trial);

  /// One record per task, sorted by label. Where several differ in fields
  /// outside the task's hash, the one whose label sorts first.
  StatusOr<std::vector<TaskRecord>> tasks() const;
  /// Sorted by start.
  StatusOr<std::vector<RunRecord>> runs() const;
  /// Sorted by task, device, run and sequence.
  StatusOr<std::vector<TrialRecord>>
  trials(const TrialFilter &filter = {}) const;

  /// The best trial, by the rule of Best.h.
  StatusOr<std::optional<TrialRecord>> best(const BestQuery &query) const;

  /// Of the tasks of this family and target with the same number of sizes and a
  /// best trial on `device`, the one of the least distance; of several the one
  /// whose shape sorts first.
  StatusOr<std::optional<Nearest>> nearest(const std::string &family,
                                           const std::vector<int64_t> &shape,
                                           const std::string &target,
                                           const std::string &device) const;

  /// The trials, on all devices of this kind, by another compiler or driver,
  /// but for schedules that were tried with both of the present ones since.
  StatusOr<std::vector<TrialRecord>> stale(const std::string &device,
                                           const std::string &compiler,
                                           const std::string &driver) const;

  /// Adds all rows of the files `sources`, in one transaction. Errors leave
  /// this one as it was.
  Status merge(std::span<const std::filesystem::path> sources);

  [[nodiscard]] const std::filesystem::path &path() const;

  Database(Database &&) noexcept;
  Database &operator=(Database &&) noexcept;
  ~Database();

private:
  struct State;
  explicit Database(std::unique_ptr<State> state);
  template <typename Record> Status insert(const Record &record);
  std::unique_ptr<State> state;
};

/// Merges the databases `sources` into `target`, which may be new, or one of
/// them. Errors: a source that is not ours, as of Database::open; `target` is
/// as it was then.
TILEWRIGHT_PRIVATE_API Status
mergeDatabases(const std::filesystem::path &target,
               std::span<const std::filesystem::path> sources);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_DATABASE_DATABASE_H
