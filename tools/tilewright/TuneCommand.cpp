//===- TuneCommand.cpp - tilewright tune ----------------------------------===//
#include "autotune/report/Format.h"
#include "support/Format.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/Tune.h"
#include "tools/tilewright/Usage.h"

#include <algorithm>
#include <fstream>
#include <memory>

namespace tilewright::tool {

using autotune::TaskSummary;

StatusOr<std::vector<TaskSummary>>
readSummaries(const std::filesystem::path &path) {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto database,
      autotune::Database::open(path, autotune::Database::Mode::read));
  return autotune::summarize(database);
}

StatusOr<std::vector<TaskSummary>>
selectTasks(std::vector<TaskSummary> summaries, const std::string &task) {
  if (task.empty())
    return summaries;
  std::erase_if(summaries, [&](const TaskSummary &summary) {
    return !summary.task.task.starts_with(task) &&
           summary.task.label.find(task) == std::string::npos;
  });
  if (summaries.empty())
    return Status::notFound(
        format("no task matches '{}': expected the first digits of a task, or "
               "a part of its label, as `tilewright tune list` shows them",
               {task}));
  return summaries;
}

Status writeText(const std::filesystem::path &path, const std::string &text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file)
    return Status::ioError(format("cannot write '{}'", {path.string()}));
  return {};
}

void addTrialOptions(CLI::App &command, TuneArguments &arguments) {
  command.add_option("--device", arguments.device, "cpu, emulator or cuda:N")
      ->capture_default_str();
  command.add_option("--threads", arguments.threads,
                     "Threads of the device cpu (0: all)");
  command
      .add_option("--timeout", arguments.timeout,
                  "Seconds after which a schedule counts as hanging")
      ->capture_default_str();
  command
      .add_option("--memory", arguments.memoryGiB,
                  "GiB that a process may use in which schedules are tried")
      ->capture_default_str();
  addPlugins(command, arguments.pluginFiles);
  command.add_flag("--warm", arguments.warm,
                   "Time launches on warm caches (default: cold ones)");
  command.add_flag("--json", arguments.json, "Machine-readable results");
}

static void addRunOptions(CLI::App &tune, TuneArguments &arguments) {
  tune.add_option("INPUT", arguments.input,
                  "A kernel or model, or SHAPES.csv (or a command, below)");
  addTrialOptions(tune, arguments);
  tune.add_option("--target", arguments.target,
                  "cpu, sm_80, ..; default: the device's best");
  tune.add_option("--db", arguments.database, "The database")
      ->capture_default_str();
  tune.add_option("--time", arguments.time, "As 90s, 10m, 2h; 0: no limit")
      ->capture_default_str();
  tune.add_option("--trials", arguments.trials,
                  "Schedules to try of each kernel (0: as many as the time "
                  "allows)");
  tune.add_option("--strategy", arguments.strategy,
                  "evolution, model, random or exhaustive")
      ->capture_default_str();
  tune.add_option("--only", arguments.only,
                  "Search these parameters only, by comma: tile0,rows")
      ->delimiter(',');
  tune.add_option("--shard", arguments.shard, "Which part of how many, as 1/3")
      ->capture_default_str();
  tune.add_option("--jobs", arguments.jobs, "Compilers at a time (0: all)");
  tune.add_option("--seed", arguments.seed, "Same seed, same trials")
      ->capture_default_str();
  tune.add_option("--argument", arguments.arguments,
                  "The shape of a kernel's next argument: 512x64, =7")
      ->allow_extra_args(false);
  tune.add_option("--input-shape", arguments.inputShapes,
                  "Fix the shape of an input, or of a kernel's argument: "
                  "NAME=1x3x48x320; ? or a name leaves a size open")
      ->allow_extra_args(false);
  tune.add_flag("--resume", arguments.resume,
                "Take what the database has in place of trying it again");
  tune.add_flag("--try-rejected", arguments.tryRejected,
                "Try schedules that the model rejects, too");
}

void addTune(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<TuneArguments>();
  CLI::App *tune = app.add_subcommand(
      "tune", "Find the fastest schedules, and show what was found");
  addRunOptions(*tune, *arguments);
  addTuneWorker(app, action);
  addTuneAgain(*tune, action);
  // Commands that only read or join databases.
  addTuneShow(*tune, action);
  addTuneFiles(*tune, action);
  addTuneCompare(*tune, action);
  tune->require_subcommand(0, 1);
  tune->footer("Examples:\n"
               "  tilewright tune gemm.mlir --device cpu --db gemm.db\n"
               "  tilewright tune list gemm.db\n"
               "  tilewright tune show gemm.db --html gemm.html\n"
               "  tilewright tune COMMAND --help");
  tune->callback([tune, arguments, &action] {
    if (!tune->get_subcommands().empty())
      return; // It has set its action.
    if (arguments->input.empty())
      throw CLI::RequiredError("INPUT or a command of tune");
    action = [arguments] { return tuneRun(*arguments); };
  });
}

} // namespace tilewright::tool
