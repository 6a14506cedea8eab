// SQLite with errors as values; private to this folder's sources and tests.
#ifndef TILEWRIGHT_AUTOTUNE_DATABASE_SQLITE_H
#define TILEWRIGHT_AUTOTUNE_DATABASE_SQLITE_H

#include "autotune/database/Cells.h"
#include <filesystem>
#include <memory>

struct sqlite3;
struct sqlite3_stmt;

namespace tilewright::autotune::sqlite {

class Connection;

/// A prepared statement. Must not outlive its connection.
class Statement {
public:
  /// Clears the bindings and restarts with `cells`.
  Status bind(std::span<const Cell> cells);
  /// Whether there is a row; the statement is at its end where there is none.
  StatusOr<bool> step();
  /// Lets go of the file, so that others may write.
  void reset();
  /// The columns of the row; a NULL or a BLOB reads as empty text, which no
  /// number's column expects.
  [[nodiscard]] std::vector<Cell> row() const;

private:
  friend class Connection;
  struct Finalize {
    void operator()(sqlite3_stmt *statement) const;
  };
  Statement(const Connection *connection, sqlite3_stmt *statement)
      : connection(connection), statement(statement) {}
  const Connection *connection;
  std::unique_ptr<sqlite3_stmt, Finalize> statement;
};

/// An open file. One thread at a time.
class Connection {
public:
  enum class Access { read, write, memory };
  /// Opens a file that is there; with `memory` an empty database in memory,
  /// which `path` is only the name of.
  static StatusOr<std::unique_ptr<Connection>>
  open(const std::filesystem::path &path, Access access);

  /// Runs statements without result rows.
  Status run(const std::string &sql);
  StatusOr<Statement> prepare(const std::string &sql) const;
  /// All rows of one statement.
  StatusOr<std::vector<std::vector<Cell>>>
  rows(const std::string &sql, std::span<const Cell> cells = {}) const;
  /// The bytes that a file with this content has.
  StatusOr<std::string> serialize() const;
  /// Replaces everything by the contents of `source`.
  Status copyFrom(const Connection &source);

  /// What the last call on this connection failed with, as a sentence about
  /// the file.
  [[nodiscard]] Status failure(int code) const;
  [[nodiscard]] const std::filesystem::path &path() const { return where; }
  [[nodiscard]] sqlite3 *handle() const { return connection.get(); }

private:
  struct Close {
    void operator()(sqlite3 *connection) const;
  };
  Connection(std::filesystem::path where, sqlite3 *connection)
      : where(std::move(where)), connection(connection) {}
  std::filesystem::path where;
  std::unique_ptr<sqlite3, Close> connection;
};

/// All or nothing: what was not committed is undone at the end of the scope.
class Transaction {
public:
  /// Waits until no one else writes.
  static StatusOr<Transaction> begin(Connection &connection);
  Status commit();

  Transaction(Transaction &&other) noexcept
      : connection(std::exchange(other.connection, nullptr)) {}
  Transaction(const Transaction &) = delete;
  Transaction &operator=(const Transaction &) = delete;
  Transaction &operator=(Transaction &&) = delete;
  ~Transaction();

private:
  explicit Transaction(Connection &connection) : connection(&connection) {}
  Connection *connection;
};

} // namespace tilewright::autotune::sqlite

#endif // TILEWRIGHT_AUTOTUNE_DATABASE_SQLITE_H
