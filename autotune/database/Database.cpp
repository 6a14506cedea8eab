#include "autotune/database/Database.h"

#include "autotune/database/Best.h"
#include "autotune/database/File.h"
#include "support/Format.h"
#include <algorithm>
#include <set>
#include <tuple>

namespace tilewright::autotune {

namespace fs = std::filesystem;
using sqlite::Connection;
using sqlite::Statement;

struct Database::State {
  std::unique_ptr<Connection> connection;
  /// Tasks and runs that are known to be there; they never go.
  std::set<std::string> tasks, runs;
};

Database::Database(std::unique_ptr<State> state) : state(std::move(state)) {}
Database::Database(Database &&) noexcept = default;
Database &Database::operator=(Database &&) noexcept = default;
Database::~Database() = default;

const fs::path &Database::path() const { return state->connection->path(); }

/// "key, task, run, ..".
template <typename Record> static std::string columnList() {
  std::string list = "key";
  for (const Column &column : columnsOf<Record>())
    list += ", " + std::string(column.name);
  return list;
}

template <typename Record>
static std::string select(const std::string &condition = "") {
  return format("SELECT {} FROM {}{}",
                {columnList<Record>(), tableName<Record>(),
                 condition.empty() ? "" : " WHERE " + condition});
}

template <typename Record> static std::string insertion() {
  std::string places = "?";
  for (size_t i = 0; i < columnsOf<Record>().size(); ++i)
    places += ", ?";
  return format("INSERT INTO {} ({}) VALUES ({}) ON CONFLICT (key) DO NOTHING",
                {tableName<Record>(), columnList<Record>(), places});
}

/// A file may have our mark and other tables.
template <typename Record> static Status checkTable(const Connection &file) {
  Status status = file.prepare(select<Record>()).status();
  if (status.code() != StatusCode::internal)
    return status;
  return Status::invalidInput(
      format("'{}' is damaged: its table '{}' is not as expected; take a copy "
             "that is whole, or begin a new database",
             {file.path().string(), tableName<Record>()}));
}

StatusOr<Database> Database::open(const fs::path &path, Mode mode) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto connection,
                              openFile(path, mode, presentFormat()));
  TILEWRIGHT_RETURN_IF_ERROR(checkTable<TaskRecord>(*connection));
  TILEWRIGHT_RETURN_IF_ERROR(checkTable<RunRecord>(*connection));
  TILEWRIGHT_RETURN_IF_ERROR(checkTable<TrialRecord>(*connection));
  auto state = std::make_unique<State>();
  state->connection = std::move(connection);
  return Database(std::move(state));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

template <typename Record> Status Database::insert(const Record &record) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<Cell> cells, toCells(record));
  cells.insert(cells.begin(), keyOf(cells));
  // One statement is a transaction, and is safe on the disk when it returns.
  TILEWRIGHT_ASSIGN_OR_RETURN(Statement statement,
                              state->connection->prepare(insertion<Record>()));
  TILEWRIGHT_RETURN_IF_ERROR(statement.bind(cells));
  return statement.step().status();
}

Status Database::add(const TaskRecord &task) { return insert(task); }
Status Database::add(const RunRecord &run) { return insert(run); }

/// Whether `table` has a row with this value; caches a positive answer.
static StatusOr<bool> has(const Connection &file, std::set<std::string> &known,
                          const std::string &table, const std::string &column,
                          const std::string &value) {
  if (known.contains(value))
    return true;
  std::vector<Cell> cells = {value};
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto rows, file.rows(format("SELECT 1 FROM {} WHERE {} = ? LIMIT 1",
                                  {table, column}),
                           cells));
  if (!rows.empty())
    known.insert(value);
  return !rows.empty();
}

Status Database::add(const TrialRecord &trial) {
  const Connection &file = *state->connection;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      bool hasTask, has(file, state->tasks, "tasks", "task", trial.task));
  TILEWRIGHT_ASSIGN_OR_RETURN(bool hasRun,
                              has(file, state->runs, "runs", "run", trial.run));
  if (!hasTask || !hasRun)
    return Status::invalidInput(
        format("'{}': a trial of the {}', which is not in it; it has to be "
               "added first",
               {path().string(),
                hasTask ? "run '" + trial.run : "task '" + trial.task}));
  return insert(trial);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Checks that a row is what was written.
