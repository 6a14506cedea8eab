// The tables of a database, and how older files become like the present ones;
// private to this folder's sources and tests.
#ifndef TILEWRIGHT_AUTOTUNE_DATABASE_SCHEMA_H
#define TILEWRIGHT_AUTOTUNE_DATABASE_SCHEMA_H

#include "autotune/database/Sqlite.h"

namespace tilewright::autotune {

/// "TWtu", in the header of each of our files.
constexpr uint32_t applicationId = 0x54577475;

/// What a file of the present version is, and what leads to it.
struct Format {
  /// Of the header's user_version.
  uint32_t version = 1;
  /// Makes tables and views in an empty database.
  std::string schema;
  /// The statements that make version i + 2 of version i + 1.
  std::vector<std::string> migrations;
};

/// What this build writes. There was no version before 1.
[[nodiscard]] const Format &presentFormat();

/// The bytes of a file without rows.
StatusOr<std::string> emptyFile(const Format &format);

/// Brings an older database up to `format`, in one transaction. One that is
/// present stays untouched.
Status migrate(sqlite::Connection &connection, const Format &format);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_DATABASE_SCHEMA_H
