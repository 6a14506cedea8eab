#include "autotune/report/TaskPlots.h"

#include "autotune/database/Best.h"
#include "autotune/report/Format.h"
#include "autotune/report/Plot.h"
#include "runtime/abi/Json.h"
#include "support/Format.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

namespace tilewright::autotune {

std::string_view verdictClass(Verdict verdict) {
  switch (verdict) {
  case Verdict::ok:
    return "ok";
  case Verdict::rejected:
    return "rejected";
  case Verdict::wrongResult:
    return "wrong";
  case Verdict::crashed:
    return "crashed";
  case Verdict::timedOut:
    return "late";
  case Verdict::outOfMemory:
    return "memory";
  }
  return "rejected";
}

std::vector<std::pair<std::string, std::string>>
parametersOf(const std::string &schedule) {
  std::vector<std::pair<std::string, std::string>> parameters;
  for (size_t begin = 0; begin < schedule.size();) {
    size_t end = std::min(schedule.find(' ', begin), schedule.size());
    std::string word = schedule.substr(begin, end - begin);
    size_t equals = word.find('=');
    if (equals != std::string::npos && equals > 0)
      parameters.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    begin = end + 1;
  }
  return parameters;
}

/// Whether a trial has a cost that plots of this task show.
static bool hasCost(const TaskSummary &summary, const TrialRecord &trial) {
  return trial.verdict == Verdict::ok && summary.best &&
         trial.metric == summary.best->metric && trial.median > 0;
}

size_t plotStride(const TaskSummary &summary) {
  constexpr size_t most = 1000;
  return std::max<size_t>((summary.trials.size() + most - 1) / most, 1);
}

static std::string tipOf(const TrialRecord &trial) {
  std::string tip = trial.verdict == Verdict::ok
                        ? costText(trial.median, trial.metric)
                        : std::string(verdictName(trial.verdict));
  if (!trial.reason.empty())
    tip += ": " + oneLine(trial.reason, 120);
  return format("{} | {}", {tip, oneLine(trial.schedule, 200)});
}

/// "time", "cost (model)": what the vertical axes show.
static std::string costName(const TaskSummary &summary) {
  if (summary.best->metric == Metric::time)
    return "time";
  return "cost by the " + std::string(metricName(summary.best->metric));
}

/// Costs that are no times have no unit.
static Axis costAxis(const TaskSummary &summary, const std::string &label,
                     double low, double high) {
  if (summary.best->metric == Metric::time)
    return Axis::times(label, low, high);
  return Axis::numbers(label, low, high, low > 0 && high / low > 6);
}

static std::optional<std::pair<double, double>>
costRange(const TaskSummary &summary) {
  std::optional<std::pair<double, double>> range;
  for (const TrialRecord &trial : summary.trials)
    if (hasCost(summary, trial)) {
      range = range.value_or(std::pair(trial.median, trial.median));
      range->first = std::min(range->first, trial.median);
      range->second = std::max(range->second, trial.median);
    }
  return range;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// Numbers by size, then words by letters.
static bool isLess(const std::string &a, const std::string &b) {
  auto number = [](const std::string &text) {
    double value = 0;
    auto end = text.data() + text.size();
    return std::from_chars(text.data(), end, value).ptr == end && !text.empty()
               ? std::optional(value)
               : std::nullopt;
  };
  std::optional<double> left = number(a), right = number(b);
  if (left && right && *left != *right)
    return *left < *right;
  return left.has_value() != right.has_value() ? left.has_value() : a < b;
}

static Figure parameterFigure(const TaskSummary &summary,
                              const std::string &parameter,
                              const std::vector<std::string> &values) {
  auto [low, high] = *costRange(summary);
  Plot plot(format("{} against {}", {costName(summary), parameter}),
            Axis::names("", values),
            costAxis(summary, costName(summary), low, high), 340, 212);
  size_t outside = 0;
  const TrialRecord *best = nullptr;
  double bestX = 0;
  for (size_t i = 0; i < summary.trials.size(); ++i) {
    const TrialRecord &trial = summary.trials[i];
    bool isBest = trial == *summary.best;
    if (i % plotStride(summary) != 0 && !isBest)
      continue;
    for (const auto &[name, value] : parametersOf(trial.schedule)) {
      if (name != parameter)
        continue;
      double slot = double(std::ranges::find(values, value) - values.begin());
      // Dots of one value are side by side, at positions that look random but
      // are deterministic: multiples of the golden ratio.
      double share = double(i) * 0.6180339887;
      double x = slot + (share - std::floor(share) - 0.5) * 0.6;
      if (hasCost(summary, trial)) {
        plot.point(x, trial.median, "ok", tipOf(trial));
        if (isBest) {
          best = &trial;
          bestX = x;
        }
      } else if (trial.verdict != Verdict::ok) {
        ++outside;
        plot.outside(x, verdictClass(trial.verdict), tipOf(trial));
      }
    }
  }
  if (best)
    plot.mark(bestX, best->median, "best", "best");
  if (outside)
    plot.nameLane("no result");
  return {parameter, plot.svg(), ""};
}

std::vector<Figure> parameterFigures(const TaskSummary &summary) {
  if (!costRange(summary))
    return {};
  std::vector<std::string> order;
  std::map<std::string, std::set<std::string>> values;
  for (const TrialRecord &trial : summary.trials)
    for (const auto &[parameter, value] : parametersOf(trial.schedule)) {
      if (!values.contains(parameter))
        order.push_back(parameter);
      values[parameter].insert(value);
    }
  std::vector<Figure> figures;
  for (const std::string &parameter : order) {
    std::vector<std::string> sorted(values[parameter].begin(),
                                    values[parameter].end());
    std::ranges::sort(sorted, isLess);
    if (sorted.size() > 1)
      figures.push_back(parameterFigure(summary, parameter, sorted));
  }
  return figures;
}

//===----------------------------------------------------------------------===//
// Convergence
//===----------------------------------------------------------------------===//

/// The trials in the order in which they were made, and when each ended: in
/// seconds of trials.
static std::vector<std::pair<double, const TrialRecord *>>
inTime(const TaskSummary &summary) {
  std::vector<std::pair<double, const TrialRecord *>> trials;
  for (const TrialRecord &trial : summary.trials)
    trials.emplace_back(0, &trial);
  std::ranges::sort(trials, [](const auto &a, const auto &b) {
    return isLater(*b.second, *a.second);
  });
  double seconds = 0;
  for (auto &[end, trial] : trials)
    end = seconds += std::max(trial->seconds, 0.0);
  return trials;
}

static Plot convergencePlot(const TaskSummary &summary, Axis x,
                            const std::string &title, bool byTime) {
  auto [low, high] = *costRange(summary);
  Plot plot(title, std::move(x),
            costAxis(summary, costName(summary), low, high));
  std::vector<std::pair<double, double>> line;
  auto trials = inTime(summary);
  if (summary.defaultTrial) {
    double end = byTime ? trials.back().first : double(trials.size());
    double cost = summary.defaultTrial->median;
    plot.line({{0, cost}, {end, cost}}, "same");
  }
  double at = 0, least = 0;
  for (size_t i = 0; i < trials.size(); ++i) {
    const TrialRecord &trial = *trials[i].second;
    at = byTime ? trials[i].first : double(i + 1);
    if (!hasCost(summary, trial))
      continue;
    if (i % plotStride(summary) == 0)
      plot.point(at, trial.median, "faint", tipOf(trial));
    if (!line.empty() && trial.median >= least)
      continue;
    // A step: constant until a better one is known.
    if (!line.empty())
      line.emplace_back(at, least);
    line.emplace_back(at, least = trial.median);
  }
  line.emplace_back(at, least);
  plot.line(line, "best-line");
  return plot;
}

std::vector<Figure> convergenceFigures(const TaskSummary &summary) {
  if (!costRange(summary))
    return {{"Convergence", "", "No schedule gave a result."}};
  auto trials = inTime(summary);
  std::string note = format("{}, {} of trials; dashed: the default schedule",
                            {formatPlural(trials.size(), "trial"),
                             formatDuration(trials.back().first)});
  double seconds = std::max(trials.back().first, 0.001);
  return {{"Best so far, by trials",
           convergencePlot(
               summary,
               Axis::numbers("trial", 0, std::max(double(trials.size()), 5.0)),
               "best so far, by trials", false)
               .svg(),
           note},
          {"Best so far, by time",
           convergencePlot(
               summary,
               seconds > 600 ? Axis::numbers("time in trials (min)", 0, seconds,
                                             false, 60)
                             : Axis::numbers("time in trials (s)", 0, seconds),
               "best so far, by time", true)
               .svg(),
           note}};
}

//===----------------------------------------------------------------------===//
// Roofline
//===----------------------------------------------------------------------===//

/// The member of a trial's terms; 0 if it has none.
static double term(const runtime::Json &terms, const char *name) {
  auto found = terms.is_object() ? terms.find(name) : terms.end();
  return found != terms.end() && found->is_number() ? found->get<double>() : 0;
}

/// "2.1 G", a number with the prefix that fits.
static std::string withPrefix(double value) {
  static constexpr std::pair<double, const char *> prefixes[] = {
      {1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}};
  for (auto [size, name] : prefixes)
    if (value >= size)
      return formatNumber(value / size) + name;
  return formatNumber(value) + " ";
}

namespace {
/// Operations a byte and operations a second of the trials that have both.
struct Roofline {
  double peakFlops = 0, peakBytes = 0;
  struct Dot {
    double intensity = 0, speed = 0;
    const TrialRecord *trial = nullptr;
  };
  std::vector<Dot> dots;
};
} // namespace

static Roofline rooflineOf(const TaskSummary &summary) {
  Roofline roof;
  for (const TrialRecord &trial : summary.trials) {
    StatusOr<runtime::Json> terms = runtime::parseJson(trial.terms);
    if (!terms.ok() || !hasCost(summary, trial))
      continue;
    double flops = term(*terms, "flops"), bytes = term(*terms, "bytes");
    double peakFlops = term(*terms, "peak_flops");
    double peakBytes = term(*terms, "peak_bytes");
    if (flops <= 0 || bytes <= 0 || peakFlops <= 0 || peakBytes <= 0)
      continue;
    roof.peakFlops = std::max(roof.peakFlops, peakFlops);
    roof.peakBytes = std::max(roof.peakBytes, peakBytes);
    roof.dots.push_back({flops / bytes, flops / (trial.median * 1e-9), &trial});
  }
  return roof;
}

Figure rooflineFigure(const TaskSummary &summary) {
  Figure figure{"Roofline", "",
                "Not drawn: the trials do not say their operations and bytes, "
                "or the device's peaks."};
  Roofline roof = rooflineOf(summary);
  if (roof.dots.empty())
    return figure;
  // Both sides of the ridge are shown.
  double ridge = roof.peakFlops / roof.peakBytes;
  double least = ridge / 8, most = ridge * 8, slow = roof.peakFlops / 50;
  for (const Roofline::Dot &dot : roof.dots) {
    least = std::min(least, dot.intensity / 2);
    most = std::max(most, dot.intensity * 2);
    slow = std::min(slow, dot.speed / 2);
  }
  double fast = roof.peakFlops * 2;
  Plot plot("roofline", Axis::numbers("FLOP/byte", least, most, true),
            Axis::numbers("GFLOP/s", slow, fast, true, 1e9));
  // From where the slope enters the picture.
  double enters = std::max(least, slow / roof.peakBytes);
  plot.line({{enters, enters * roof.peakBytes},
             {ridge, roof.peakFlops},
             {most, roof.peakFlops}},
            "roof");
  const Roofline::Dot *best = nullptr;
  for (size_t i = 0; i < roof.dots.size(); ++i) {
    const Roofline::Dot &dot = roof.dots[i];
    if (i % plotStride(summary) == 0)
      plot.point(
          dot.intensity, dot.speed, "ok",
          format("{}FLOP/s, {}", {withPrefix(dot.speed), tipOf(*dot.trial)}));
    if (*dot.trial == *summary.best)
      best = &dot;
  }
  figure.note =
      format("The device's peaks by the model: {}FLOP/s, {}B/s.",
             {withPrefix(roof.peakFlops), withPrefix(roof.peakBytes)});
  if (best) {
    plot.mark(best->intensity, best->speed, "best", "best");
    double limit = std::min(roof.peakFlops, best->intensity * roof.peakBytes);
    figure.note +=
        format(" The best schedule reaches {} % of the roof above it.",
               {formatNumber(100 * best->speed / limit)});
    if (best->speed > limit)
      figure.note += " The model knows less of the device than there is: its "
                     "clock may be one that the system does not tell.";
  }
  figure.svg = plot.svg();
  return figure;
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

/// The rank of each value, from 1; equal ones share the mean of theirs.
static std::vector<double> ranksOf(const std::vector<double> &values) {
  std::vector<size_t> order(values.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::ranges::sort(order, std::ranges::less(),
                    [&](size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]])
      ++end;
    for (size_t j = i; j < end; ++j)
      ranks[order[j]] = double(i + end + 1) / 2;
    i = end;
  }
  return ranks;
}

std::optional<double>
rankCorrelation(std::span<const std::pair<double, double>> pairs) {
  if (pairs.size() < 3)
    return std::nullopt;
  std::vector<double> a, b;
  for (const auto &[left, right] : pairs) {
    a.push_back(left);
    b.push_back(right);
  }
  a = ranksOf(a);
  b = ranksOf(b);
  double mean = double(pairs.size() + 1) / 2, ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) * (a[i] - mean);
    bb += (b[i] - mean) * (b[i] - mean);
  }
  if (aa == 0 || bb == 0)
    return std::nullopt;
  return ab / std::sqrt(aa * bb);
}