template <typename Record>
static StatusOr<Record> recordOf(const Connection &file,
                                 const std::vector<Cell> &row) {
  std::span<const Cell> cells = std::span(row).subspan(1);
  StatusOr<Record> record = fromCells<Record>(cells);
  std::string why;
  if (!record.ok())
    why = record.status().message();
  else if (row[0] != Cell(keyOf(cells)))
    why = format(
        "a row of {} was changed: its key '{}' is not the hash of its fields",
        {tableName<Record>(), cellText(row[0])});
  if (why.empty())
    return record;
  return Status::invalidInput(format(
      "'{}' is damaged: {}; delete that row, or take a copy that is whole",
      {file.path().string(), why}));
}

template <typename Record>
static StatusOr<std::vector<Record>> read(const Connection &file,
                                          const std::string &sql,
                                          std::span<const Cell> cells = {}) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Statement statement, file.prepare(sql));
  TILEWRIGHT_RETURN_IF_ERROR(statement.bind(cells));
  std::vector<Record> records;
  while (true) {
    TILEWRIGHT_ASSIGN_OR_RETURN(bool isRow, statement.step());
    if (!isRow)
      return records;
    TILEWRIGHT_ASSIGN_OR_RETURN(Record record,
                                recordOf<Record>(file, statement.row()));
    records.push_back(std::move(record));
  }
}

/// Keeps the first of records that have the same value in `field`.
template <typename Record>
static void keepFirst(std::vector<Record> &records,
                      std::string Record::*field) {
  std::set<std::string> seen;
  std::erase_if(records, [&](const Record &record) {
    return !seen.insert(record.*field).second;
  });
}

StatusOr<std::vector<TaskRecord>> Database::tasks() const {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto records,
      read<TaskRecord>(*state->connection,
                       select<TaskRecord>() + " ORDER BY label, task, key"));
  keepFirst(records, &TaskRecord::task);
  return records;
}

StatusOr<std::vector<RunRecord>> Database::runs() const {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto records,
      read<RunRecord>(*state->connection, select<RunRecord>() +
                                              " ORDER BY started, run, "
                                              "key"));
  keepFirst(records, &RunRecord::run);
  return records;
}

StatusOr<std::vector<TrialRecord>>
Database::trials(const TrialFilter &filter) const {
  std::string condition = "1";
  std::vector<Cell> cells;
  auto require = [&](const char *column, const std::string &value) {
    if (value.empty())
      return;
    condition += format(" AND {} = ?", {column});
    cells.emplace_back(value);
  };
  require("task", filter.task);
  require("run", filter.run);
  if (filter.metric)
    require("metric", std::string(metricName(*filter.metric)));
  if (filter.verdict)
    require("verdict", std::string(verdictName(*filter.verdict)));
  if (!filter.device.empty()) {
    condition += " AND (device = ? OR substr(device, 1, length(?)) = ?)";
    cells.emplace_back(filter.device);
    cells.insert(cells.end(), 2, filter.device + ":");
  }
  return read<TrialRecord>(*state->connection,
                           select<TrialRecord>(condition) +
                               " ORDER BY task, device, run, sequence, key",
                           cells);
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

StatusOr<std::optional<TrialRecord>>
Database::best(const BestQuery &query) const {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto found, trials({.task = query.task,
                          .device = std::string(deviceKind(query.device))}));
  std::erase_if(found, [&](const TrialRecord &trial) {
    return (!query.hardware.empty() && trial.hardware != query.hardware) ||
           (!query.compiler.empty() && trial.compiler != query.compiler);
  });
  std::optional<size_t> index = bestTrial(found);
  if (!index)
    return std::optional<TrialRecord>();
  return std::optional(std::move(found[*index]));
}

