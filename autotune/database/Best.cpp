#include "autotune/database/Best.h"

#include "autotune/database/Cells.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace tilewright::autotune {

std::string_view deviceKind(std::string_view device) {
  return device.substr(0, device.find(':'));
}

bool isLater(const TrialRecord &a, const TrialRecord &b) {
  auto when = [](const TrialRecord &t) {
    return std::tie(t.started, t.run, t.sequence);
  };
  if (when(a) != when(b))
    return when(a) > when(b);
  // No tuner writes two such rows, but a file may have them.
  auto keyOfTrial = [](const TrialRecord &t) {
    StatusOr<std::vector<Cell>> cells = toCells(t);
    return cells.ok() ? keyOf(*cells) : "";
  };
  return keyOfTrial(a) > keyOfTrial(b);
}

std::optional<double> distance(std::span<const int64_t> a,
                               std::span<const int64_t> b) {
  if (a.size() != b.size())
    return std::nullopt;
  std::vector<double> terms;
  for (size_t i = 0; i < a.size(); ++i) {
    auto [low, high] = std::minmax(a[i], b[i]);
    if (low == high)
      continue;
    if (low <= 0)
      return std::nullopt;
    terms.push_back(std::log2(double(high) / double(low)));
  }
  // Shapes at the same distance must compare so: the sum is of the same terms
  // in the same order, and its last bits do not count.
  std::ranges::sort(terms);
  double sum = 0;
  for (double term : terms)
    sum += term;
  return std::round(sum * 1e9) / 1e9;
}

namespace {
/// Who beat whom among the schedules 0 .. count - 1.
class Pairs {
public:
  explicit Pairs(size_t count) : beats(count), beatenBy(count) {}
  void add(size_t winner, size_t loser) {
    beats[winner].push_back(loser);
    beatenBy[loser].push_back(winner);
  }
  /// Those that are beaten only by ones that they beat themselves, directly or
  /// not: the strongly connected components without incoming edges (Kosaraju's
  /// algorithm).
  [[nodiscard]] std::vector<bool> unbeaten() const;

private:
  using Edges = std::vector<std::vector<size_t>>;
  static void walk(const Edges &edges, size_t from, std::vector<bool> &seen,
                   std::vector<size_t> &finished);
  Edges beats, beatenBy;
};
} // namespace

/// Appends the unseen nodes reachable from `from`, in the post-order of a
/// depth-first walk. A run's chain is too long to recurse on.
void Pairs::walk(const Edges &edges, size_t from, std::vector<bool> &seen,
                 std::vector<size_t> &finished) {
  if (seen[from])
    return;
  seen[from] = true;
  std::vector<std::pair<size_t, size_t>> path = {{from, 0}};
  while (!path.empty()) {
    auto &[node, next] = path.back();
    if (next == edges[node].size()) {
      finished.push_back(node);
      path.pop_back();
      continue;
    }
    size_t to = edges[node][next++];
    if (!seen[to]) {
      seen[to] = true;
      path.emplace_back(to, 0);
    }
  }
}

std::vector<bool> Pairs::unbeaten() const {
  size_t count = beats.size();
  std::vector<bool> seen(count), result(count);
  std::vector<size_t> order;
  for (size_t node = 0; node < count; ++node)
    walk(beats, node, seen, order);
  std::vector<size_t> component(count);
  seen.assign(count, false);
  for (size_t i = count; i-- > 0;) {
    std::vector<size_t> members;
    walk(beatenBy, order[i], seen, members);
    for (size_t member : members)
      component[member] = i;
    bool isSource = std::ranges::all_of(members, [&](size_t member) {
      return std::ranges::all_of(beatenBy[member], [&](size_t winner) {
        return component[winner] == i;
      });
    });
    for (size_t member : members)
      result[member] = isSource;
  }
  return result;
}

/// The name of the hardware that has the most good trials of `metric`.
static std::optional<std::string>
hardwareOf(std::span<const TrialRecord> trials, Metric metric) {
  std::map<std::string, size_t> counts;
  for (const TrialRecord &trial : trials)
    if (trial.metric == metric && trial.verdict == Verdict::ok)
      ++counts[trial.hardware];
  auto most = std::ranges::max_element(
      counts, std::less(), [](const auto &entry) { return entry.second; });
  if (most == counts.end())
    return std::nullopt;
  return most->first;
}

/// The indices of the latest trials of each schedule, where they are ok.
static std::map<std::string_view, size_t>
presentTrials(std::span<const TrialRecord> trials, Metric metric,
              const std::string &hardware) {
  std::map<std::string_view, size_t> latest;
  for (size_t i = 0; i < trials.size(); ++i) {
    if (trials[i].metric != metric || trials[i].hardware != hardware)
      continue;
    auto [entry, isNew] = latest.emplace(trials[i].schedule, i);
    if (!isNew && isLater(trials[i], trials[entry->second]))
      entry->second = i;
  }
  std::erase_if(latest, [&](const auto &entry) {
    return trials[entry.second].verdict != Verdict::ok;
  });
  return latest;
}

std::optional<size_t> bestTrial(std::span<const TrialRecord> trials) {
  for (Metric metric : allMetrics()) {
    std::optional<std::string> hardware = hardwareOf(trials, metric);
    if (!hardware)
      continue;
    auto present = presentTrials(trials, metric, *hardware);
    std::map<std::string_view, size_t> numbers;
    for (const auto &[schedule, index] : present)
      numbers.emplace(schedule, numbers.size());
    Pairs pairs(numbers.size());
    for (const auto &[schedule, index] : present) {
      const TrialRecord &trial = trials[index];
      auto other = numbers.find(trial.against);
      if (other == numbers.end() || trial.against == trial.schedule)
        continue;
      size_t self = numbers[schedule];
      if (trial.ratioHigh < 1)
        pairs.add(self, other->second);
      else
        pairs.add(other->second, self);
    }
    std::vector<bool> unbeaten = pairs.unbeaten();
    std::optional<size_t> best;
    // In the order of the schedules' texts: the first of equals stays.
    for (const auto &[schedule, index] : present)
      if (unbeaten[numbers[schedule]] &&
          (!best || trials[index].median < trials[*best].median))
        best = index;
    if (best)
      return best;
  }
  return std::nullopt;
}

} // namespace tilewright::autotune
