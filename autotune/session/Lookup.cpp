#include "autotune/session/Lookup.h"

#include "autotune/database/Best.h"
#include "autotune/task/Task.h"
#include "autotune/task/TaskKey.h"
#include "support/Format.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include <algorithm>
#include <cstdio>

namespace tilewright::autotune {

StatusOr<Lookup> Lookup::open(const std::filesystem::path &path,
                              std::shared_ptr<const Plugins> plugins) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Database database,
                              Database::open(path, Database::Mode::read));
  Lookup lookup(std::move(database), std::move(plugins));
  if (auto device = runtime::openDevice("cpu"); device.ok())
    lookup.cpuHardware = (*device)->info().description;
  return lookup;
}

static Found describe(const TrialRecord &trial, double distance) {
  char text[96];
  std::snprintf(text, sizeof text, "%.1f us (%s), distance %.3g, ",
                trial.median / 1000,
                std::string(metricName(trial.metric)).c_str(), distance);
  return {trial.schedule,
          format("task {}, trial {} of run {} on {}, {}schedule {}",
                 {trial.task, trial.sequence, trial.run, trial.hardware, text,
                  trial.schedule})};
}

/// A schedule of another shape, where this kernel can take it.
StatusOr<std::optional<Found>> Lookup::findNear(TaskRecord record,
                                                const std::string &device) {
  const std::string family = familyKey(record);
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<TaskRecord> tasks, database.tasks());
  // Opening a kernel takes long: only where there is hope.
  if (std::ranges::find(tasks, family, &TaskRecord::family) == tasks.end())
    return std::optional<Found>();
  StatusOr<std::unique_ptr<Task>> task =
      Task::open(std::move(record), 0, plugins);
  if (!task.ok())
    return std::optional<Found>();
  const TaskRecord &own = (*task)->record();
  TILEWRIGHT_ASSIGN_OR_RETURN(
      std::optional<Nearest> nearest,
      database.nearest(own.family, own.shape, own.target, device));
  if (!nearest || nearest->distance > nearestDistance)
    return std::optional<Found>();
  const std::string &schedule = nearest->trial.schedule;
  if (!(*task)->space().parse(schedule).ok() ||
      (*task)->estimate(schedule).rejection)
    return std::optional<Found>();
  return std::optional(describe(nearest->trial, nearest->distance));
}

/// Where what is known of a target was measured, best first.
static std::vector<std::string> devicesOf(const std::string &target) {
  if (target == "cpu")
    return {"cpu"};
  return {"cuda", "emulator"};
}

/// The best trial of a task, on this machine's hardware if there is one.
StatusOr<std::optional<TrialRecord>> Lookup::bestOf(const std::string &task,
                                                    const std::string &device) {
  BestQuery query{task, device};
  query.hardware = device == "cpu" ? cpuHardware : "";
  TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<TrialRecord> best,
                              database.best(query));
  if (best || query.hardware.empty())
    return best;
  query.hardware.clear();
  return database.best(query);
}

StatusOr<std::vector<FoundShape>> Lookup::shapesOf(const std::string &code,
                                                   const std::string &target) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<TaskRecord> tasks, database.tasks());
  const std::string named = withOldNames(code);
  std::vector<FoundShape> shapes;
  for (const std::string &device : devicesOf(target)) {
    for (const TaskRecord &task : tasks) {
      if (withOldNames(task.code) != named || task.target != target ||
          task.arguments.empty())
        continue;
      TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<TrialRecord> best,
                                  bestOf(task.task, device));
      if (best)
        shapes.push_back({task.arguments, task.shape, describe(*best, 0)});
    }
    if (!shapes.empty())
      break;
  }
  std::ranges::sort(shapes, {}, &FoundShape::arguments);
  return shapes;
}

/// Of shapes that a kernel was tuned for that which is nearest to all.
static std::optional<Found> central(const std::vector<FoundShape> &shapes) {
  const FoundShape *best = nullptr;
  double least = 0;
  for (const FoundShape &shape : shapes) {
    double sum = 0;
    for (const FoundShape &other : shapes)
      sum += distance(shape.shape, other.shape).value_or(0);
    if (!best || sum < least) {
      best = &shape;
      least = sum;
    }
  }
  if (!best)
    return std::nullopt;
  Found found = best->best;
  found.origin += ", tuned for " + best->arguments;
  if (shapes.size() > 1)
    found.origin += format(", the middle of {} shapes", {shapes.size()});
  return found;
}

StatusOr<std::optional<Found>> Lookup::find(const std::string &code,
                                            const std::string &target) {
  TaskRecord record;
  record.code = code;
  record.target = target;
  for (const std::string &device : devicesOf(target)) {
    TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<TrialRecord> best,
                                bestOf(taskKey(record), device));
    if (best)
      return std::optional(describe(*best, 0));
    TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<Found> near,
                                findNear(record, device));
    if (near)
      return near;
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<FoundShape> shapes,
                              shapesOf(code, target));
  return central(shapes);
}

} // namespace tilewright::autotune
