#include "autotune/database/Export.h"

#include "autotune/database/Cells.h"
#include "runtime/abi/Json.h"

namespace tilewright::autotune {

using runtime::Json;

std::string trialKey(const TrialRecord &trial) {
  StatusOr<std::vector<Cell>> cells = toCells(trial);
  return cells.ok() ? keyOf(*cells) : "";
}

static std::string quoted(const std::string &text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string exportCsv(std::span<const TrialRecord> trials) {
  std::string csv = "key";
  for (const Column &column : columnsOf<TrialRecord>())
    csv += "," + std::string(column.name);
  csv += "\n";
  for (const TrialRecord &trial : trials) {
    StatusOr<std::vector<Cell>> cells = toCells(trial);
    if (!cells.ok())
      continue; // In no database.
    csv += keyOf(*cells);
    for (const Cell &cell : *cells)
      csv += "," + quoted(cellText(cell));
    csv += "\n";
  }
  return csv;
}

static Json jsonOf(const Cell &cell) {
  return std::visit([](const auto &value) { return Json(value); }, cell);
}

std::string exportJson(std::span<const TrialRecord> trials) {
  Json list = Json::array();
  for (const TrialRecord &trial : trials) {
    StatusOr<std::vector<Cell>> cells = toCells(trial);
    if (!cells.ok())
      continue; // In no database.
    Json entry = Json::object();
    entry["key"] = keyOf(*cells);
    const std::vector<Column> &columns = columnsOf<TrialRecord>();
    for (size_t i = 0; i < columns.size(); ++i)
      entry[std::string(columns[i].name)] = jsonOf((*cells)[i]);
    // Terms that are no JSON stay the text that they are.
    if (auto terms = runtime::parseJson(trial.terms); terms.ok())
      entry["terms"] = *terms;
    list.push_back(std::move(entry));
  }
  return runtime::printJson(list);
}

} // namespace tilewright::autotune
