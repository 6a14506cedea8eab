#include "autotune/database/Sqlite.h"
#include "support/Format.h"

#include <sqlite3.h>

namespace tilewright::autotune::sqlite {

// How long a writer waits for others. A transaction takes milliseconds, those
// of a merge a few seconds.
static constexpr int busyMilliseconds = 60'000;

void Statement::Finalize::operator()(sqlite3_stmt *statement) const {
  sqlite3_finalize(statement);
}
void Connection::Close::operator()(sqlite3 *connection) const {
  sqlite3_close(connection);
}

//===----------------------------------------------------------------------===//
// Statement
//===----------------------------------------------------------------------===//

Status Statement::bind(std::span<const Cell> cells) {
  reset();
  for (size_t i = 0; i < cells.size(); ++i) {
    int code = 0, index = int(i) + 1;
    if (const auto *text = std::get_if<std::string>(&cells[i]))
      code = sqlite3_bind_text64(statement.get(), index, text->data(),
                                 text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    else if (const auto *integer = std::get_if<int64_t>(&cells[i]))
      code = sqlite3_bind_int64(statement.get(), index, *integer);
    else
      code = sqlite3_bind_double(statement.get(), index,
                                 std::get<double>(cells[i]));
    if (code != SQLITE_OK)
      return connection->failure(code);
  }
  return {};
}

StatusOr<bool> Statement::step() {
  int code = sqlite3_step(statement.get());
  if (code == SQLITE_ROW)
    return true;
  Status status = code == SQLITE_DONE ? Status() : connection->failure(code);
  reset();
  if (!status.ok())
    return status;
  return false;
}

void Statement::reset() {
  // Its code repeats that of the step before, which was reported.
  sqlite3_reset(statement.get());
}

std::vector<Cell> Statement::row() const {
  std::vector<Cell> cells;
  for (int i = 0; i < sqlite3_column_count(statement.get()); ++i) {
    int type = sqlite3_column_type(statement.get(), i);
    if (type == SQLITE_INTEGER) {
      cells.emplace_back(sqlite3_column_int64(statement.get(), i));
    } else if (type == SQLITE_FLOAT) {
      cells.emplace_back(sqlite3_column_double(statement.get(), i));
    } else if (type == SQLITE_TEXT) {
      const auto *text = sqlite3_column_text(statement.get(), i);
      cells.emplace_back(
          std::string(reinterpret_cast<const char *>(text),
                      size_t(sqlite3_column_bytes(statement.get(), i))));
    } else {
      cells.emplace_back(std::string());
    }
  }
  return cells;
}

//===----------------------------------------------------------------------===//
// Connection
//===----------------------------------------------------------------------===//

StatusOr<std::unique_ptr<Connection>>
Connection::open(const std::filesystem::path &path, Access access) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  std::string name = ":memory:";
  if (access == Access::memory) {
    flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY;
  } else {
    flags |=
        access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    // Not relative: some names have a special meaning in SQLite.
    std::error_code error;
    name = std::filesystem::absolute(path, error).string();
    if (error)
      return Status::ioError(
          format("cannot open '{}': {}", {path.string(), error.message()}));
  }
  sqlite3 *handle = nullptr;
  int code = sqlite3_open_v2(name.c_str(), &handle, flags, nullptr);
  std::unique_ptr<Connection> connection(new Connection(path, handle));
  if (code != SQLITE_OK)
    return connection->failure(code);
  sqlite3_busy_timeout(handle, busyMilliseconds);
  // What is in a file is data: no functions are called from its schema.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  if (access == Access::write && sqlite3_db_readonly(handle, "main") == 1)
    return Status::ioError(
        format("cannot write '{}': it may only be read", {path.string()}));
  return connection;
}

Status Connection::run(const std::string &sql) {
  int code =
      sqlite3_exec(connection.get(), sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Status() : failure(code);
}

StatusOr<Statement> Connection::prepare(const std::string &sql) const {
  sqlite3_stmt *statement = nullptr;
  int code = sqlite3_prepare_v3(connection.get(), sql.c_str(), int(sql.size()),
                                0, &statement, nullptr);
  if (code != SQLITE_OK)
    return failure(code);
  return Statement(this, statement);
}

StatusOr<std::vector<std::vector<Cell>>>
Connection::rows(const std::string &sql, std::span<const Cell> cells) const {
  TILEWRIGHT_ASSIGN_OR_RETURN(Statement statement, prepare(sql));
  TILEWRIGHT_RETURN_IF_ERROR(statement.bind(cells));
  std::vector<std::vector<Cell>> rows;
  while (true) {
    TILEWRIGHT_ASSIGN_OR_RETURN(bool isRow, statement.step());
    if (!isRow)
      return rows;
    rows.push_back(statement.row());
  }
}

StatusOr<std::string> Connection::serialize() const {
  sqlite3_int64 size = 0;
  std::unique_ptr<unsigned char, void (*)(void *)> bytes(
      sqlite3_serialize(connection.get(), "main", &size, 0), sqlite3_free);
  if (!bytes)
    return failure(SQLITE_NOMEM);
  return std::string(reinterpret_cast<const char *>(bytes.get()), size_t(size));
}

Status Connection::copyFrom(const Connection &source) {
  sqlite3_backup *backup =
      sqlite3_backup_init(connection.get(), "main", source.handle(), "main");
  if (!backup)
    return failure(sqlite3_errcode(connection.get()));
  int code = sqlite3_backup_step(backup, -1);
  sqlite3_backup_finish(backup);
  return code == SQLITE_DONE ? Status() : source.failure(code);
}

Status Connection::failure(int code) const {
  std::string file = format("'{}'", {where.string()});
  std::string why = sqlite3_errstr(code);
  switch (code & 0xff) {
  case SQLITE_FULL:
    return Status::ioError(format(
        "cannot write {}: the disk is full; the file is as it was", {file}));
  case SQLITE_IOERR:
    return Status::ioError(
        format("cannot read or write {}: {} (SQLite's code {}); what was "
               "committed before is not touched",
               {file, why, code}));
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return Status::ioError(format("{} is in use: another process has been "
                                  "writing it for {} s; try again when it ends",
                                  {file, busyMilliseconds / 1000}));
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB:
    return Status::invalidInput(format("{} is damaged ({}); take a copy that "
                                       "is whole, or begin a new database",
                                       {file, why}));
  case SQLITE_READONLY:
    if (code == SQLITE_READONLY_ROLLBACK)
      return Status::ioError(file +
                             " holds half of what a killed process wrote; open "
                             "it once where it may be written, which undoes "
                             "that");
    return Status::ioError(format("cannot write {}: {}", {file, why}));
  case SQLITE_CANTOPEN:
  case SQLITE_PERM:
  case SQLITE_AUTH:
    return Status::ioError(
        format("cannot open {}, or the journal beside it: {}", {file, why}));
  case SQLITE_NOMEM:
    return Status::resourceExhausted(file + ": out of memory");
  default:
    return Status::internal(format(
        "{}: {}",
        {file, connection ? sqlite3_errmsg(connection.get()) : why.c_str()}));
  }
}

//===----------------------------------------------------------------------===//
// Transaction
//===----------------------------------------------------------------------===//

StatusOr<Transaction> Transaction::begin(Connection &connection) {
  TILEWRIGHT_RETURN_IF_ERROR(connection.run("BEGIN IMMEDIATE"));
  return Transaction(connection);
}

Status Transaction::commit() {
  TILEWRIGHT_RETURN_IF_ERROR(connection->run("COMMIT"));
  connection = nullptr;
  return {};
}

Transaction::~Transaction() {
  // After some errors SQLite has undone it already.
  if (connection && !sqlite3_get_autocommit(connection->handle()))
    (void)connection->run("ROLLBACK");
}

} // namespace tilewright::autotune::sqlite
