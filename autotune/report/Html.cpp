#include "autotune/report/Html.h"

#include "autotune/report/Format.h"
#include "autotune/report/HtmlStyle.h"
#include "autotune/report/Plot.h"
#include "autotune/report/TaskPlots.h"
#include <algorithm>
#include <charconv>
#include <set>

namespace tilewright::autotune {

/// `content` is markup.
static std::string tagged(const std::string &open, const std::string &content) {
  std::string name = open.substr(0, open.find(' '));
  return "<" + open + ">" + content + "</" + name + ">";
}

static std::string costWords(const TrialRecord &trial) {
  return escapeMarkup(costText(trial.median, trial.metric));
}

static std::string plain(double value) {
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end.ptr};
}

//===----------------------------------------------------------------------===//
// The index
//===----------------------------------------------------------------------===//

static std::string anchor(size_t index) {
  return "task-" + std::to_string(index + 1);
}

/// A cell that is sorted by a number.
static std::string numberCell(double value, const std::string &content) {
  return tagged("td class=\"n\" data-v=\"" + plain(value) + "\"", content);
}

static std::string indexRow(const TaskSummary &summary, size_t index) {
  const TaskRecord &task = summary.task;
  auto good = double(
      std::ranges::count(summary.trials, Verdict::ok, &TrialRecord::verdict));
  auto cost = [](const std::optional<TrialRecord> &trial) {
    return numberCell(trial ? trial->median : 0,
                      trial ? costWords(*trial) : "-");
  };
  std::string row = tagged(
      "td", tagged("a href=\"#" + anchor(index) + "\"",
                   escapeMarkup(task.label.empty() ? task.task : task.label)));
  row += tagged("td", escapeMarkup(task.target));
  row +=
      tagged("td", summary.device.empty() ? "-" : escapeMarkup(summary.device));
  row += numberCell(double(summary.trials.size()),
                    formatCount(summary.trials.size()));
  row += numberCell(good, formatCount(size_t(good)));
  row += cost(summary.initial) + cost(summary.best);
  row += numberCell(summary.gain,
                    summary.gain > 0 ? formatRatio(summary.gain) : "-");
  return tagged("tr", row) + "\n";
}

static std::string indexTable(std::span<const TaskSummary> summaries) {
  std::string heads;
  for (const char *head : {"kernel", "target", "device"})
    heads += tagged("th", head);
  for (const char *head : {"trials", "ok", "default", "best", "gain"})
    heads += tagged("th class=\"n\"", head);
  std::string rows;
  for (size_t i = 0; i < summaries.size(); ++i)
    rows += indexRow(summaries[i], i);
  return tagged("div class=\"scroll\"",
                tagged("table class=\"index\"",
                       tagged("thead", tagged("tr", heads)) + "\n" +
                           tagged("tbody", rows))) +
         "\n";
}

static std::string legend() {
  std::string words;
  for (Verdict verdict : allVerdicts())
    words += tagged("span", "<i class=\"" + std::string(verdictClass(verdict)) +
                                "\"></i>" + std::string(verdictName(verdict)));
  return tagged("p class=\"legend soft\"", words) + "\n";
}

//===----------------------------------------------------------------------===//
// A task
//===----------------------------------------------------------------------===//

static std::string card(const std::string &value, const std::string &name) {
  return tagged("div class=\"card\"",
                tagged("b", value) + tagged("span", name));
}

static std::string cards(const TaskSummary &summary) {
  std::string cards;
  if (summary.best)
    cards += card(costWords(*summary.best), "best");
  if (summary.initial)
    cards += card(costWords(*summary.initial), "default");
  if (summary.gain > 0)
    cards += card(formatRatio(summary.gain), "gain over the default");
  size_t bad = 0;
  double seconds = 0, measuring = 0;
  for (const TrialRecord &trial : summary.trials) {
    bad += trial.verdict != Verdict::ok;
    seconds += trial.seconds;
    measuring += trial.measuring;
  }
  cards += card(formatCount(summary.trials.size()), "trials");
  cards += card(formatCount(bad), "rejected");
  if (seconds > 0) {
    cards += card(formatDuration(seconds), "in trials");
    cards += card(formatNumber(100 * measuring / seconds) + " %", "measuring");
  }
  return tagged("div class=\"cards\"", cards) + "\n";
}

