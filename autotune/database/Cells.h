// Records as rows of plain cells. The fields of each record are listed once, in
// Cells.cpp: tables, keys, exports and tests are made from that list.
#ifndef TILEWRIGHT_AUTOTUNE_DATABASE_CELLS_H
#define TILEWRIGHT_AUTOTUNE_DATABASE_CELLS_H

#include "autotune/database/Trial.h"
#include "tilewright/support/Status.h"
#include <span>
#include <string_view>
#include <variant>

namespace tilewright::autotune {

/// A column's value; the alternatives are SQLite's TEXT, INTEGER and REAL.
using Cell = std::variant<std::string, int64_t, double>;

struct Column {
  /// As in the struct.
  std::string_view name;
  /// "TEXT", "INTEGER" or "REAL".
  std::string_view type;
  /// Its meaning, with its unit, in a few words.
  std::string_view note;
};

// `Record` is TaskRecord, RunRecord or TrialRecord.

/// The table's name: "tasks", "runs", "trials".
template <typename Record> [[nodiscard]] std::string_view tableName();
/// The columns, in the order of the struct's fields.
template <typename Record> [[nodiscard]] const std::vector<Column> &columnsOf();

/// The fields as cells. Errors: a number that is not finite, a text that is not
/// UTF-8 or has a zero byte; they name the field.
template <typename Record>
StatusOr<std::vector<Cell>> toCells(const Record &record);

/// The record of `cells`, which toCells() made. Errors: another number or type
/// of cells, a verdict, metric, shape or seed that is none.
template <typename Record>
StatusOr<Record> fromCells(std::span<const Cell> cells);

/// A hash of all cells, in 32 hexadecimal digits: equal rows, and in practice
/// no others, have the same key.
[[nodiscard]] std::string keyOf(std::span<const Cell> cells);

/// A cell as text; a number is the shortest that reads back as the same.
[[nodiscard]] std::string cellText(const Cell &cell);

/// "512x64"; the empty text for no sizes.
[[nodiscard]] std::string shapeText(std::span<const int64_t> shape);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_DATABASE_CELLS_H
