#include "autotune/database/Trial.h"

#include <array>
#include <utility>

namespace tilewright::autotune {

static constexpr std::array<std::pair<Verdict, std::string_view>, 6> verdicts =
    {{{Verdict::ok, "ok"},
      {Verdict::rejected, "rejected"},
      {Verdict::wrongResult, "wrong result"},
      {Verdict::crashed, "crashed"},
      {Verdict::timedOut, "timed out"},
      {Verdict::outOfMemory, "out of memory"}}};

static constexpr std::array<std::pair<Metric, std::string_view>, 3> metrics = {
    {{Metric::time, "time"},
     {Metric::counters, "counters"},
     {Metric::model, "model"}}};

template <typename Table, typename Value>
static std::string_view nameIn(const Table &table, Value value) {
  for (const auto &[key, name] : table)
    if (key == value)
      return name;
  return "unknown";
}

template <typename Value, size_t N>
static std::optional<Value>
namedIn(const std::array<std::pair<Value, std::string_view>, N> &table,
        std::string_view name) {
  for (const auto &[key, known] : table)
    if (known == name)
      return key;
  return std::nullopt;
}

template <typename Value, size_t N>
static std::vector<Value>
keysOf(const std::array<std::pair<Value, std::string_view>, N> &table) {
  std::vector<Value> keys;
  for (const auto &entry : table)
    keys.push_back(entry.first);
  return keys;
}

std::string_view verdictName(Verdict verdict) {
  return nameIn(verdicts, verdict);
}
std::string_view metricName(Metric metric) { return nameIn(metrics, metric); }
std::optional<Verdict> verdictNamed(std::string_view name) {
  // What rows of the first release call it.
  return namedIn(verdicts, name == "refused" ? "rejected" : name);
}
std::optional<Metric> metricNamed(std::string_view name) {
  return namedIn(metrics, name);
}
const std::vector<Verdict> &allVerdicts() {
  static const std::vector<Verdict> all = keysOf(verdicts);
  return all;
}
const std::vector<Metric> &allMetrics() {
  static const std::vector<Metric> all = keysOf(metrics);
  return all;
}

} // namespace tilewright::autotune