static std::string figureMarkup(const Figure &figure) {
  std::string content = tagged("figcaption", escapeMarkup(figure.caption));
  content += "\n" + figure.svg;
  if (!figure.note.empty())
    content += tagged("p", escapeMarkup(figure.note));
  return tagged("figure", content) + "\n";
}

static std::string rejections(const TaskSummary &summary) {
  std::vector<ReasonCount> reasons = countReasons(summary.trials);
  if (reasons.empty())
    return "";
  constexpr size_t most = 12;
  std::string rows;
  for (size_t i = 0; i < std::min(reasons.size(), most); ++i) {
    const ReasonCount &reason = reasons[i];
    double share = 100.0 * double(reason.count) / double(reasons[0].count);
    std::string bar =
        "<span class=\"bar " + std::string(verdictClass(reason.verdict)) +
        "\" style=\"width:" + plain(std::max(share, 1.0)) + "%\"></span>";
    rows += tagged("tr",
                   tagged("td class=\"n\"", formatCount(reason.count)) +
                       tagged("td", std::string(verdictName(reason.verdict))) +
                       tagged("td", escapeMarkup(oneLine(reason.reason, 90))) +
                       tagged("td style=\"width:40%\"", bar)) +
            "\n";
  }
  if (reasons.size() > most)
    rows += tagged("tr", "<td></td>" +
                             tagged("td colspan=\"3\"",
                                    "and " + formatPlural(reasons.size() - most,
                                                          "further reason")));
  return tagged("h3", "Rejected") + tagged("table", rows) + "\n";
}

/// The interval of a median, on a scale that is the same for all rows.
static std::string intervalPicture(const TrialRecord &trial, double low,
                                   double high) {
  auto place = [&](double value) {
    double share = high > low ? (value - low) / (high - low) : 0.5;
    return plain(double(int(40 + 1420 * std::clamp(share, 0.0, 1.0))) / 10);
  };
  return "<svg class=\"interval\" viewBox=\"0 0 150 14\"><path d=\"M" +
         place(trial.low) + " 7H" + place(trial.high) +
         "\"/><circle r=\"3\" cy=\"7\" cx=\"" + place(trial.median) +
         "\"/></svg>";
}

static std::string tenBest(const TaskSummary &summary) {
  std::vector<TrialRecord> ranked = rankedTrials(summary, 10);
  if (ranked.empty())
    return "";
  double low = ranked[0].low, high = ranked[0].high;
  for (const TrialRecord &trial : ranked) {
    low = std::min(low, trial.low);
    high = std::max(high, trial.high);
  }
  std::string rows = "<tr><th class=\"n\"></th><th class=\"n\">cost</th>"
                     "<th>interval</th><th class=\"n\">low</th>"
                     "<th class=\"n\">high</th><th class=\"n\">launches</th>"
                     "<th class=\"n\">modelled</th><th>origin</th>"
                     "<th>schedule</th></tr>\n";
  for (size_t i = 0; i < ranked.size(); ++i) {
    const TrialRecord &trial = ranked[i];
    auto number = [](const std::string &text) {
      return tagged("td class=\"n\"", text);
    };
    rows +=
        tagged("tr",
               number(std::to_string(i + 1)) + number(costWords(trial)) +
                   tagged("td", intervalPicture(trial, low, high)) +
                   number(costText(trial.low, trial.metric)) +
                   number(costText(trial.high, trial.metric)) +
                   number(formatCount(size_t(trial.samples))) +
                   number(modelledText(trial)) +
                   tagged("td", escapeMarkup(trial.origin)) +
                   tagged("td class=\"code\"", escapeMarkup(trial.schedule))) +
        "\n";
  }
  return tagged("h3", "The ten best") +
         tagged("div class=\"scroll\"", tagged("table", rows)) + "\n";
}

/// The different values of a field of the trials, in the order of letters.
static std::string valuesOf(const TaskSummary &summary,
                            std::string TrialRecord::*field) {
  std::set<std::string> values;
  for (const TrialRecord &trial : summary.trials)
    values.insert(trial.*field);
  std::string text;
  for (const std::string &value : values)
    text += (text.empty() ? "" : "; ") + (value.empty() ? "none" : value);
  return text;
}

