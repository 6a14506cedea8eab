//===- TuneRun.cpp - tilewright tune KERNEL|MODEL|SHAPES.csv --------------===//
#include "autotune/report/Format.h"
#include "autotune/report/Summary.h"
#include "autotune/report/TerminalView.h"
#include "library/tuning/IdentifyRun.h"
#include "support/Format.h"
#include "tilewright/compiler/Plugins.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/Tune.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tilewright::tool {

using namespace autotune;

/// "90s", "10m", "2h" in seconds; "0" is no limit.
static StatusOr<double> parseDuration(const std::string &text) {
  double number = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, size_t(text.data() + text.size() - end));
  double scale = unit == "s" || unit.empty() ? 1
                 : unit == "m"               ? 60
                 : unit == "h"               ? 3600
                                             : 0;
  if (error != std::errc() || scale == 0 || number < 0)
    return Status::invalidInput(format(
        "--time expects a number and s, m or h, as 90s or 10m, found '{}'",
        {text}));
  return number * scale;
}

/// "2/3": the second of three.
static Status parseShard(const std::string &text, SearchOptions &options) {
  size_t slash = text.find('/'), number = 0, count = 0;
  auto read = [](std::string_view digits, size_t &value) {
    auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  std::string_view view = text;
  if (slash == std::string::npos || !read(view.substr(0, slash), number) ||
      !read(view.substr(slash + 1), count) || number < 1 || number > count)
    return Status::invalidInput(format(
        "--shard expects which part of how many, as 2/3, found '{}'", {text}));
  options.shard = number - 1;
  options.shards = count;
  return Status();
}

/// The target of the device's schedules.
static StatusOr<std::string> targetOf(const TuneArguments &arguments) {
  if (!arguments.target.empty())
    return arguments.target;
  if (arguments.device == "cpu")
    return std::string("cpu");
  TILEWRIGHT_ASSIGN_OR_RETURN(auto device,
                              runtime::openDevice(arguments.device));
  if (device->info().targets.empty())
    return Status::unsupported(
        format("device '{}' names no target; give one with --target",
               {arguments.device}));
  return device->info().targets.front();
}

/// This process's, its words by blanks.
static std::string commandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!text.empty())
    text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  return text;
}

StatusOr<TuneOptions> tuneOptions(const TuneArguments &arguments) {
  TuneOptions options;
  options.device = arguments.device;
  options.threads = arguments.threads;
  TILEWRIGHT_ASSIGN_OR_RETURN(options.seconds, parseDuration(arguments.time));
  options.trials = arguments.trials;
  options.jobs = arguments.jobs;
  options.search.seed = arguments.seed;
  std::optional<Strategy> strategy = strategyByName(arguments.strategy);
  if (!strategy)
    return Status::invalidInput(format(
        "--strategy expects evolution, model, random or exhaustive, found '{}'",
        {arguments.strategy}));
  options.search.strategy = *strategy;
  options.search.onlyParameters = arguments.only;
  options.search.triesRejected = arguments.tryRejected;
  TILEWRIGHT_RETURN_IF_ERROR(parseShard(arguments.shard, options.search));
  options.resume = arguments.resume;
  options.warmCaches = arguments.warm;
  options.timeoutSeconds = arguments.timeout;
  options.memoryBytes = size_t(arguments.memoryGiB * double(1 << 30));
  std::error_code error;
  // A program that was replaced meanwhile is still found there.
  options.worker = {"/proc/self/exe", "tune-worker"};
  for (const std::string &file : arguments.pluginFiles)
    options.worker.insert(options.worker.end(), {"--plugin", file});
  TILEWRIGHT_ASSIGN_OR_RETURN(options.plugins,
                              loadPlugins(arguments.pluginFiles));
  options.scratch = std::filesystem::temp_directory_path(error);
  options.command = commandLine();
  identifyRun(options);
  // With other plug-ins the same code becomes another kernel.
  if (options.plugins)
    options.compiler += " " + std::string(options.plugins->identity());
  return options;
}

static nlohmann::ordered_json toJson(const TuneReport &report) {
  nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
  for (const TunedTask &task : report.tasks) {
    nlohmann::ordered_json entry = {{"task", task.task.task},
                                    {"label", task.task.label},
                                    {"count", task.count},
                                    {"trials", task.trials},
                                    {"metric", metricName(task.metric)},
                                    {"default", task.defaultCost},
                                    {"best", task.best},
                                    {"schedule", task.schedule}};
    if (task.triedDefaultOnly)
      entry["trouble"] = "there was time for its default schedule only";
    if (!task.trouble.empty())
      entry["trouble"] = task.trouble;
    tasks.push_back(std::move(entry));
  }
  return {{"run", report.run.run},
          {"trials", report.trials},
          {"failures", report.failures},
          {"modelled", report.modelled},
          {"rejections", report.rejections},
          {"seconds", report.seconds},
          {"measuring_seconds", report.measuring},
          {"tasks", std::move(tasks)}};
}

