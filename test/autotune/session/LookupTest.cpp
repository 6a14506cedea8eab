// Schedules for kernels whose sizes are known at run time only.
#include "Kernels.h"

#include "autotune/session/Lookup.h"
#include "autotune/task/TaskKey.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::autotune;
using namespace tilewright::autotune::test;

static const std::string code = "tile.kernel @k(%x: !tile.view<?x?xf32>) {}";

/// Adds a kernel that was tuned for a shape, with its best schedule.
static void addTuned(Database &database, std::vector<int64_t> shape,
                     const std::string &schedule,
                     const std::string &target = "cpu",
                     const std::string &kernel = code) {
  TaskRecord task;
  task.code = kernel;
  task.target = target;
  task.shape = std::move(shape);
  for (int64_t size : task.shape)
    task.arguments +=
        (task.arguments.empty() ? "" : "x") + std::to_string(size);
  task.label = task.arguments;
  task.task = taskKey(task);
  task.family = familyKey(task);
  REQUIRE(database.add(task).ok());
  RunRecord run;
  run.run = std::string(32, 'a');
  REQUIRE(database.add(run).ok());
  TrialRecord trial;
  trial.task = task.task;
  trial.run = run.run;
  trial.schedule = schedule;
  trial.device = target == "cpu" ? "cpu" : "emulator";
  trial.hardware = "some";
  trial.median = 1000;
  REQUIRE(database.add(trial).ok());
}

TEST_CASE("a kernel of open sizes takes the schedule of its middle shape") {
  Folder folder;
  {
    Database database = openDatabase(folder);
    addTuned(database, {8, 8}, "chunk=1");
    addTuned(database, {64, 8}, "chunk=2");
    addTuned(database, {1024, 8}, "chunk=3");
    addTuned(database, {64, 8}, "warps=2", "sm_90a");
  }
  Lookup lookup = *Lookup::open(folder.path / "t.db");
  std::optional<Found> found = *lookup.find(code, "cpu");
  REQUIRE(found);
  CHECK(found->schedule == "chunk=2");
  CHECK(found->origin.ends_with(", tuned for 64x8, the middle of 3 shapes"));
  found = *lookup.find(code, "sm_90a");
  REQUIRE(found);
  CHECK(found->schedule == "warps=2");
  CHECK(found->origin.ends_with(", tuned for 64x8"));
  CHECK_FALSE(*lookup.find(code + " ", "cpu"));

  std::vector<FoundShape> shapes = *lookup.shapesOf(code, "cpu");
  REQUIRE(shapes.size() == 3);
  CHECK(shapes[0].arguments == "1024x8");
  CHECK(shapes[0].shape == std::vector<int64_t>{1024, 8});
  CHECK(shapes[0].best.schedule == "chunk=3");
}

TEST_CASE("a kernel is found by the old and the new names of its attributes") {
  auto named = [](const std::string &attribute) {
    return "tile.kernel @k(%x: !tile.view<?xf32> {" + attribute +
           " = \"x\"}) {}";
  };
  const std::string old = named("graph.name"), now = named("tile.name");
  for (const std::string &stored : {old, now}) {
    Folder folder;
    {
      Database database = openDatabase(folder);
      addTuned(database, {}, "chunk=1", "cpu", stored);
      addTuned(database, {8}, "chunk=2", "sm_90a", stored);
    }
    Lookup lookup = *Lookup::open(folder.path / "t.db");
    for (const std::string &asked : {old, now}) {
      std::optional<Found> found = *lookup.find(asked, "cpu");
      REQUIRE(found);
      CHECK(found->schedule == "chunk=1");
      // For some sizes.
      found = *lookup.find(asked, "sm_90a");
      REQUIRE(found);
      CHECK(found->schedule == "chunk=2");
    }
    CHECK_FALSE(*lookup.find(named("tile.names"), "cpu"));
  }
}