StatusOr<std::optional<Nearest>>
Database::nearest(const std::string &family, const std::vector<int64_t> &shape,
                  const std::string &target, const std::string &device) const {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto all, tasks());
  std::vector<std::pair<double, const TaskRecord *>> near;
  for (const TaskRecord &task : all)
    if (task.family == family && task.target == target)
      if (std::optional<double> far = distance(task.shape, shape))
        near.emplace_back(*far, &task);
  std::ranges::sort(near, std::ranges::less(), [](const auto &entry) {
    return std::tie(entry.first, entry.second->shape, entry.second->task);
  });
  for (const auto &[far, task] : near) {
    TILEWRIGHT_ASSIGN_OR_RETURN(auto trial, best({task->task, device}));
    if (trial)
      return std::optional(Nearest{*task, *std::move(trial), far});
  }
  return std::optional<Nearest>();
}

StatusOr<std::vector<TrialRecord>>
Database::stale(const std::string &device, const std::string &compiler,
                const std::string &driver) const {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto found, trials({.device = std::string(deviceKind(device))}));
  auto isPresent = [&](const TrialRecord &trial) {
    return trial.compiler == compiler && trial.driver == driver;
  };
  auto what = [](const TrialRecord &trial) {
    return std::tuple(trial.task, trial.hardware, trial.metric, trial.schedule);
  };
  std::set<decltype(what(found[0]))> present;
  for (const TrialRecord &trial : found)
    if (isPresent(trial))
      present.insert(what(trial));
  std::erase_if(found, [&](const TrialRecord &trial) {
    return present.contains(what(trial));
  });
  return found;
}

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

/// Adds all rows of a table of `source` to that of `target`.
template <typename Record>
static Status copyRows(const Connection &source, const Connection &target) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Statement rows, source.prepare(select<Record>()));
  TILEWRIGHT_ASSIGN_OR_RETURN(Statement insert,
                              target.prepare(insertion<Record>()));
  while (true) {
    TILEWRIGHT_ASSIGN_OR_RETURN(bool isRow, rows.step());
    if (!isRow)
      return {};
    std::vector<Cell> row = rows.row();
    TILEWRIGHT_RETURN_IF_ERROR(recordOf<Record>(source, row).status());
    TILEWRIGHT_RETURN_IF_ERROR(insert.bind(row));
    TILEWRIGHT_RETURN_IF_ERROR(insert.step().status());
  }
}

Status Database::merge(std::span<const fs::path> sources) {
  // All are opened before anything is written.
  std::vector<Database> opened;
  for (const fs::path &path : sources) {
    TILEWRIGHT_ASSIGN_OR_RETURN(Database source, open(path, Mode::read));
    std::error_code error;
    if (!fs::equivalent(path, this->path(), error))
      opened.push_back(std::move(source));
  }
  Connection &target = *state->connection;
  TILEWRIGHT_ASSIGN_OR_RETURN(auto transaction,
                              sqlite::Transaction::begin(target));
  for (const Database &source : opened) {
    const Connection &file = *source.state->connection;
    TILEWRIGHT_RETURN_IF_ERROR(copyRows<TaskRecord>(file, target));
    TILEWRIGHT_RETURN_IF_ERROR(copyRows<RunRecord>(file, target));
    TILEWRIGHT_RETURN_IF_ERROR(copyRows<TrialRecord>(file, target));
  }
  return transaction.commit();
}

Status mergeDatabases(const fs::path &target,
                      std::span<const fs::path> sources) {
  // A source that is not ours must not lead to a new file.
  for (const fs::path &path : sources)
    TILEWRIGHT_RETURN_IF_ERROR(
        Database::open(path, Database::Mode::read).status());
  std::error_code error;
  bool isNew = !fs::exists(target, error);
  TILEWRIGHT_ASSIGN_OR_RETURN(Database database,
                              Database::open(target, Database::Mode::create));
  Status status = database.merge(sources);
  if (!status.ok() && isNew)
    fs::remove(target, error);
  return status;
}

} // namespace tilewright::autotune
