// Schedules as text, the default ones, and what does not fit a target.
#include "codegen/schedule/Schedule.h"
#include <catch2/catch.hpp>
#include <random>

using namespace tilewright;
using namespace tilewright::schedule;

static std::string failure(std::string_view text) {
  return Schedule::parse(text).status().message();
}

TEST_CASE("schedule: text in a fixed order, and back") {
  StatusOr<Schedule> schedule =
      Schedule::parse("  BN=96 warps=8\n BM=128 access=64 ");
  REQUIRE(schedule.ok());
  CHECK(schedule->warps == 8);
  CHECK(schedule->threads() == 256);
  CHECK(schedule->access == 64);
  CHECK(schedule->text() == "warps=8 access=64 BM=128 BN=96");
  CHECK(Schedule::parse("")->text() == "warps=4 access=128");

  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    Schedule any;
    any.warps = 1u << random() % 6;
    any.access = 8u << random() % 5;
    for (unsigned k = random() % 4; k > 0; --k)
      any.tunables["T" + std::to_string(random() % 9)] =
          int64_t(random()) - int64_t(random());
    CHECK(*Schedule::parse(any.text()) == any);
  }
}

TEST_CASE("schedule: what cannot be read is named") {
  CHECK(failure("warps=3") == "schedule: expected 'warps' to be a power of "
                              "two from 1 to 32, found 'warps=3'");
  CHECK(failure("access=256") == "schedule: expected 'access' to be a power "
                                 "of two from 8 to 128, found 'access=256'");
  CHECK(failure("warps=4x") == "schedule: expected an integer after 'warps=', "
                               "found 'warps=4x'");
  CHECK(failure("BM=99999999999999999999") ==
        "schedule: expected an integer after 'BM=', found "
        "'BM=99999999999999999999'");
  CHECK(failure("warps 4") == "schedule: expected key=value, found 'warps'");
  CHECK(failure("4=4") == "schedule: expected key=value, found '4=4'");
  CHECK(failure("access=8 access=4") ==
        "schedule: expected each key once, found 'access' again");
}

TEST_CASE("schedule: warps by default follow the work") {
  // 32 x 5 f32: 640 bytes are work for 10 threads.
  CHECK(defaultSchedule({160, 4, 0}).schedule.warps == 1);
  // 64 x 64 bf16: 8 KiB, 128 threads.
  ExplainedSchedule some = defaultSchedule({4096, 2, 0});
  CHECK(some.schedule.warps == 4);
  CHECK(some.reason == "4 warps for a tile of 8192 bytes: about 64 a thread");
  CHECK(defaultSchedule({1 << 20, 4, 0}).schedule.warps == 8);
  // 96 x 128 results: 192 threads are 6 warps; 4 is the power below.
  ExplainedSchedule dot = defaultSchedule({2048, 4, 96 * 128});
  CHECK(dot.schedule.warps == 4);
  CHECK(dot.reason == "4 warps for a dot of 12288 results: about 64 a thread");
  // One row of 128 results from 32 x 128 elements: the operand is the work.
  CHECK(defaultSchedule({4096, 4, 128}).schedule.warps == 8);
}

TEST_CASE("schedule: a limit that is exceeded is named with both numbers") {
  const target::GpuTarget &h100 = *target::findGpuTarget("sm_90a");
  Schedule schedule;
  CHECK(checkResources(schedule, h100.blockShared(), {}, h100).ok());
  SharedUse uses[] = {{"B 64x256 bf16", 32768}, {"C 128x256 f32", 131072}};
  CHECK(checkResources(schedule, 262144, uses, h100).message() ==
        "schedule does not fit sm_90a: shared memory 262,144 B of 232,448 B\n"
        "  C 128x256 f32 131,072 B\n  B 64x256 bf16 32,768 B");
  schedule.warps = 64;
  CHECK(checkResources(schedule, 0, {}, h100).message() ==
        "schedule does not fit sm_90a: threads of a block 2,048 of 1,024");
}
