//===- TuneShow.cpp - tilewright tune list | show | best ------------------===//
#include "autotune/database/Export.h"
#include "autotune/report/Format.h"
#include "autotune/report/Html.h"
#include "support/Format.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/Tune.h"

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

namespace tilewright::tool {

using namespace autotune;
using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

namespace {
struct ShowArguments {
  std::string database, task, html;
  bool json = false;
};
} // namespace

static std::string costOf(const TrialRecord &trial) {
  return costText(trial.median, trial.metric);
}

static std::string gainText(const TaskSummary &summary) {
  return summary.gain > 0 ? formatRatio(summary.gain) : "-";
}

static Json shortTrial(const TrialRecord &trial) {
  return {{"schedule", trial.schedule}, {"metric", metricName(trial.metric)},
          {"median", trial.median},     {"low", trial.low},
          {"high", trial.high},         {"samples", trial.samples},
          {"origin", trial.origin},     {"compiler", trial.compiler},
          {"driver", trial.driver},     {"started", trial.started},
          {"key", trialKey(trial)}};
}

static Json jsonOf(const TaskSummary &summary) {
  const TaskRecord &task = summary.task;
  Json entry = {{"task", task.task},
                {"label", task.label},
                {"family", task.family},
                {"shape", task.shape},
                {"arguments", task.arguments},
                {"target", task.target},
                {"device", summary.device},
                {"hardware", summary.hardware},
                {"trials", summary.trials.size()},
                {"best", nullptr},
                {"default", nullptr},
                {"gain", nullptr}};
  if (summary.best)
    entry["best"] = shortTrial(*summary.best);
  if (summary.defaultTrial)
    entry["default"] = shortTrial(*summary.defaultTrial);
  if (summary.gain > 0)
    entry["gain"] = summary.gain;
  return entry;
}

/// As `inspect --json`: nothing but the results.
static int printJson(const Json &json) {
  std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  return exitGood;
}

//===----------------------------------------------------------------------===//
// list
//===----------------------------------------------------------------------===//

static int list(const ShowArguments &arguments) {
  auto summaries = readSummaries(arguments.database);
  if (!summaries.ok())
    return fail(summaries.status());
  if (arguments.json) {
    Json entries = Json::array();
    for (const TaskSummary &summary : *summaries)
      entries.push_back(jsonOf(summary));
    return printJson(entries);
  }
  std::set<std::string> tasks;
  size_t trials = 0;
  TextTable table({Align::left, Align::left, Align::left, Align::left,
                   Align::right, Align::right, Align::right});
  table.add({"task", "kernel", "target", "device", "trials", "best", "gain"});
  for (const TaskSummary &found : *summaries) {
    TaskSummary summary = levelled(found);
    tasks.insert(summary.task.task);
    trials += found.trials.size();
    table.add({summary.task.task.substr(0, 8), oneLine(summary.task.label, 48),
               summary.task.target,
               summary.device.empty() ? "-" : summary.device,
               formatCount(found.trials.size()),
               summary.best ? costOf(*summary.best) : "-", gainText(summary)});
  }
  std::cout << formatPlural(tasks.size(), "task") << ", "
            << formatPlural(trials, "trial") << "\n";
  if (!summaries->empty())
    std::cout << table.text("  ");
  return exitGood;
}

//===----------------------------------------------------------------------===//
// show
//===----------------------------------------------------------------------===//

/// "610 us, 602 us to 621 us, of 40 samples".
static std::string measured(const TrialRecord &trial) {
  std::string text = costOf(trial);
  if (trial.metric == Metric::time)
    text += format(", {} to {}, of {}",
                   {formatTime(trial.low), formatTime(trial.high),
                    formatPlural(size_t(trial.samples), "sample")});
  return text;
}

static void printRanked(const TaskSummary &summary) {
  TextTable table(
      {Align::right, Align::right, Align::right, Align::left, Align::left});
  table.add({"", "cost", "modelled", "origin", "schedule"});
  size_t rank = 0;
  for (const TrialRecord &trial : rankedTrials(summary, 10))
    table.add({std::to_string(++rank), costOf(trial), modelledText(trial),
               oneLine(trial.origin, 12), oneLine(trial.schedule, 100)});
  std::cout << table.text("  ");
}

static void printSummary(const TaskSummary &found) {
  TaskSummary summary = levelled(found);
  const TaskRecord &task = summary.task;
  std::cout << oneLine(task.label, 80) << "\n";
  TextTable facts({Align::left, Align::left});
  facts.add({"task", task.task});
  facts.add({"target", format("{}; arguments {}",
                              {task.target, oneLine(task.arguments, 70)})});
  if (summary.trials.empty()) {
    std::cout << facts.text("  ") << "  not tried yet\n";
    return;
  }
  facts.add({"device", format("{}, {}", {summary.device,
                                         oneLine(summary.hardware, 70)})});
  size_t good = 0;
  for (const TrialRecord &trial : found.trials)
    good += trial.verdict == Verdict::ok;
  facts.add({"trials",
             format("{}, of them {} ok",
                    {formatCount(found.trials.size()), formatCount(good)})});
  if (summary.defaultTrial)
    facts.add(
        {"default",
         format("{}; {}", {measured(*summary.defaultTrial),
                           oneLine(summary.defaultTrial->schedule, 100)})});
  if (summary.best)
    facts.add(
        {"best", format("{}; {}", {measured(*summary.best),
                                   oneLine(summary.best->schedule, 100)})});
  if (summary.gain > 0)
    facts.add({"gain", formatRatio(summary.gain)});
  std::cout << facts.text("  ");
  std::vector<ReasonCount> reasons = countReasons(summary.trials);
  reasons.resize(std::min<size_t>(reasons.size(), 8));
  for (const ReasonCount &reason : reasons)
    std::cout << "  " << formatCount(reason.count) << " "
              << verdictName(reason.verdict)
              << (reason.reason.empty() ? "" : ": ")
              << oneLine(reason.reason, 80) << "\n";
  if (summary.best)
    printRanked(summary);
}

static int showHtml(const ShowArguments &arguments,
                    const std::vector<TaskSummary> &summaries) {
  auto database = Database::open(arguments.database, Database::Mode::read);
  if (!database.ok())
    return fail(database.status());
  auto runs = database->runs();
  if (!runs.ok())
    return fail(runs.status());
  std::string title =
      std::filesystem::path(arguments.database).filename().string();
  Status status =
      writeText(arguments.html, htmlReport(title, summaries, *runs));
  if (!status.ok())
    return fail(status);
  std::cout << "wrote " << arguments.html << "\n";
  return exitGood;
}

static int show(const ShowArguments &arguments) {
  auto summaries = readSummaries(arguments.database);
  if (summaries.ok())
    summaries = selectTasks(*std::move(summaries), arguments.task);
  if (!summaries.ok())
    return fail(summaries.status());
  if (!arguments.html.empty())
    return showHtml(arguments, *summaries);
  if (arguments.json) {
    Json entries = Json::array();
    for (const TaskSummary &summary : *summaries) {
      Json &entry = entries.emplace_back(jsonOf(summary));
      entry["rejected"] = Json::array();
      for (const ReasonCount &reason : countReasons(summary.trials))
        entry["rejected"].push_back({{"verdict", verdictName(reason.verdict)},
                                     {"reason", reason.reason},
                                     {"count", reason.count}});
      entry["ranked"] = Json::array();
      for (const TrialRecord &trial : rankedTrials(summary, 10))
        entry["ranked"].push_back(shortTrial(trial));
    }
    return printJson(entries);
  }
  if (summaries->empty())
    std::cout << "no tasks\n";
  for (const TaskSummary &summary : *summaries) {
    if (&summary != &summaries->front())
      std::cout << "\n";
    printSummary(summary);
  }
  return exitGood;
}

//===----------------------------------------------------------------------===//
// best
//===----------------------------------------------------------------------===//

static int best(const ShowArguments &arguments) {
  auto summaries = readSummaries(arguments.database);
  if (!summaries.ok())
    return fail(summaries.status());
  std::erase_if(*summaries,
                [](const TaskSummary &summary) { return !summary.best; });
  if (arguments.json) {
    Json entries = Json::array();
    for (const TaskSummary &summary : *summaries)
      entries.push_back(jsonOf(summary));
    return printJson(entries);
  }
  TextTable table(
      {Align::left, Align::left, Align::left, Align::right, Align::left});
  table.add({"task", "kernel", "device", "best", "schedule"});
  for (const TaskSummary &found : *summaries) {
    TaskSummary summary = levelled(found);
    table.add({summary.task.task.substr(0, 8), oneLine(summary.task.label, 48),
               summary.device, costOf(*summary.best),
               oneLine(summary.best->schedule, 200)});
  }
  std::cout << table.text();
  return exitGood;
}

void addTuneShow(CLI::App &tune, Action &action) {
  auto add = [&](const char *name, const char *text,
                 int (*work)(const ShowArguments &)) {
    auto arguments = std::make_shared<ShowArguments>();
    CLI::App *command = tune.add_subcommand(name, text);
    command->add_option("DB", arguments->database, "The database")->required();
    if (work == show)
      command->add_option("TASK", arguments->task,
                          "The first digits of a task, or a part of its label");
    CLI::Option *json = command->add_flag("--json", arguments->json,
                                          "Machine-readable results");
    if (work == show)
      command->add_option("--html", arguments->html, "Write a page with plots")
          ->excludes(json);
    command->callback([arguments, work, &action] {
      action = [arguments, work] { return work(*arguments); };
    });
  };
  add("list", "List the tasks of a database", list);
  add("show", "Show what was tried, and what came of it", show);
  add("best", "List the best schedule of each task", best);
}

} // namespace tilewright::tool
