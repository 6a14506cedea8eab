#include "autotune/report/Html.h"

#include "autotune/report/Format.h"
#include "autotune/report/TaskPlots.h"
#include "support/Format.h"
#include "support/Html.h"
#include "support/Svg.h"
#include <algorithm>
#include <set>

namespace tilewright::autotune {

using namespace markup;
using html::cell, html::headCell, html::row;

static std::string costWords(const TrialRecord &trial) {
  return costText(trial.median, trial.metric);
}

static Markup soft(const Markup &content) {
  return line(element("p", {{"class", "soft"}}, content));
}

/// Wide tables scroll by themselves.
static Markup scrolled(const Markup &table) {
  return line(element("div", {{"class", "scroll"}}, table));
}

static Markup heading(const Markup &content) { return element("h3", content); }

//===----------------------------------------------------------------------===//
// The index
//===----------------------------------------------------------------------===//

static std::string anchor(size_t index) {
  return format("task-{}", {index + 1});
}

/// A cell that is sorted by a number.
static Markup numberCell(double value, const Markup &content) {
  return element("td", {{"class", "n"}, {"data-v", formatShortest(value)}},
                 content);
}

static std::string nameOf(const TaskRecord &task) {
  return task.label.empty() ? task.task : task.label;
}

static Markup indexRow(const TaskSummary &summary, size_t index) {
  const TaskRecord &task = summary.task;
  auto good = double(
      std::ranges::count(summary.trials, Verdict::ok, &TrialRecord::verdict));
  auto cost = [](const std::optional<TrialRecord> &trial) {
    return numberCell(trial ? trial->median : 0,
                      trial ? costWords(*trial) : "-");
  };
  Markup cells =
      cell(element("a", {{"href", "#" + anchor(index)}}, nameOf(task)));
  cells += cell(task.target);
  cells += cell(summary.device.empty() ? "-" : summary.device);
  cells += numberCell(double(summary.trials.size()),
                      formatCount(summary.trials.size()));
  cells += numberCell(good, formatCount(size_t(good)));
  cells += cost(summary.defaultTrial) + cost(summary.best);
  cells += numberCell(summary.gain,
                      summary.gain > 0 ? formatRatio(summary.gain) : "-");
  return row(cells);
}

static Markup indexTable(std::span<const TaskSummary> summaries) {
  Markup heads;
  for (const char *head : {"kernel", "target", "device"})
    heads += headCell(head);
  for (const char *head : {"trials", "ok", "default", "best", "gain"})
    heads += headCell(head, "n");
  Markup rows;
  for (size_t i = 0; i < summaries.size(); ++i)
    rows += indexRow(summaries[i], i);
  return scrolled(element("table", {{"class", "index"}},
                          line(element("thead", element("tr", heads))) +
                              element("tbody", rows)));
}

static Markup legend() {
  Markup words;
  for (Verdict verdict : allVerdicts())
    words +=
        element("span", element("i", {{"class", verdictClass(verdict)}}, {}) +
                            verdictName(verdict));
  return line(element("p", {{"class", "legend soft"}}, words));
}

//===----------------------------------------------------------------------===//
// A task
//===----------------------------------------------------------------------===//

static Markup cards(const TaskSummary &summary) {
  Markup cards;
  if (summary.best)
    cards += html::card(costWords(*summary.best), "best");
  if (summary.defaultTrial)
    cards += html::card(costWords(*summary.defaultTrial), "default");
  if (summary.gain > 0)
    cards += html::card(formatRatio(summary.gain), "gain over the default");
  size_t bad = 0;
  double seconds = 0, measuring = 0;
  for (const TrialRecord &trial : summary.trials) {
    bad += trial.verdict != Verdict::ok;
    seconds += trial.seconds;
    measuring += trial.measuring;
  }
  cards += html::card(formatCount(summary.trials.size()), "trials");
  cards += html::card(formatCount(bad), "rejected");
  if (seconds > 0) {
    cards += html::card(formatDuration(seconds), "in trials");
    cards +=
        html::card(formatNumber(100 * measuring / seconds) + " %", "measuring");
  }
  return line(element("div", {{"class", "cards"}}, cards));
}

static Markup figureMarkup(const Figure &figure) {
  Markup content = line(element("figcaption", figure.caption)) + figure.svg;
  if (!figure.note.empty())
    content += element("p", figure.note);
  return line(element("figure", content));
}

static Markup rejections(const TaskSummary &summary) {
  std::vector<ReasonCount> reasons = countReasons(summary.trials);
  if (reasons.empty())
    return {};
  constexpr size_t most = 12;
  Markup rows;
  for (size_t i = 0; i < std::min(reasons.size(), most); ++i) {
    const ReasonCount &reason = reasons[i];
    double share = 100.0 * double(reason.count) / double(reasons[0].count);
    Markup bar =
        element("span",
                {{"class", "bar " + std::string(verdictClass(reason.verdict))},
                 {"style",
                  format("width:{}%", {formatShortest(std::max(share, 1.0))})}},
                {});
    rows += row(cell(formatCount(reason.count), "n") +
                cell(verdictName(reason.verdict)) +
                cell(oneLine(reason.reason, 90)) +
                element("td", {{"style", "width:40%"}}, bar));
  }
  if (reasons.size() > most)
    rows += element(
        "tr", cell({}) + element("td", {{"colspan", "3"}},
                                 "and " + formatPlural(reasons.size() - most,
                                                       "further reason")));
  return heading("Rejected") + line(element("table", rows));
}

/// The interval of a median, on a scale that is the same for all rows.
static Markup intervalPicture(const TrialRecord &trial, double low,
                              double high) {
  auto position = [&](double value) {
    double share = high > low ? (value - low) / (high - low) : 0.5;
    return formatShortest(double(int(40 + 1420 * std::clamp(share, 0.0, 1.0))) /
                          10);
  };
  return element("svg", {{"class", "interval"}, svg::viewBox(150, 14)},
                 emptyElement("path", {{"d", format("M{} 7H{}",
                                                    {position(trial.low),
                                                     position(trial.high)})}}) +
                     emptyElement("circle", {{"r", "3"},
                                             {"cy", "7"},
                                             {"cx", position(trial.median)}}));
}

static Markup rankedRow(const TrialRecord &trial, size_t rank, double low,
                        double high) {
  return row(cell(std::to_string(rank), "n") + cell(costWords(trial), "n") +
             cell(intervalPicture(trial, low, high)) +
             cell(costText(trial.low, trial.metric), "n") +
             cell(costText(trial.high, trial.metric), "n") +
             cell(formatCount(size_t(trial.samples)), "n") +
             cell(modelledText(trial), "n") + cell(trial.origin) +
             cell(trial.schedule, "code"));
}

static Markup tenBest(const TaskSummary &summary) {
  std::vector<TrialRecord> ranked = rankedTrials(summary, 10);
  if (ranked.empty())
    return {};
  double low = ranked[0].low, high = ranked[0].high;
  for (const TrialRecord &trial : ranked) {
    low = std::min(low, trial.low);
    high = std::max(high, trial.high);
  }
  Markup rows = row(
      headCell({}, "n") + headCell("cost", "n") + headCell("interval") +
      headCell("low", "n") + headCell("high", "n") + headCell("launches", "n") +
      headCell("modelled", "n") + headCell("origin") + headCell("schedule"));
  for (size_t i = 0; i < ranked.size(); ++i)
    rows += rankedRow(ranked[i], i + 1, low, high);
  return heading("The ten best") + scrolled(element("table", rows));
}

/// The different values of a field of the trials, in the order of letters.
static std::string valuesOf(const TaskSummary &summary,
                            std::string TrialRecord::*field) {
  std::set<std::string> values;
  for (const TrialRecord &trial : summary.trials)
    values.insert(trial.*field);
  return joined(values, "; ", [](const std::string &value) {
    return value.empty() ? "none" : value;
  });
}

static Markup environment(const TaskSummary &summary,
                          std::span<const RunRecord> runs) {
  Markup rows;
  auto add = [&](const char *name, const std::string &text) {
    rows += row(headCell(name) + cell(text, "code"));
  };
  add("device", valuesOf(summary, &TrialRecord::device));
  add("hardware", summary.hardware.empty() ? "unknown" : summary.hardware);
  add("driver", valuesOf(summary, &TrialRecord::driver));
  add("compiler", valuesOf(summary, &TrialRecord::compiler));
  for (const RunRecord &run : runs) {
    auto count = std::ranges::count(summary.trials, run.run, &TrialRecord::run);
    if (count == 0)
      continue;
    add("run", format("{} on {}, Tilewright {}, seed {}, shard {}, {}",
                      {run.started, run.host, run.version, run.seed, run.shard,
                       formatPlural(size_t(count), "trial")}));
    add("command", run.command);
  }
  return heading("Environment") + line(element("table", rows));
}

/// Where the trials ran, and of what.
static Markup introduction(const TaskSummary &summary) {
  const TaskRecord &task = summary.task;
  std::string where = task.target;
  if (!summary.device.empty())
    where += format(" on {}, {}", {summary.device, summary.hardware});
  // Shapes are part of a graph's code.
  Markup given;
  if (!task.arguments.empty())
    given = "arguments " + element("code", task.arguments) + ", ";
  return line(element("h2", nameOf(task))) + soft(where) +
         soft(given + "task " + element("code", task.task));
}

static Markup searchFigures(const TaskSummary &summary) {
  Markup figures;
  for (const Figure &figure : convergenceFigures(summary))
    figures += figureMarkup(figure);
  figures += figureMarkup(modelFigure(summary));
  figures += figureMarkup(rooflineFigure(summary));
  Markup text = heading("The search");
  if (size_t stride = plotStride(summary); stride > 1)
    text += element("p", {{"class", "soft"}},
                    format("The plots show one of every {} trials.",
                           {formatCount(stride)}));
  return text + line(element("div", {{"class", "figures"}}, figures));
}

static Markup parameterSection(const TaskSummary &summary) {
  Markup figures;
  for (const Figure &figure : parameterFigures(summary))
    figures += figureMarkup(figure);
  if (figures.empty())
    return {};
  return heading("Each parameter") +
         line(element("div", {{"class", "figures small"}}, figures));
}

static Markup taskSection(const TaskSummary &summary, size_t index,
                          std::span<const RunRecord> runs) {
  Markup body = introduction(summary);
  if (summary.trials.empty()) {
    body += line(element("p", "Not tried yet."));
  } else {
    body += cards(summary);
    if (summary.best)
      body += line(element("p", "Best schedule: " +
                                    element("code", summary.best->schedule)));
    body += searchFigures(summary) + parameterSection(summary) +
            rejections(summary) + tenBest(summary) + environment(summary, runs);
  }
  return line(element("section", {{"id", anchor(index)}}, body));
}

//===----------------------------------------------------------------------===//
// The page
//===----------------------------------------------------------------------===//

/// Sorts the index by a click on a column's head.
static constexpr std::string_view sortScript = R"js(
for (const head of document.querySelectorAll('.index th'))
  head.addEventListener('click', () => {
    const column = head.cellIndex, body = head.closest('table').tBodies[0];
    const up = head.dataset.up = head.dataset.up === '1' ? '' : '1';
    const value = row => row.cells[column].dataset.v
      ?? row.cells[column].textContent;
    const order = (a, b) => isNaN(a) || isNaN(b)
      ? String(a).localeCompare(b) : a - b;
    [...body.rows]
      .sort((a, b) => order(value(a), value(b)) * (up ? 1 : -1))
      .forEach(row => body.append(row));
  });
)js";

