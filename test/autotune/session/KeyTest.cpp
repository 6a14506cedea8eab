#include "Kernels.h"

#include "autotune/task/TaskKey.h"
#include <catch2/catch.hpp>

using namespace tilewright::autotune;
using namespace tilewright::autotune::test;

static TaskRecord record(const std::string &code,
                         const std::string &target = "cpu") {
  TaskRecord record;
  record.code = code;
  record.target = target;
  return record;
}

TEST_CASE("kernels that differ in sizes only are one family") {
  TaskRecord a = record(gemm(64, 64, 64)), b = record(gemm(64, 128, 1000));
  CHECK(taskKey(a) != taskKey(b));
  CHECK(familyKey(a) == familyKey(b));
  CHECK(taskKey(a).size() == 32);
}

TEST_CASE("what is not a size separates families") {
  std::string strided = "dense<2> : tensor<2xi64>, tensor<8x8xf32>";
  std::string plain = "dense<1> : tensor<2xi64>, tensor<8x8xf32>";
  CHECK(familyKey(record(strided)) != familyKey(record(plain)));
  CHECK(familyKey(record("tensor<8xf32>")) !=
        familyKey(record("tensor<8xf16>")));
  CHECK(familyKey(record("tensor<8xf32>")) !=
        familyKey(record("tensor<8x8xf32>")));
  CHECK(familyKey(record("x")) != familyKey(record("x", "sm_90a")));
}

TEST_CASE("labels say nothing of what a task is") {
  TaskRecord a = record("x"), b = record("x");
  b.label = "another name";
  CHECK(taskKey(a) == taskKey(b));
}

TEST_CASE("a kernel has the key of its old attributes, whichever it has") {
  const std::string old =
      "tile.kernel @k(%x: !tile.view<?xf32> {graph.name = \"x\",\n"
      "graph.dims=[\"N\"]}, %n: index {graph.value = \"N\"}) {}";
  const std::string now =
      "tile.kernel @k(%x: !tile.view<?xf32> {tile.name = \"x\",\n"
      "tile.dims=[\"N\"]}, %n: index {tile.value = \"N\"}) {}";
  CHECK(taskKey(record(now)) == taskKey(record(old)));
  CHECK(familyKey(record(now)) == familyKey(record(old)));
  CHECK(taskKey(record(old)) == "5142efa0b58c4a7049e427b45a095954");
  // Only whole names change.
  for (const char *other : {"tile.names", "tile.name.x", "a_tile.name", "tile",
                            "tile.", "subtile.dims"})
    CHECK(withOldNames(other) == other);
}
