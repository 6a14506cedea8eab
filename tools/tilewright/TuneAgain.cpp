//===- TuneAgain.cpp - tilewright tune revalidate and explain -------------===//
#include "autotune/cost/Metrics.h"
#include "autotune/session/Session.h"
#include "autotune/task/Task.h"
#include "support/Format.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/Tune.h"
#include "tools/tilewright/Usage.h"

#include <iostream>
#include <memory>
#include <set>

namespace tilewright::tool {

using namespace autotune;

namespace {
struct AgainArguments {
  TuneArguments tune;
  std::string task, schedule;
  bool all = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// revalidate
//===----------------------------------------------------------------------===//

/// The tasks that another build or driver tried last, or all of them.
static StatusOr<Workload> staleTasks(const Database &database,
                                     const AgainArguments &arguments,
                                     const TuneOptions &options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      std::vector<TrialRecord> stale,
      database.stale(options.device, options.compiler, ""));
  std::set<std::string> names;
  for (const TrialRecord &trial : stale)
    names.insert(trial.task);
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<TaskRecord> tasks, database.tasks());
  Workload workload;
  for (TaskRecord &task : tasks)
    if (arguments.all || names.contains(task.task))
      workload.tasks.push_back({std::move(task), 1});
  return workload;
}

static StatusOr<int> revalidate(const AgainArguments &arguments) {
  TILEWRIGHT_ASSIGN_OR_RETURN(TuneOptions options, tuneOptions(arguments.tune));
  options.revalidates = true;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      Database database,
      Database::open(arguments.tune.database, Database::Mode::readWrite));
  TILEWRIGHT_ASSIGN_OR_RETURN(Workload workload,
                              staleTasks(database, arguments, options));
  if (workload.tasks.empty()) {
    std::cout << "all trials on " << options.device
              << " are of this build and driver\n";
    return exitGood;
  }
  return tuneWorkload(workload, database, std::move(options),
                      arguments.tune.json);
}

static void addRevalidate(CLI::App &tune, Action &action) {
  auto arguments = std::make_shared<AgainArguments>();
  arguments->tune.time = "0";
  CLI::App *command = tune.add_subcommand(
      "revalidate", "Try the best schedules again that another build or driver "
                    "tried");
  command->add_option("DB", arguments->tune.database)->required();
  addTrialOptions(*command, arguments->tune);
  command->add_flag("--all", arguments->all, "Those of this build, too");
  command->callback([arguments, &action] {
    action = [arguments] {
      StatusOr<int> code = revalidate(*arguments);
      return code.ok() ? *code : fail(code.status());
    };
  });
}

//===----------------------------------------------------------------------===//
// explain
//===----------------------------------------------------------------------===//

/// A kernel to explain, and its best known schedule.
namespace {
struct Explained {
  TaskRecord task;
  std::string best;
};
} // namespace

static StatusOr<std::vector<Explained>>
tasksOf(const AgainArguments &arguments,
        const std::shared_ptr<const Plugins> &plugins) {
  std::vector<Explained> tasks;
  std::filesystem::path input = arguments.tune.input;
  if (input.extension() == ".db") {
    TILEWRIGHT_ASSIGN_OR_RETURN(auto summaries, readSummaries(input));
    TILEWRIGHT_ASSIGN_OR_RETURN(
        summaries, selectTasks(std::move(summaries), arguments.task));
    for (const TaskSummary &summary : summaries)
      tasks.push_back(
          {summary.task, summary.best ? summary.best->schedule : ""});
    return tasks;
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(Workload workload,
                              workloadOf(arguments.tune, plugins,
                                         arguments.tune.target.empty()
                                             ? "cpu"
                                             : arguments.tune.target));
  for (WeightedTask &weighted : workload.tasks)
    if (weighted.task.label.find(arguments.task) != std::string::npos)
      tasks.push_back({std::move(weighted.task), ""});
  if (tasks.empty())
    return Status::notFound(
        format("no kernel has '{}' in its label", {arguments.task}));
  return tasks;
}

static StatusOr<int> explain(const AgainArguments &arguments) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<const Plugins> plugins,
                              loadPlugins(arguments.tune.pluginFiles));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<Explained> tasks,
                              tasksOf(arguments, plugins));
  for (const Explained &explained : tasks) {
    StatusOr<std::unique_ptr<Task>> opened =
        Task::open(explained.task, 0, plugins);
    if (!opened.ok())
      return opened.status().prefixed(explained.task.label);
    Task &task = **opened;
    auto print = [&](const char *what, const std::string &schedule) {
      Estimate estimate = task.estimate(schedule);
      std::cout << explained.task.label << ", " << what << ": "
                << (schedule.empty() ? "the compiler's choice" : schedule)
                << "\n"
                << describeEstimate(estimate);
    };
    print("default", task.space().text(task.space().defaultPoint()));
    if (!explained.best.empty())
      print("best known", explained.best);
    if (!arguments.schedule.empty())
      print("as given", arguments.schedule);
  }
  return exitGood;
}

static void addExplain(CLI::App &tune, Action &action) {
  auto arguments = std::make_shared<AgainArguments>();
  CLI::App *command = tune.add_subcommand(
      "explain", "Show what the model expects of a schedule, term by term");
  command
      ->add_option("INPUT", arguments->tune.input,
                   "A database (.db), kernel, model or SHAPES.csv")
      ->required();
  command->add_option("TASK", arguments->task,
                      "The start of a task's hash, or a part of its label");
  command->add_option("--schedule", arguments->schedule,
                      "Explain this schedule, too");
  command->add_option("--target", arguments->tune.target, "cpu, sm_80, ..");
  command
      ->add_option("--argument", arguments->tune.arguments,
                   "The shape of a kernel's next argument: 512x64, =7")
      ->allow_extra_args(false);
  command
      ->add_option("--input-shape", arguments->tune.inputShapes,
                   "Fix the shape of an input, or of a kernel's argument")
      ->allow_extra_args(false);
  addPlugins(*command, arguments->tune.pluginFiles);
  command->callback([arguments, &action] {
    action = [arguments] {
      StatusOr<int> code = explain(*arguments);
      return code.ok() ? *code : fail(code.status());
    };
  });
}

void addTuneAgain(CLI::App &tune, Action &action) {
  addRevalidate(tune, action);
  addExplain(tune, action);
}

} // namespace tilewright::tool
