#include "autotune/report/Summary.h"

#include "autotune/database/Best.h"
#include "autotune/report/Format.h"
#include "support/Format.h"
#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace tilewright::autotune {

/// The latest trial of the default schedule, in the metric of `best`.
static std::optional<TrialRecord> defaultTrialOf(const TaskSummary &summary) {
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

namespace {
/// Times of schedules over that of the default, by pairs.
class Pairing {
public:
  explicit Pairing(const TaskSummary &summary) : metric(summary.best->metric) {
    const TrialRecord &defaultTrial = *summary.defaultTrial;
    std::vector<const TrialRecord *> order;
    for (const TrialRecord &trial : summary.trials)
      order.push_back(&trial);
    std::ranges::sort(order, [](const TrialRecord *a, const TrialRecord *b) {
      return isLater(*b, *a);
    });
    latest[defaultTrial.schedule] = 1;
    for (const TrialRecord *trial : order)
      add(*trial, defaultTrial);
  }

  /// 0 where no pairs join the trial to the default.
  [[nodiscard]] double of(const TrialRecord &trial) const {
    auto found = values.find(&trial);
    return found == values.end() ? 0 : found->second;
  }

private:
  void add(const TrialRecord &trial, const TrialRecord &defaultTrial) {
    if (trial.verdict != Verdict::ok || trial.metric != metric)
      return;
    double value = 0;
    if (metric != Metric::time)
      value = defaultTrial.median > 0 ? trial.median / defaultTrial.median : 0;
    else if (trial.schedule == defaultTrial.schedule)
      value = 1;
    else if (auto other = latest.find(trial.against); other != latest.end())
      value = other->second * trial.ratio;
    if (value > 0)
      latest[trial.schedule] = values[&trial] = value;
  }

  Metric metric;
  std::map<std::string, double> latest;
  std::map<const TrialRecord *, double> values;
};
} // namespace

static void choose(TaskSummary &summary) {
  std::optional<size_t> index = bestTrial(summary.trials);
  if (!index)
    return;
  summary.best = summary.trials[*index];
  summary.defaultTrial = defaultTrialOf(summary);
  if (!summary.defaultTrial)
    return;
  if (double value = Pairing(summary).of(summary.trials[*index]); value > 0)
    summary.gain = 1 / value;
}

TaskSummary levelled(TaskSummary summary) {
  if (!summary.defaultTrial || summary.best->metric != Metric::time)
    return summary;
  if (summary.gain <= 0) {
    summary.defaultTrial.reset();
    return summary;
  }
  const double cost = summary.defaultTrial->median;
  const TrialRecord best = *summary.best;
  Pairing pairing(summary);
  std::vector<TrialRecord> kept;
  for (const TrialRecord &trial : summary.trials) {
    const bool isTime =
        trial.verdict == Verdict::ok && trial.metric == Metric::time;
    const double value = pairing.of(trial);
    if (isTime && value <= 0)
      continue;
    TrialRecord &copy = kept.emplace_back(trial);
    if (!isTime)
      continue;
    copy.median = cost * value;
    const bool isPair =
        trial.schedule != summary.defaultTrial->schedule && trial.ratio > 0;
    // The default uses the interval of its own median.
    copy.low = copy.median * (isPair ? trial.ratioLow / trial.ratio
                                     : trial.low / trial.median);
    copy.high = copy.median * (isPair ? trial.ratioHigh / trial.ratio
                                      : trial.high / trial.median);
    copy.least = trial.least * copy.median / trial.median;
    copy.deviation = trial.deviation * copy.median / trial.median;
    if (trial == best)
      summary.best = copy;
  }
  summary.trials = std::move(kept);
  return summary;
}

std::string costText(double cost, Metric metric) {
  if (metric == Metric::time)
    return formatTime(cost);
  return format("{} ({})", {formatNumber(cost), metricName(metric)});
}

std::vector<TaskSummary> summarize(std::span<const TaskRecord> tasks,
                                   std::span<const TrialRecord> trials) {
  using Setup = std::pair<std::string, std::string>;
  std::map<std::string, std::map<Setup, TaskSummary>> setups;
  for (const TrialRecord &trial : trials) {
    Setup setup(deviceKind(trial.device), trial.hardware);
    setups[trial.task][setup].trials.push_back(trial);
  }
  std::vector<TaskSummary> summaries;
  for (const TaskRecord &task : tasks) {
    std::map<Setup, TaskSummary> &found = setups[task.task];
    if (found.empty())
      summaries.push_back({.task = task,
                           .device = {},
                           .hardware = {},
                           .trials = {},
                           .best = {},
                           .defaultTrial = {}});
    for (auto &[setup, summary] : found) {
      summary.task = task;
      std::tie(summary.device, summary.hardware) = setup;
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

std::string modelledText(const TrialRecord &trial) {
  if (trial.modelled <= 0)
    return "-";
  return trial.metric == Metric::time ? formatTime(trial.modelled)
                                      : formatNumber(trial.modelled);
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
static void compareOne(Comparison &entry, const TaskSummary *was,
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
    // A modelled cost does not replace launches that all failed.
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
    compareOne(entry, find(before), find(after), threshold);
  }
  // A task without a good schedule on either side is no change.
  std::erase_if(list, [](const Comparison &entry) {
    return !entry.before && !entry.after;
  });
  return list;
}

} // namespace tilewright::autotune
