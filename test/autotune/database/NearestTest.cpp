// The nearest shape, against exact arithmetic.
#include "autotune/database/Best.h"
#include "test/autotune/database/Records.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::autotune;
using namespace tilewright::autotune::test;
using Shape = std::vector<int64_t>;

TEST_CASE("nearest: distances") {
  CHECK(distance(Shape{512, 64}, Shape{512, 64}) == 0.0);
  CHECK(distance(Shape{512, 64}, Shape{256, 128}) == 2.0);
  CHECK(distance(Shape{512, 96}, Shape{512, 192}) == 1.0);
  CHECK(distance(Shape{}, Shape{}) == 0.0);
  CHECK(distance(Shape{0, 2}, Shape{0, 2}) == 0.0);
  CHECK(!distance(Shape{0, 2}, Shape{1, 2}));
  CHECK(!distance(Shape{512}, Shape{512, 1}));
  // Ten times two, in one size or in two: equal, though sums of logarithms
  // differ in the last bit.
  CHECK(distance(Shape{2, 10}, Shape{1, 1}) ==
        distance(Shape{20, 1}, Shape{1, 1}));
}

static void addTask(Database &database, const Shape &shape,
                    const std::string &hash, const char *family = "gemm",
                    bool isTuned = true) {
  TaskRecord task = taskNamed(hash);
  task.family = family;
  task.target = "cpu";
  task.shape = shape;
  REQUIRE(database.add(task).ok());
  REQUIRE(database.add(runNamed("r")).ok());
  TrialRecord trial = goodTrial("a=1", 5, 0);
  trial.task = hash;
  if (!isTuned)
    trial.verdict = Verdict::rejected;
  REQUIRE(database.add(trial).ok());
}

TEST_CASE("nearest: of its family and target, tuned, on that device") {
  Folder folder;
  Database database = openDatabase(folder.path / "db");
  auto nearest = [&](const Shape &shape, const char *family = "gemm",
                     const char *target = "cpu", const char *device = "cpu") {
    auto found = database.nearest(family, shape, target, device);
    REQUIRE(found.ok());
    return *found ? (*found)->task.task : std::string("none");
  };
  CHECK(nearest({8, 8}) == "none");
  addTask(database, {64, 64}, "square");
  addTask(database, {8, 8}, "softmax", "softmax");
  addTask(database, {8, 9}, "rejected", "gemm", false);
  addTask(database, {8, 8, 8}, "deep");
  CHECK(nearest({8, 8}) == "square");
  addTask(database, {8, 16}, "a wide one");
  CHECK(nearest({8, 8}) == "a wide one");
  // As far as the other: the shape that sorts first.
  addTask(database, {8, 4}, "narrow");
  CHECK(nearest({8, 8}) == "narrow");
  addTask(database, {8, 8}, "same");
  CHECK(nearest({8, 8}) == "same");
  CHECK(nearest({8, 8}, "gemm", "sm_90a") == "none");
  CHECK(nearest({8, 8}, "gemm", "cpu", "cuda:0") == "none");
  auto found = database.nearest("gemm", {16, 8}, "cpu", "cpu");
  CHECK((*found)->task.task == "same");
  CHECK((*found)->distance == 1.0);
  CHECK((*found)->trial.schedule == "a=1");
}

/// 2 to the distance, exactly, as a fraction.
static std::pair<__int128, __int128> exactly(const Shape &a, const Shape &b) {
  __int128 high = 1, low = 1;
  for (size_t i = 0; i < a.size(); ++i) {
    high *= std::max(a[i], b[i]);
    low *= std::min(a[i], b[i]);
  }
  return {high, low};
}

TEST_CASE("nearest: as exact arithmetic has it") {
  Folder folder;
  Random random(23);
  auto randomShape = [&] {
    Shape shape;
    for (int i = 0; i < 3; ++i)
      shape.push_back(int64_t(1 + random.below(24)));
    return shape;
  };
  Database database = openDatabase(folder.path / "db");
  std::vector<Shape> shapes;
  for (int i = 0; i < 60; ++i) {
    shapes.push_back(randomShape());
    addTask(database, shapes.back(), std::to_string(i));
  }
  std::ranges::sort(shapes);
  for (int round = 0; round < 60; ++round) {
    Shape asked = randomShape();
    const Shape *expected = nullptr;
    for (const Shape &shape : shapes) {
      auto [high, low] = exactly(shape, asked);
      if (expected) {
        auto [bestHigh, bestLow] = exactly(*expected, asked);
        if (high * bestLow >= bestHigh * low)
          continue;
      }
      expected = &shape;
    }
    auto found = database.nearest("gemm", asked, "cpu", "cpu");
    REQUIRE(found.ok());
    CHECK((*found)->task.shape == *expected);
  }
}