Figure modelFigure(const TaskSummary &summary) {
  Figure figure{"Modelled against measured", "", ""};
  if (summary.best && summary.best->metric == Metric::model) {
    figure.note = "Not drawn: nothing was measured.";
    return figure;
  }
  std::vector<std::pair<double, double>> pairs;
  std::vector<const TrialRecord *> trials;
  for (const TrialRecord &trial : summary.trials)
    if (hasCost(summary, trial) && trial.modelled > 0) {
      pairs.emplace_back(trial.modelled, trial.median);
      trials.push_back(&trial);
    }
  if (pairs.empty()) {
    figure.note = "Not drawn: no trial has a result and a modelled time.";
    return figure;
  }
  double low = pairs[0].first, high = low;
  for (const auto &[modelled, found] : pairs) {
    low = std::min({low, modelled, found});
    high = std::max({high, modelled, found});
  }
  Plot plot("modelled against measured",
            costAxis(summary, "modelled", low, high),
            costAxis(summary, costName(summary), low, high));
  plot.line({{low, low}, {high, high}}, "same");
  for (size_t i = 0; i < pairs.size(); i += plotStride(summary))
    plot.point(pairs[i].first, pairs[i].second, "ok",
               format("modelled {}, {}",
                      {modelledText(*trials[i]), tipOf(*trials[i])}));
  if (summary.best->modelled > 0)
    plot.mark(summary.best->modelled, summary.best->median, "best", "best");
  figure.svg = plot.svg();
  std::optional<double> correlation = rankCorrelation(pairs);
  figure.note =
      correlation
          ? format(
                "Rank correlation {} over {}; on the line the model is right.",
                {formatNumber(*correlation),
                 formatPlural(pairs.size(), "trial")})
          : "Too few different values for a rank correlation.";
  return figure;
}

} // namespace tilewright::autotune
