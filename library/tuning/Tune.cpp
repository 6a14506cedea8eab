#include "tilewright/tuning/Tune.h"

#include "autotune/session/Session.h"
#include "library/tuning/FindTool.h"
#include "library/tuning/IdentifyRun.h"
#include "support/Format.h"
#include <charconv>

namespace tilewright {

/// The shortest text that reads back as the same number.
static std::string numberText(double value) {
  char digits[32];
  auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  return {digits, end};
}

std::string TuneArgument::text() const {
  if (const auto *value = std::get_if<int64_t>(&given))
    return format("={}", {*value});
  if (const auto *value = std::get_if<double>(&given))
    return "=" + numberText(*value);
  return joined(std::get<runtime::Shape>(given), "x");
}

static std::string textOf(const TuneShape &shape) {
  std::string text;
  for (const TuneArgument &argument : shape)
    text += (text.empty() ? "" : " ") + argument.text();
  return text;
}

static StatusOr<autotune::TuneOptions>
optionsOf(const authoring::Kernel &kernel, const runtime::Device &device,
          const std::filesystem::path &database, const TuneLimits &limits) {
  autotune::TuneOptions options;
  TILEWRIGHT_ASSIGN_OR_RETURN(std::filesystem::path tool,
                              findTool(limits.tool));
  options.worker = {tool.string(), "tune-worker"};
  options.device = device.info().name;
  options.threads = limits.threads;
  options.seconds = limits.seconds;
  options.trials = limits.trials;
  options.search.seed = limits.seed;
  options.resume = true;
  // Not in the system's folder for such: that is the environment's to say.
  std::error_code error;
  options.scratch = std::filesystem::absolute(database, error).parent_path();
  if (error)
    return Status::ioError("cannot find the folder of '" + database.string() +
                           "': " + error.message());
  options.command = format("tune({})", {kernel.name()});
  identifyRun(options);
  return options;
}

StatusOr<std::vector<TunedShape>> tune(const authoring::Kernel &kernel,
                                       const runtime::Device &device,
                                       std::span<const TuneShape> shapes,
                                       const std::filesystem::path &database,
                                       const TuneLimits &limits) {
  TILEWRIGHT_ASSIGN_OR_RETURN(autotune::TuneOptions options,
                              optionsOf(kernel, device, database, limits));
  autotune::TaskRecord task;
  TILEWRIGHT_ASSIGN_OR_RETURN(task.code, kernel.printVariants());
  task.target = device.info().targets.front();
  autotune::Workload workload;
  for (const TuneShape &shape : shapes) {
    task.arguments = textOf(shape);
    task.label = format("{} {}", {kernel.name(), task.arguments});
    workload.tasks.push_back({task, 1});
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(
      autotune::Database file,
      autotune::Database::open(database, autotune::Database::Mode::create));
  TILEWRIGHT_ASSIGN_OR_RETURN(autotune::TuneReport report,
                              autotune::tune(workload, file, options));
  std::vector<TunedShape> found;
  for (const autotune::TunedTask &tuned : report.tasks)
    found.push_back({tuned.task.arguments, tuned.defaultCost, tuned.best,
                     tuned.schedule, tuned.trials,
                     tuned.triedDefaultOnly
                         ? "there was time for the default only"
                         : tuned.trouble});
  return found;
}

} // namespace tilewright