static std::string environment(const TaskSummary &summary,
                               std::span<const RunRecord> runs) {
  std::string rows;
  auto add = [&](const char *name, const std::string &text) {
    rows += tagged("tr", tagged("th", name) +
                             tagged("td class=\"code\"", escapeMarkup(text))) +
            "\n";
  };
  add("device", valuesOf(summary, &TrialRecord::device));
  add("hardware", summary.hardware.empty() ? "unknown" : summary.hardware);
  add("driver", valuesOf(summary, &TrialRecord::driver));
  add("compiler", valuesOf(summary, &TrialRecord::compiler));
  for (const RunRecord &run : runs) {
    auto count = std::ranges::count(summary.trials, run.run, &TrialRecord::run);
    if (count == 0)
      continue;
    add("run", run.started + " on " + run.host + ", Tilewright " + run.version +
                   ", seed " + std::to_string(run.seed) + ", shard " +
                   run.shard + ", " + formatPlural(size_t(count), "trial"));
    add("command", run.command);
  }
  return tagged("h3", "Environment") + tagged("table", rows) + "\n";
}

static std::string taskSection(const TaskSummary &summary, size_t index,
                               std::span<const RunRecord> runs) {
  const TaskRecord &task = summary.task;
  std::string body =
      tagged("h2", escapeMarkup(task.label.empty() ? task.task : task.label)) +
      "\n";
  std::string where = task.target;
  if (!summary.device.empty())
    where += " on " + summary.device + ", " + summary.hardware;
  body += tagged("p class=\"soft\"", escapeMarkup(where)) + "\n";
  // Shapes are part of a graph's code.
  std::string given =
      task.arguments.empty()
          ? ""
          : "arguments " + tagged("code", escapeMarkup(task.arguments)) + ", ";
  body += tagged("p class=\"soft\"",
                 given + "task " + tagged("code", escapeMarkup(task.task))) +
          "\n";
  if (summary.trials.empty())
    body += tagged("p", "Not tried yet.") + "\n";
  if (!summary.trials.empty()) {
    body += cards(summary);
    if (summary.best)
      body += tagged("p",
                     "Best schedule: " +
                         tagged("code", escapeMarkup(summary.best->schedule))) +
              "\n";
    std::string figures;
    for (const Figure &figure : convergenceFigures(summary))
      figures += figureMarkup(figure);
    figures += figureMarkup(modelFigure(summary));
    figures += figureMarkup(rooflineFigure(summary));
    body += tagged("h3", "The search");
    if (size_t stride = plotStride(summary); stride > 1)
      body += tagged("p class=\"soft\"", "The plots show one of every " +
                                             formatCount(stride) + " trials.");
    body += tagged("div class=\"figures\"", figures) + "\n";
    std::string knobs;
    for (const Figure &figure : knobFigures(summary))
      knobs += figureMarkup(figure);
    if (!knobs.empty())
      body += tagged("h3", "Each choice") +
              tagged("div class=\"figures small\"", knobs) + "\n";
    body += rejections(summary) + tenBest(summary) + environment(summary, runs);
  }
  return tagged("section id=\"" + anchor(index) + "\"", body) + "\n";
}

//===----------------------------------------------------------------------===//
// The page
//===----------------------------------------------------------------------===//

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
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                     "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                     "content=\"width=device-width, initial-scale=1\">\n";
  page += tagged("title", escapeMarkup(title) + " - tuning") + "\n" +
          tagged("style", std::string(reportStyle())) + "\n</head>\n<body>\n";
  page += tagged("h1", escapeMarkup(title)) + "\n";
  page += tagged("p class=\"soft\"", formatPlural(tasks.size(), "task") + ", " +
                                         formatPlural(trials, "trial") + ", " +
                                         formatPlural(runs.size(), "run")) +
          "\n";
  if (summaries.empty())
    page += tagged("p", "The database holds no tasks.") + "\n";
  else
    page += tagged("p class=\"soft\"",
                   "Times are those at the load that the machine had when the "
                   "default was timed: the default's, times what launches in "
                   "pairs say.") +
            "\n" + legend() + indexTable(summaries);
  for (size_t i = 0; i < summaries.size(); ++i)
    page += taskSection(summaries[i], i, runs);
  return page + tagged("script", std::string(reportScript())) +
         "\n</body>\n</html>\n";
}

} // namespace tilewright::autotune