static std::string summaryOf(const TuneReport &report) {
  std::string text = format(
      "{} in {} ({} a second, {} % of the time measuring), {} schedules "
      "modelled\n",
      {formatPlural(report.trials, "trial"), formatDuration(report.seconds),
       formatNumber(double(report.trials) / report.seconds),
       formatNumber(100 * report.measuring / report.seconds),
       formatCount(report.modelled)});
  for (const auto &[reason, count] : report.rejections)
    text += format("  {} not tried: {}\n", {formatCount(count), reason});
  for (const auto &[verdict, count] : report.failures)
    text += format("  {} failed: {}\n", {formatCount(count), verdict});
  return text;
}

/// For people: a line per task, then a summary.
static std::string describe(const TuneReport &report,
                            const Workload &workload) {
  using Align = TextTable::Align;
  TextTable table({Align::left, Align::right, Align::right, Align::right,
                   Align::right, Align::left});
  table.add({"kernel", "default", "best", "gain", "trials", "schedule"});
  double defaultCost = 0, best = 0;
  Metric metric = Metric::time;
  std::string troubles;
  for (const TunedTask &task : report.tasks) {
    const std::string label = oneLine(task.task.label, 40);
    if (!task.trouble.empty()) {
      troubles += format("not tuned: {}: {}\n", {label, task.trouble});
      continue;
    }
    if (task.triedDefaultOnly)
      troubles += format(
          "not tuned: {}: there was time for its default schedule only\n",
          {label});
    const bool hasGain = task.defaultCost > 0 && task.best > 0;
    if (hasGain) {
      defaultCost += double(task.count) * task.defaultCost;
      best += double(task.count) * task.best;
      metric = task.metric;
    }
    table.add({label, hasGain ? costText(task.defaultCost, task.metric) : "-",
               costText(task.best, task.metric),
               hasGain ? formatRatio(task.defaultCost / task.best) : "-",
               formatCount(task.trials), task.schedule});
  }
  for (const std::string &reason : workload.untuned)
    troubles += format("not tuned: {}\n", {reason});
  std::string text = table.text() + troubles + summaryOf(report);
  if (best > 0)
    text += format("one launch of each: {} -> {}, {}\n",
                   {costText(defaultCost, metric), costText(best, metric),
                    formatRatio(defaultCost / best)});
  return text;
}

/// Shows progress on a terminal.
static std::function<void(const RunProgress &)> showProgress() {
  if (!::isatty(STDERR_FILENO))
    return {};
  winsize size = {};
  ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
  auto view =
      std::make_shared<TerminalView>(true, size.ws_col ? size.ws_col : 80);
  return [view](const RunProgress &progress) {
    std::cerr << view->update(progress) << std::flush;
  };
}

StatusOr<int> tuneWorkload(const Workload &workload, Database &database,
                           TuneOptions options, bool json) {
  options.progress = showProgress();
  TILEWRIGHT_ASSIGN_OR_RETURN(TuneReport report,
                              tune(workload, database, options));
  if (json)
    printObject(toJson(report));
  else
    std::cout << describe(report, workload);
  bool isTuned = false;
  for (const TunedTask &task : report.tasks)
    isTuned |= task.trouble.empty();
  return isTuned ? exitGood : exitInput;
}

StatusOr<Workload> workloadOf(const TuneArguments &arguments,
                              const std::shared_ptr<const Plugins> &plugins,
                              const std::string &target) {
  WorkloadOptions options;
  options.target = target;
  options.plugins = plugins;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      options.inputShapes,
      parseShapes(arguments.inputShapes, OpenSizes::Allowed));
  for (const std::string &argument : arguments.arguments)
    options.arguments += (options.arguments.empty() ? "" : " ") + argument;
  return readWorkload(arguments.input, options);
}

static StatusOr<int> run(const TuneArguments &arguments) {
  TILEWRIGHT_ASSIGN_OR_RETURN(TuneOptions options, tuneOptions(arguments));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string target, targetOf(arguments));
  TILEWRIGHT_ASSIGN_OR_RETURN(Workload workload,
                              workloadOf(arguments, options.plugins, target));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      Database database,
      Database::open(arguments.database, Database::Mode::create));
  return tuneWorkload(workload, database, std::move(options), arguments.json);
}

int tuneRun(const TuneArguments &arguments) {
  StatusOr<int> code = run(arguments);
  return code.ok() ? *code : fail(code.status());
}

} // namespace tilewright::tool
