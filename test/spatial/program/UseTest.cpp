// What a schedule uses, counted by hand.
#include "spatial/program/Use.h"
#include "test/spatial/program/ExampleSchedule.h"

using namespace tilewright;
using namespace tilewright::spatial;
using namespace tilewright::spatial::test;

TEST_CASE("queues are busy while they can begin nothing else") {
  Schedule schedule = relu();
  std::vector<QueueUse> queues = queueUse(schedule, 0);
  REQUIRE(queues.size() == 7);
  CHECK(printQueue(queues[0].queue) == "u0.p0.w");
  CHECK(queues[0].instructions == 2);
  CHECK(queues[0].busy == 2);
  schedule.machine.mxm.passes[DType::F32] = 4;
  CHECK(queueUse(schedule, 0)[1].busy == 4);
  CHECK(queueUse(with("@0 u1.s0 transpose e0:wt[0] -> w0:wt[0] *2/9", 30), 0)[0]
            .busy == 8);
  CHECK(queuesOf(schedule.machine, 4, QueueKind::alu) == 4);
  CHECK(queuesOf(schedule.machine, 3, QueueKind::alu) == 0);
  CHECK(queuesOf(schedule.machine, 5, QueueKind::bank) == 0);
}

static std::vector<SliceUse> slices(const Schedule &schedule, int64_t samples) {
  auto use = memoryUse(schedule, 0, samples);
  REQUIRE(use.ok());
  return use->slices;
}

TEST_CASE("rows are in use as long as they are needed") {
  std::vector<SliceUse> use = slices(relu(), 17);
  REQUIRE(use.size() == 2);
  CHECK(use[0].position == 2);
  CHECK(use[0].constants == 4);
  CHECK(use[0].samples == std::vector<int64_t>(17, 4));
  CHECK(use[1].constants == 0);
  CHECK(use[1].peak == 1);
  // x up to its read in cycle 1, y from its write in 15 on.
  std::vector<int64_t> input(17, 0);
  input[0] = input[1] = input[15] = input[16] = 1;
  CHECK(use[1].samples == input);
}

TEST_CASE("a row is free between its last read and its next write") {
  Schedule schedule = with("@2 u3.b0 write e0:h[0].0 -> r7\n"
                           "@4 u3.b0 read r7:h[0].0 -> e0\n"
                           "@8 u3.b0 write e0:y[0].0 -> r7\n"
                           "@9 u3.b1 write e0:y[0].0 -> r8\n",
                           12);
  schedule.placements.clear();
  CHECK(slices(schedule, 12)[0].samples ==
        std::vector<int64_t>{0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0});
  auto sampled = memoryUse(schedule, 0, 5);
  REQUIRE(sampled.ok());
  CHECK(sampled->cyclesPerSample == 3);
  CHECK(sampled->slices[0].samples == std::vector<int64_t>{1, 1, 1, 1});
}

TEST_CASE("a gather needs every row of its table") {
  Schedule schedule = with("@0 u3.b0 write e0:wt[0].0 -> r4+1 *4/1\n", 12);
  schedule.placements.clear();
  Schedule gathers = schedule;
  Instruction gather;
  gather.cycle = 9;
  gather.opcode = Opcode::gather;
  gather.queue = schedule.instructions[0][0].queue;
  gather.rows = 2;
  gather.operands = {Port()};
  gather.operands[0].index = {5, 0};
  gathers.instructions[0].push_back(gather);
  CHECK(slices(gathers, 12)[0].samples ==
        std::vector<int64_t>{1, 1, 2, 3, 2, 2, 2, 2, 2, 2, 0, 0});
}

TEST_CASE("rows and banks that are not there use nothing") {
  Schedule schedule = with("@0 u3.b0 write e0:y[0].0 -> r4096\n"
                           "@1 u3.b0 write e0:y[0].0 -> r5-9 *2/1\n"
                           "@1 u9.b0 write e0:y[0].0 -> r0\n"
                           "@1 u3.b2 write e0:y[0].0 -> r0\n",
                           4);
  schedule.placements.clear();
  std::vector<SliceUse> use = slices(schedule, 4);
  REQUIRE(use.size() == 1);
  CHECK(use[0].peak == 1);
}
