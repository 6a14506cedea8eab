#include "autotune/session/Lookup.h"

#include "autotune/task/Task.h"
#include "autotune/task/TaskKey.h"
#include "runtime/core/DeviceRegistry.h"
#include <algorithm>
#include <cstdio>

namespace tilewright::autotune {

StatusOr<Lookup> Lookup::open(const std::filesystem::path &path) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Database database,
                              Database::open(path, Database::Mode::read));
  Lookup lookup(std::move(database));
  if (auto device = runtime::openDevice("cpu"); device.ok())
    lookup.cpuHardware = (*device)->info().description;
  return lookup;
}

static Found describe(const TrialRecord &trial, double distance) {
  char text[96];
  std::snprintf(text, sizeof text, "%.1f us (%s), distance %.3g, ",
                trial.median / 1000,
                std::string(metricName(trial.metric)).c_str(), distance);
  return {trial.schedule, "task " + trial.task + ", trial " +
                              std::to_string(trial.sequence) + " of run " +
                              trial.run + " on " + trial.hardware + ", " +
                              text + "schedule " + trial.schedule};
}

/// A schedule of another shape, where this kernel can take it.
StatusOr<std::optional<Found>> Lookup::findNear(TaskRecord record,
                                                const std::string &device) {
  const std::string family = familyKey(record);
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<TaskRecord> tasks, database.tasks());
  // Opening a kernel takes long: only where there is hope.
  if (std::ranges::find(tasks, family, &TaskRecord::family) == tasks.end())
    return std::optional<Found>();
  StatusOr<std::unique_ptr<Task>> task = Task::open(std::move(record));
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

StatusOr<std::optional<Found>> Lookup::find(const std::string &code,
                                            const std::string &target) {
  TaskRecord record;
  record.code = code;
  record.target = target;
  const bool isCpu = target == "cpu";
  const std::vector<std::string> devices =
      isCpu ? std::vector<std::string>{"cpu"}
            : std::vector<std::string>{"cuda", "emulator"};
  for (const std::string &device : devices) {
    BestQuery query{taskKey(record), device};
    query.hardware = isCpu ? cpuHardware : "";
    for (bool anyHardware : {false, true}) {
      if (anyHardware)
        query.hardware.clear();
      TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<TrialRecord> best,
                                  database.best(query));
      if (best)
        return std::optional(describe(*best, 0));
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<Found> near,
                                findNear(record, device));
    if (near)
      return near;
  }
  return std::optional<Found>();
}

StatusOr<std::vector<std::string>>
Lookup::argumentsOf(const std::string &code, const std::string &target) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<TaskRecord> tasks, database.tasks());
  std::vector<std::string> all;
  for (const TaskRecord &task : tasks)
    if (task.code == code && task.target == target && !task.arguments.empty())
      all.push_back(task.arguments);
  return all;
}

} // namespace tilewright::autotune
