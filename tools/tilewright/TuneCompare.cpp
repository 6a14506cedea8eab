//===- TuneCompare.cpp - tilewright tune compare --------------------------===//
#include "autotune/report/Format.h"
#include "support/Format.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/Tune.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

namespace tilewright::tool {

using namespace autotune;
using Change = Comparison::Change;

namespace {
struct CompareArguments {
  std::string before, after;
  double threshold = 1.05;
  bool ci = false, json = false;
};
} // namespace

/// Whether a change must not happen unseen.
static bool isFinding(const Comparison &entry) {
  return entry.change == Change::slower || entry.change == Change::broken;
}

static void printTable(const std::vector<Comparison> &list) {
  using Align = TextTable::Align;
  TextTable table({Align::left, Align::left, Align::right, Align::right,
                   Align::right, Align::left, Align::left});
  table.add({"kernel", "device", "before", "after", "ratio", "95 %", ""});
  for (const Comparison &entry : list) {
    bool hasRatio = entry.ratio > 0;
    table.add(
        {oneLine(entry.task.label, 48), entry.device,
         entry.before ? costText(entry.before->median, entry.before->metric)
                      : "-",
         entry.after ? costText(entry.after->median, entry.after->metric) : "-",
         hasRatio ? formatNumber(entry.ratio) : "-",
         hasRatio ? format("{} to {}",
                           {formatNumber(entry.low), formatNumber(entry.high)})
                  : "",
         std::string(changeName(entry.change))});
  }
  std::cout << table.text();
}

static void printJson(const std::vector<Comparison> &list) {
  using Json = nlohmann::ordered_json;
  auto median = [](const std::optional<TrialRecord> &trial) {
    return trial ? Json(trial->median) : Json();
  };
  Json entries = Json::array();
  for (const Comparison &entry : list)
    entries.push_back({{"task", entry.task.task},
                       {"label", entry.task.label},
                       {"device", entry.device},
                       {"hardware", entry.hardware},
                       {"before", median(entry.before)},
                       {"after", median(entry.after)},
                       {"ratio", entry.ratio > 0 ? Json(entry.ratio) : Json()},
                       {"low", entry.ratio > 0 ? Json(entry.low) : Json()},
                       {"high", entry.ratio > 0 ? Json(entry.high) : Json()},
                       {"change", changeName(entry.change)}});
  std::cout << entries.dump(2, ' ', false, Json::error_handler_t::replace)
            << "\n";
}

static int compareDatabases(const CompareArguments &arguments) {
  auto before = readSummaries(arguments.before);
  if (!before.ok())
    return fail(before.status());
  auto after = readSummaries(arguments.after);
  if (!after.ok())
    return fail(after.status());
  std::vector<Comparison> list = compare(*before, *after, arguments.threshold);
  if (arguments.json)
    printJson(list);
  else
    printTable(list);
  auto count = [&](auto matches) {
    return size_t(std::ranges::count_if(list, matches));
  };
  size_t compared = count([](const Comparison &e) { return e.ratio > 0; });
  size_t findings = count(isFinding);
  if (!arguments.json)
    std::cout << formatPlural(compared, "task") << " compared, "
              << formatCount(findings) << " slower or broken\n";
  if (!arguments.ci)
    return exitGood;
  // A gate that compared nothing has seen nothing.
  if (compared == 0 && findings == 0)
    return fail(Status::invalidInput(
        format("'{}' and '{}' have no task of one device, hardware and metric "
               "in common: nothing was compared",
               {arguments.before, arguments.after})));
  return findings ? exitFinding : exitGood;
}

void addTuneCompare(CLI::App &tune, Action &action) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App *command = tune.add_subcommand(
      "compare", "Compare the best of each task in two databases");
  command->add_option("OLD", arguments->before, "The database before")
      ->required();
  command->add_option("NEW", arguments->after, "The database after")
      ->required();
  command
      ->add_option("--threshold", arguments->threshold,
                   "The ratio from which a change counts")
      ->check(CLI::Range(1.0, 100.0))
      ->capture_default_str();
  command->add_flag("--ci", arguments->ci,
                    "Exit with 4 if a task became slower or has no good "
                    "schedule any more");
  command->add_flag("--json", arguments->json, "Machine-readable results");
  command->footer(
      "A task is slower if its median grew by more than the threshold, and "
      "the\nintervals of 95 % of both medians do not overlap; where there are "
      "several\ntrials of the best schedule, in 95 % of their pairs. Only "
      "tasks on the same\ndevice, hardware and metric are compared.");
  command->callback([arguments, &action] {
    action = [arguments] { return compareDatabases(*arguments); };
  });
}

} // namespace tilewright::tool