std::string htmlReport(const std::string &title,
                       std::span<const TaskSummary> found,
                       std::span<const RunRecord> runs) {
  std::vector<TaskSummary> summaries;
  for (const TaskSummary &summary : found)
    summaries.push_back(levelled(summary));
  std::set<std::string> tasks;
  size_t trials = 0;
  for (const TaskSummary &summary : summaries) {
    tasks.insert(summary.task.task);
    trials += summary.trials.size();
  }
  Markup body = line() + line(element("h1", title)) +
                soft(format("{}, {}, {}", {formatPlural(tasks.size(), "task"),
                                           formatPlural(trials, "trial"),
                                           formatPlural(runs.size(), "run")}));
  if (summaries.empty())
    body += line(element("p", "The database holds no tasks."));
  else
    body += soft(Markup::literal(
                "Times are those at the load that the machine had when the "
                "default was timed: the default's, times what launches in "
                "pairs say.")) +
            legend() + indexTable(summaries);
  for (size_t i = 0; i < summaries.size(); ++i)
    body += taskSection(summaries[i], i, runs);
  body += line(verbatimElement("script", sortScript));
  Markup head = line() + line(html::headContent(title + " - tuning"));
  return html::document(line() + line(element("head", head)) +
                        line(element("body", body)));
}

} // namespace tilewright::autotune
