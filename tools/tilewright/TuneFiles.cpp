//===- TuneFiles.cpp - tilewright tune merge | export ---------------------===//
#include "autotune/database/Export.h"
#include "autotune/report/Format.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/Tune.h"

#include <iostream>
#include <memory>

namespace tilewright::tool {

using namespace autotune;

static int merge(const std::string &target,
                 const std::vector<std::string> &sources) {
  std::vector<std::filesystem::path> paths(sources.begin(), sources.end());
  Status status = mergeDatabases(target, paths);
  if (!status.ok())
    return fail(status);
  auto database = Database::open(target, Database::Mode::read);
  if (!database.ok())
    return fail(database.status());
  auto tasks = database->tasks();
  auto trials = database->trials();
  if (!tasks.ok() || !trials.ok())
    return fail(tasks.ok() ? trials.status() : tasks.status());
  std::cout << target << ": " << formatPlural(tasks->size(), "task") << ", "
            << formatPlural(trials->size(), "trial") << "\n";
  return exitGood;
}

static int exportTrials(const std::string &path, const std::string &format,
                        const std::string &output) {
  auto database = Database::open(path, Database::Mode::read);
  if (!database.ok())
    return fail(database.status());
  auto trials = database->trials();
  if (!trials.ok())
    return fail(trials.status());
  std::string text =
      format == "json" ? exportJson(*trials) : exportCsv(*trials);
  if (output.empty()) {
    std::cout << text;
    return exitGood;
  }
  Status status = writeText(output, text);
  return status.ok() ? exitGood : fail(status);
}

void addTuneFiles(CLI::App &tune, Action &action) {
  struct Arguments {
    std::string database, format = "csv", output;
    std::vector<std::string> sources;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App *command = tune.add_subcommand(
      "merge", "Join databases, of several machines or shards");
  command->add_option("OUT", arguments->database, "New, or added to")
      ->required();
  command->add_option("IN", arguments->sources, "What is joined")->required();
  command->callback([arguments, &action] {
    action = [arguments] {
      return merge(arguments->database, arguments->sources);
    };
  });

  arguments = std::make_shared<Arguments>();
  command = tune.add_subcommand("export", "Print all trials");
  command->add_option("DB", arguments->database, "The database")->required();
  command->add_option("--format", arguments->format, "csv or json")
      ->check(CLI::IsMember({"csv", "json"}))
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output, "To a file");
  command->callback([arguments, &action] {
    action = [arguments] {
      return exportTrials(arguments->database, arguments->format,
                          arguments->output);
    };
  });
}

} // namespace tilewright::tool
