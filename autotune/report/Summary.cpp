#include "autotune/report/Summary.h"

#include "autotune/database/Best.h"
#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace tilewright::autotune {

/// The latest trial, in the metric of `best`, of the schedule that the
/// heuristic gives.
static std::optional<TrialRecord> initialOf(const TaskSummary &summary) {
  const TrialRecord *given = nullptr, *latest = nullptr;
  auto isGood = [&](const TrialRecord &trial) {
    return trial.verdict == Verdict::ok && summary.best &&
           trial.metric == summary.best->metric;
  };
  for (const TrialRecord &trial : summary.trials)
    if (isGood(trial) && trial.origin == "default" &&
        (!given || isLater(trial, *given)))
      given = &trial;
  if (!given)
    return std::nullopt;
  for (const TrialRecord &trial : summary.trials)
    if (isGood(trial) && trial.schedule == given->schedule &&
        (!latest || isLater(trial, *latest)))
      latest = &trial;
  return *latest;
}

static void choose(TaskSummary &summary) {
  if (std::optional<size_t> index = bestTrial(summary.trials))
    summary.best = summary.trials[*index];
  summary.initial = initialOf(summary);
  if (!summary.initial)
    return;
  // A pair saw both under the same conditions.
  if (summary.best->against == summary.initial->schedule &&
      summary.best->ratio > 0)
    summary.gain = 1 / summary.best->ratio;
  else if (summary.best->median > 0)
    summary.gain = summary.initial->median / summary.best->median;
}

std::vector<TaskSummary> summarize(std::span<const TaskRecord> tasks,
                                   std::span<const TrialRecord> trials) {
  using Place = std::pair<std::string, std::string>;
  std::map<std::string, std::map<Place, TaskSummary>> places;
  for (const TrialRecord &trial : trials) {
    Place place(deviceKind(trial.device), trial.hardware);
    places[trial.task][place].trials.push_back(trial);
  }
  std::vector<TaskSummary> summaries;
  for (const TaskRecord &task : tasks) {
    std::map<Place, TaskSummary> &found = places[task.task];
    if (found.empty())
      summaries.push_back({.task = task,
                           .device = {},
                           .hardware = {},
                           .trials = {},
                           .best = {},
                           .initial = {}});
    for (auto &[place, summary] : found) {
      summary.task = task;
      std::tie(summary.device, summary.hardware) = place;
      std::ranges::sort(
          summary.trials, std::ranges::less(), [](const TrialRecord &t) {
            return std::tie(t.run, t.sequence, t.schedule, t.started, t.median);
          });
      choose(summary);
      summaries.push_back(std::move(summary));
    }
  }
  return summaries;
}

StatusOr<std::vector<TaskSummary>> summarize(const Database &database) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto tasks, database.tasks());
  TILEWRIGHT_ASSIGN_OR_RETURN(auto trials, database.trials());
  return summarize(tasks, trials);
}

/// A reason without its numbers.
static std::string kindOf(const std::string &reason) {
  auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  std::string text = reason.substr(0, reason.find_first_of(":\n")), kind;
  for (size_t i = 0; i < text.size(); ++i) {
    // Points and commas belong to a number if another digit follows.
    bool isInside = (text[i] == '.' || text[i] == ',') && kind.ends_with('N') &&
                    i + 1 < text.size() && isDigit(text[i + 1]);
    if (!isDigit(text[i]) && !isInside)
      kind += text[i];
    else if (!kind.ends_with('N'))
      kind += 'N';
  }
  return kind;
}

std::vector<ReasonCount> countReasons(std::span<const TrialRecord> trials) {
  std::map<std::pair<Verdict, std::string>, size_t> counts;
  for (const TrialRecord &trial : trials) {
    if (trial.verdict == Verdict::ok)
      continue;
    std::string reason = kindOf(trial.reason);
    ++counts[{trial.verdict, reason}];
  }
  std::vector<ReasonCount> list;
  for (const auto &[what, count] : counts)
    list.push_back({what.first, what.second, count});
  std::ranges::sort(list, [](const ReasonCount &a, const ReasonCount &b) {
    return std::tie(b.count, a.verdict, a.reason) <
           std::tie(a.count, b.verdict, b.reason);
  });
  return list;
}

std::vector<TrialRecord> rankedTrials(const TaskSummary &summary, size_t most) {
  std::map<std::string, const TrialRecord *> latest;
  for (const TrialRecord &trial : summary.trials) {
    if (!summary.best || trial.metric != summary.best->metric)
      continue;
    const TrialRecord *&entry = latest[trial.schedule];
    if (!entry || isLater(trial, *entry))
      entry = &trial;
  }
  std::vector<TrialRecord> ranked;
  for (const auto &[schedule, trial] : latest)
    if (trial->verdict == Verdict::ok)
      ranked.push_back(*trial);
  std::ranges::sort(ranked, std::ranges::less(), [](const TrialRecord &t) {
    return std::tie(t.median, t.schedule);
  });
  ranked.resize(std::min(ranked.size(), most));
  return ranked;
}

