#include "autotune/database/Cells.h"

#include "autotune/database/Text.h"
#include "runtime/core/Hash.h"
#include "support/Format.h"
#include <charconv>
#include <cmath>

namespace tilewright::autotune {

/// Calls visit(name, note, field) for each field, in the order of the struct.
template <typename Visit> static void visitFields(TaskRecord &r, Visit visit) {
  visit("task", "of kernel, shape and target", r.task);
  visit("family", "of the kernel without its sizes", r.family);
  visit("label", "for people", r.label);
  visit("target", "sm_90a, cpu, ..", r.target);
  visit("shape", "the sizes", r.shape);
  visit("code", "the kernel", r.code);
  visit("arguments", "the shapes of the arguments", r.arguments);
}

template <typename Visit> static void visitFields(RunRecord &r, Visit visit) {
  visit("run", "new for each run", r.run);
  visit("command", "the command line", r.command);
  visit("version", "of Tilewright", r.version);
  visit("compiler", "identity of the build", r.compiler);
  visit("host", "name of the machine", r.host);
  visit("started", "UTC", r.started);
  visit("seed", "of the search", r.seed);
  visit("shard", "which part of how many", r.shard);
}

template <typename Visit> static void visitFields(TrialRecord &r, Visit visit) {
  visit("task", "tasks.task", r.task);
  visit("run", "runs.run", r.run);
  visit("sequence", "place in its run, from 0", r.sequence);
  visit("schedule", "key=value ..", r.schedule);
  visit("origin", "who proposed it", r.origin);
  visit("device", "cpu, emulator, cuda:0, ..", r.device);
  visit("hardware", "what the device is", r.hardware);
  visit("driver", "of the device", r.driver);
  visit("compiler", "identity of the build", r.compiler);
  visit("metric", "time, counters or model: never compare two", r.metric);
  visit("verdict", "ok, or what went wrong", r.verdict);
  visit("reason", "why it went wrong", r.reason);
  visit("samples", "launches that were timed", r.samples);
  visit("median", "ns", r.median);
  visit("low", "ns, 95 % confidence interval of the median", r.low);
  visit("high", "ns", r.high);
  visit("least", "ns", r.least);
  visit("deviation", "ns, standard deviation", r.deviation);
  visit("ratio", "time over that of against, in pairs", r.ratio);
  visit("ratioLow", "99.8 % confidence interval of ratio", r.ratioLow);
  visit("ratioHigh", "", r.ratioHigh);
  visit("against", "the schedule that ratio compares with", r.against);
  visit("modelled", "ns, by the model", r.modelled);
  visit("terms", "the model's terms, JSON", r.terms);
  visit("started", "UTC", r.started);
  visit("seconds", "s, in all", r.seconds);
  visit("measuring", "s, of launches", r.measuring);
}

//===----------------------------------------------------------------------===//
// Fields that are not cells as they are
//===----------------------------------------------------------------------===//

// Zero has one sign in a database, so that equal records are equal rows.
static Cell toCell(double value) { return value + 0.0; }
static Cell toCell(int64_t value) { return value; }
static Cell toCell(const std::string &value) { return value; }
static Cell toCell(Metric value) { return std::string(metricName(value)); }
static Cell toCell(Verdict value) { return std::string(verdictName(value)); }
// Text, because SQLite's integers end at 2^63 - 1.
static Cell toCell(uint64_t value) { return std::to_string(value); }
static Cell toCell(const std::vector<int64_t> &shape) {
  return shapeText(shape);
}

template <typename T>
static bool readNumber(std::string_view &text, T &value, char end) {
  auto [at, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc())
    return false;
  text.remove_prefix(size_t(at - text.data()));
  if (text.empty())
    return true;
  if (text[0] != end || text.size() == 1)
    return false;
  text.remove_prefix(1);
  return true;
}

static bool read(const Cell &cell, double &value) {
  const auto *found = std::get_if<double>(&cell);
  value = found ? *found : 0;
  return found && std::isfinite(*found);
}
static bool read(const Cell &cell, int64_t &value) {
  const auto *found = std::get_if<int64_t>(&cell);
  value = found ? *found : 0;
  return found;
}
static bool read(const Cell &cell, std::string &value) {
  const auto *found = std::get_if<std::string>(&cell);
  value = found ? *found : "";
  return found;
}
template <typename T>
static bool readNamed(const Cell &cell, T &value,
                      std::optional<T> (*named)(std::string_view)) {
  const auto *text = std::get_if<std::string>(&cell);
  std::optional<T> found = text ? named(*text) : std::nullopt;
  value = found.value_or(T());
  return found.has_value();
}
static bool read(const Cell &cell, Metric &value) {
  return readNamed(cell, value, metricNamed);
}
static bool read(const Cell &cell, Verdict &value) {
  return readNamed(cell, value, verdictNamed);
}
static bool read(const Cell &cell, uint64_t &value) {
  const auto *found = std::get_if<std::string>(&cell);
  if (!found)
    return false;
  std::string_view text = *found;
  return readNumber(text, value, '\0') && text.empty();
}
static bool read(const Cell &cell, std::vector<int64_t> &shape) {
  const auto *found = std::get_if<std::string>(&cell);
  if (!found)
    return false;
  shape.clear();
  for (std::string_view text = *found; !text.empty();)
    if (!readNumber(text, shape.emplace_back(), 'x'))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

template <> std::string_view tableName<TaskRecord>() { return "tasks"; }
template <> std::string_view tableName<RunRecord>() { return "runs"; }
template <> std::string_view tableName<TrialRecord>() { return "trials"; }

template <typename Record> const std::vector<Column> &columnsOf() {
  static const std::vector<Column> columns = [] {
    static constexpr std::string_view types[] = {"TEXT", "INTEGER", "REAL"};
    std::vector<Column> columns;
    Record record;
    visitFields(record, [&](const char *name, const char *note, auto &field) {
      columns.push_back({name, types[toCell(field).index()], note});
    });
    return columns;
  }();
  return columns;
}

/// Why a database cannot hold `cell`; empty if it can.
static std::string rejection(const Cell &cell) {
  const auto *number = std::get_if<double>(&cell);
  if (number && !std::isfinite(*number))
    return "expected a finite number, found " + cellText(cell);
  const auto *text = std::get_if<std::string>(&cell);
  if (text && cleanText(*text) != *text)
    return "expected UTF-8 without zero bytes";
  return "";
}

template <typename Record>
StatusOr<std::vector<Cell>> toCells(const Record &record) {
  std::vector<Cell> cells;
  Status status;
  // One list serves reading and writing; here nothing is written.
  visitFields(const_cast<Record &>(record), [&](const char *name, const char *,
                                                const auto &field) {
    cells.push_back(toCell(field));
    std::string why = rejection(cells.back());
    if (!why.empty() && status.ok())
      status = Status::invalidInput(
          format("a record of {}: {}: {}", {tableName<Record>(), name, why}));
  });
  if (!status.ok())
    return status;
  return cells;
}

/// A schedule with the present name of the parameter `vector_bits`, which rows
/// of the first release call `access`.
static void renameParameters(std::string &schedule) {
  static constexpr std::string_view old = "access=", present = "vector_bits=";
  for (size_t at = 0; (at = schedule.find(old, at)) != std::string::npos;
       at += old.size())
    if (at == 0 || schedule[at - 1] == ' ')
      schedule.replace(at, old.size(), present);
}
static void renameParameters(TaskRecord &) {}
static void renameParameters(RunRecord &) {}
static void renameParameters(TrialRecord &record) {
  renameParameters(record.schedule);
  renameParameters(record.against);
}

template <typename Record>
StatusOr<Record> fromCells(std::span<const Cell> cells) {
  size_t expected = columnsOf<Record>().size();
  if (cells.size() != expected)
    return Status::invalidInput(format("expected a row of {} cells, found {}",
                                       {expected, cells.size()}));
  Record record;
  Status status;
  size_t next = 0;
  visitFields(record, [&](const char *name, const char *, auto &field) {
    const Cell &cell = cells[next++];
    if (!read(cell, field) && status.ok())
      status = Status::invalidInput(
          format("a row of {} has in '{}' the value '{}', which is not one",
                 {tableName<Record>(), name, cellText(cell)}));
  });
  if (!status.ok())
    return status;
  renameParameters(record);
  return record;
}

template const std::vector<Column> &columnsOf<TaskRecord>();
template const std::vector<Column> &columnsOf<RunRecord>();
template const std::vector<Column> &columnsOf<TrialRecord>();
template StatusOr<std::vector<Cell>> toCells(const TaskRecord &);
template StatusOr<std::vector<Cell>> toCells(const RunRecord &);
template StatusOr<std::vector<Cell>> toCells(const TrialRecord &);
template StatusOr<TaskRecord> fromCells(std::span<const Cell>);
template StatusOr<RunRecord> fromCells(std::span<const Cell>);
template StatusOr<TrialRecord> fromCells(std::span<const Cell>);

std::string keyOf(std::span<const Cell> cells) {
  // Kind and length precede each cell: no two rows have the same bytes.
  std::string bytes;
  for (const Cell &cell : cells) {
    std::string text = cellText(cell);
    bytes += format("{}{}:{}", {"tir"[cell.index()], text.size(), text});
  }
  static constexpr char digits[] = "0123456789abcdef";
  std::string key;
  for (uint64_t seed : {uint64_t(0), uint64_t(0x9e3779b97f4a7c15)}) {
    uint64_t hash = runtime::xxh64(std::as_bytes(std::span(bytes)), seed);
    for (int shift = 60; shift >= 0; shift -= 4)
      key += digits[hash >> shift & 15];
  }
  return key;
}

std::string cellText(const Cell &cell) {
  if (const auto *text = std::get_if<std::string>(&cell))
    return *text;
  if (const auto *integer = std::get_if<int64_t>(&cell))
    return std::to_string(*integer);
  return formatShortest(std::get<double>(cell));
}

std::string shapeText(std::span<const int64_t> shape) {
  return joined(shape, "x");
}

} // namespace tilewright::autotune
