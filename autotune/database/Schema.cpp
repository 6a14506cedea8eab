#include "autotune/database/Schema.h"
#include "support/Format.h"

namespace tilewright::autotune {

/// A table whose rows are keyed by a hash of their fields: adding an existing
/// row changes nothing, and a union of files is a union of rows.
template <typename Record> static std::string tableOf() {
  std::string sql = format(
      "CREATE TABLE {} (\n"
      "  key TEXT PRIMARY KEY NOT NULL, -- a hash of all other columns\n",
      {tableName<Record>()});
  const std::vector<Column> &columns = columnsOf<Record>();
  for (const Column &column : columns) {
    bool isLast = &column == &columns.back();
    sql += format("  {} {} NOT NULL{}",
                  {column.name, column.type, isLast ? "" : ","});
    if (!column.note.empty())
      sql += " -- " + std::string(column.note);
    sql += "\n";
  }
  return sql + ") STRICT;\n";
}

// For people with sqlite3 at hand. The rule of `tilewright tune best` also uses
// launches in pairs.
static constexpr std::string_view views = R"sql(
CREATE INDEX tasksByTask ON tasks (task);
CREATE INDEX runsByRun ON runs (run);
CREATE INDEX trialsByTask ON trials (task, device, run, sequence);
-- The schedule of the least median for each task, device and metric, where of
-- each schedule the latest trial counts, and only if it is ok.
CREATE VIEW best AS
  SELECT (SELECT min(label) FROM tasks WHERE tasks.task = ranked.task) AS label,
         device, hardware, metric, schedule, median, low, high, modelled,
         origin, started, task, key
  FROM (SELECT *, row_number() OVER (
          PARTITION BY task, device, hardware, metric
          ORDER BY median, schedule, key) AS place
        FROM (SELECT *, row_number() OVER (
                PARTITION BY task, device, hardware, metric, schedule
                ORDER BY started DESC, run DESC, sequence DESC, key DESC) AS age
              FROM trials)
        WHERE age = 1 AND verdict = 'ok') AS ranked
  WHERE place = 1;
-- How often each verdict and reason occurred.
CREATE VIEW verdicts AS
  SELECT (SELECT min(label) FROM tasks WHERE tasks.task = trials.task) AS label,
         device, verdict, reason, count(*) AS trials, task
  FROM trials GROUP BY task, device, verdict, reason;
)sql";

const Format &presentFormat() {
  static const Format format{
      .version = 1,
      .schema = tableOf<TaskRecord>() + tableOf<RunRecord>() +
                tableOf<TrialRecord>() + std::string(views),
      .migrations = {},
  };
  return format;
}

StatusOr<std::string> emptyFile(const Format &format) {
  using sqlite::Connection;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto memory,
      Connection::open("a new database", Connection::Access::memory));
  TILEWRIGHT_RETURN_IF_ERROR(memory->run(
      tilewright::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                         {applicationId, format.version})));
  TILEWRIGHT_RETURN_IF_ERROR(memory->run(format.schema));
  return memory->serialize();
}

static StatusOr<uint32_t> versionOf(const sqlite::Connection &connection) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto rows,
                              connection.rows("PRAGMA user_version"));
  return uint32_t(std::get<int64_t>(rows.at(0).at(0)));
}

Status migrate(sqlite::Connection &connection, const Format &format) {
  TILEWRIGHT_ASSIGN_OR_RETURN(uint32_t version, versionOf(connection));
  if (version == format.version)
    return {};
  TILEWRIGHT_ASSIGN_OR_RETURN(auto transaction,
                              sqlite::Transaction::begin(connection));
  // Another process may have done it meanwhile.
  TILEWRIGHT_ASSIGN_OR_RETURN(version, versionOf(connection));
  for (; version < format.version; ++version)
    TILEWRIGHT_RETURN_IF_ERROR(
        connection.run(format.migrations.at(version - 1)));
  TILEWRIGHT_RETURN_IF_ERROR(connection.run(
      tilewright::format("PRAGMA user_version = {}", {version})));
  return transaction.commit();
}

} // namespace tilewright::autotune
