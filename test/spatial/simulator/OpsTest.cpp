// What each instruction computes, and what it needs, in schedules of a few
// lines.
#include "Samples.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::spatial;
using namespace tilewright::test;

TEST_CASE("each instruction computes what it says") {
  for (Sample &sample : samples()) {
    INFO(sample.name);
    auto run = sample.builder.run(sample.inputs);
    for (const Finding &finding : run.findings)
      UNSCOPED_INFO(printFinding(finding));
    CHECK(run.findings.empty());
    CHECK(run.cycles == sample.builder.schedule.cycles);
    CHECK(run.outputs == sample.outputs);
  }
}

TEST_CASE("gather reads the row that lane 0 names, which must exist") {
  ScheduleBuilder builder = sample("gather").builder;
  CHECK(builder.run({{0, 1, 1, 1}}).outputs ==
        std::vector<Elements>{{1, 2, 3, 4}});
  CHECK(builder.run({{3, 0, 0, 0}}).first == "capacity 3");
  CHECK(builder.run({{-1, 0, 0, 0}}).first == "capacity 3");
  // The whole table is there, whatever the index.
  builder.schedule.placements[0].count = 2;
  CHECK(builder.run({{0, 0, 0, 0}}).first == "undefined-read 3");
}

TEST_CASE("a mul within the passes of another is found") {
  auto [name, builder, inputs, outputs] = sample("accumulators");
  builder.schedule.instructions[0][5].cycle = 13;
  CHECK(builder.run(inputs).first == "unit-busy 13");
}

TEST_CASE("each plane of a wide element is checked") {
  auto [name, builder, inputs, outputs] = sample("planes");
  auto &lines = builder.schedule.instructions[0];
  lines[1].operands[0].plane = 0;
  CHECK(builder.run(inputs).first == "wrong-operand 0");
  lines[1].operands[0].plane = 1;
  std::swap(lines[2].operands[0].streams[0], lines[2].operands[0].streams[1]);
  CHECK(builder.run(inputs).first == "wrong-operand 4");
  // The planes of y, each in the row of the other.
  auto [again, swapped, x, y] = sample("planes");
  auto &writes = swapped.schedule.instructions[0];
  std::swap(writes[4].queue, writes[5].queue);
  CHECK(swapped.run(x).first == "lost-value -1");
}