//===----------------------------------------------------------------------===//
// Two databases
//===----------------------------------------------------------------------===//

std::string_view changeName(Comparison::Change change) {
  using Change = Comparison::Change;
  switch (change) {
  case Change::same:
    return "same";
  case Change::slower:
    return "slower";
  case Change::faster:
    return "faster";
  case Change::broken:
    return "broken";
  case Change::onlyBefore:
    return "only before";
  case Change::onlyAfter:
    return "only after";
  case Change::metricsDiffer:
    return "other metric";
  }
  return "unknown";
}

/// The trials of the same schedule as `best`, by the same build and driver:
/// the same code, at other moments.
static std::vector<const TrialRecord *> repeats(const TaskSummary &summary,
                                                const TrialRecord &best) {
  auto code = [](const TrialRecord &trial) {
    return std::tie(trial.schedule, trial.compiler, trial.driver, trial.metric);
  };
  std::vector<const TrialRecord *> same;
  for (const TrialRecord &trial : summary.trials)
    if (trial.verdict == Verdict::ok && trial.low > 0 && trial.median > 0 &&
        code(trial) == code(best))
      same.push_back(&trial);
  return same;
}

static double middle(std::vector<double> values) {
  std::ranges::sort(values);
  size_t half = values.size() / 2;
  return values.size() % 2 ? values[half]
                           : (values[half - 1] + values[half]) / 2;
}

/// What all pairs of one trial before and one after say: launches of one
/// trial share what the machine did then, so that its own interval is narrower
/// than what two trials of the same code differ by.
static void compareRepeats(Comparison &entry,
                           const std::vector<const TrialRecord *> &before,
                           const std::vector<const TrialRecord *> &after) {
  std::vector<double> lows, highs, befores, afters;
  for (const TrialRecord *old : before)
    befores.push_back(old->median);
  for (const TrialRecord *now : after) {
    afters.push_back(now->median);
    for (const TrialRecord *old : before) {
      lows.push_back(now->low / old->high);
      highs.push_back(now->high / old->low);
    }
  }
  if (lows.empty())
    return;
  std::ranges::sort(lows);
  std::ranges::sort(highs, std::greater<>());
  entry.ratio = middle(std::move(afters)) / middle(std::move(befores));
  entry.low = lows[lows.size() / 20];
  entry.high = highs[highs.size() / 20];
}

/// `was` and `now`: the task in the databases before and after; none where it
/// is not in it.
static void judge(Comparison &entry, const TaskSummary *was,
                  const TaskSummary *now, double threshold) {
  using Change = Comparison::Change;
  if (!entry.before) {
    entry.change = Change::onlyAfter;
    return;
  }
  if (!entry.after) {
    entry.change = now ? Change::broken : Change::onlyBefore;
    return;
  }
  const TrialRecord &before = *entry.before, &after = *entry.after;
  if (before.metric != after.metric) {
    // A cost by the model does not stand in for launches that all went wrong.
    bool wasTried =
        std::ranges::any_of(now->trials, [&](const TrialRecord &trial) {
          return trial.metric == before.metric;
        });
    entry.change = wasTried && before.metric < after.metric
                       ? Change::broken
                       : Change::metricsDiffer;
    return;
  }
  compareRepeats(entry, repeats(*was, before), repeats(*now, after));
  if (entry.ratio <= 0)
    return;
  if (entry.low > 1 && entry.ratio > threshold)
    entry.change = Change::slower;
  else if (entry.high < 1 && entry.ratio < 1 / threshold)
    entry.change = Change::faster;
}

std::vector<Comparison> compare(std::span<const TaskSummary> before,
                                std::span<const TaskSummary> after,
                                double threshold) {
  std::vector<Comparison> list;
  auto entryOf = [&](const TaskSummary &summary) -> Comparison & {
    auto isSame = [&](const Comparison &entry) {
      return std::tie(entry.task.task, entry.device, entry.hardware) ==
             std::tie(summary.task.task, summary.device, summary.hardware);
    };
    auto found = std::ranges::find_if(list, isSame);
    if (found != list.end())
      return *found;
    return list.emplace_back(
        Comparison{summary.task, summary.device, summary.hardware, {}, {}});
  };
  for (const TaskSummary &summary : before)
    if (summary.best)
      entryOf(summary).before = summary.best;
  for (const TaskSummary &summary : after)
    if (!summary.trials.empty())
      entryOf(summary).after = summary.best;
  for (Comparison &entry : list) {
    auto find = [&](std::span<const TaskSummary> summaries) {
      auto found =
          std::ranges::find_if(summaries, [&](const TaskSummary &summary) {
            return summary.task.task == entry.task.task &&
                   summary.device == entry.device &&
                   summary.hardware == entry.hardware &&
                   !summary.trials.empty();
          });
      return found == summaries.end() ? nullptr : &*found;
    };
    judge(entry, find(before), find(after), threshold);
  }
  // What no one knows a good schedule of is no change.
  std::erase_if(list, [](const Comparison &entry) {
    return !entry.before && !entry.after;
  });
  return list;
}

} // namespace tilewright::autotune
