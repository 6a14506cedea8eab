// Exports are read back by other readers.
#include "autotune/database/Export.h"
#include "autotune/database/Cells.h"
#include "runtime/abi/Json.h"
#include "test/autotune/database/Records.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::autotune;
using namespace tilewright::autotune::test;

/// RFC 4180, read literally.
static std::vector<std::vector<std::string>> readCsv(const std::string &text) {
  std::vector<std::vector<std::string>> rows = {{""}};
  bool isQuoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    std::string &field = rows.back().back();
    if (isQuoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"')
      field += text[i++];
    else if (text[i] == '"')
      isQuoted = !isQuoted;
    else if (!isQuoted && text[i] == ',')
      rows.back().emplace_back();
    else if (!isQuoted && text[i] == '\n')
      rows.push_back({""});
    else
      field += text[i];
  }
  rows.pop_back();
  return rows;
}

TEST_CASE("export: both formats hold every field of every trial") {
  Random random(29);
  std::vector<TrialRecord> trials;
  for (int i = 0; i < 100; ++i)
    trials.push_back(randomTrial(random, "t", "r"));
  trials[0].terms = R"({"compute": 12.5, "dram": 3})";
  auto rows = readCsv(exportCsv(trials));
  StatusOr<runtime::Json> json = runtime::parseJson(exportJson(trials));
  REQUIRE(json.ok());
  REQUIRE(rows.size() == 101);
  REQUIRE(json->size() == 100);
  const std::vector<Column> &columns = columnsOf<TrialRecord>();
  for (size_t i = 0; i < trials.size(); ++i) {
    std::vector<Cell> cells = *toCells(trials[i]);
    const runtime::Json &entry = (*json)[i];
    REQUIRE(rows[i + 1].size() == cells.size() + 1);
    CHECK(rows[i + 1][0] == trialKey(trials[i]));
    CHECK(entry["key"] == trialKey(trials[i]));
    for (size_t k = 0; k < cells.size(); ++k) {
      std::string name(columns[k].name);
      CHECK(rows[0][k + 1] == name);
      CHECK(rows[i + 1][k + 1] == cellText(cells[k]));
      const runtime::Json &value = entry[name];
      if (name == "terms" && !value.is_string())
        continue; // An object where the text is JSON.
      if (const auto *text = std::get_if<std::string>(&cells[k]))
        CHECK(value.get<std::string>() == *text);
      else if (const auto *number = std::get_if<double>(&cells[k]))
        CHECK(value.get<double>() == *number);
      else
        CHECK(value.get<int64_t>() == std::get<int64_t>(cells[k]));
    }
  }
  CHECK((*json)[0]["terms"]["compute"] == 12.5);
}

TEST_CASE("export: of nothing") {
  CHECK(exportCsv({}).find("key,task,run,sequence") == 0);
  CHECK(exportJson({}) == "[]\n");
}

TEST_CASE("export: a key is a hash of all fields") {
  TrialRecord trial = goodTrial("a=1", 5, 0), other = trial;
  CHECK(trialKey(trial).size() == 32);
  CHECK(trialKey(trial) == trialKey(other));
  other.measuring = 1;
  CHECK(trialKey(trial) != trialKey(other));
  // What moves from one field to the next is another row.
  trial.origin = "at";
  trial.device = "b";
  other = trial;
  other.origin = "a";
  other.device = "tb";
  CHECK(trialKey(trial) != trialKey(other));
  trial = other;
  other.median = -0.0;
  trial.median = 0.0;
  CHECK(trialKey(trial) == trialKey(other));
}
