// The schedule by hand of docs/spatial.md: it runs as it stands, and nothing in
// it can move alone.
#include "ScheduleBuilder.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::spatial;
using namespace tilewright::test;

namespace {

Schedule byHand() {
  auto schedule = readSchedule(EXAMPLES "/spatial/relu.tws");
  INFO(schedule.status().message());
  REQUIRE(schedule);
  return *schedule;
}

SimulationResult run(const Schedule &schedule) {
  runtime::HostTensor x =
      tensorOf(DType::F32, schedule.inputs[0].shape, {1, -1, 2, .5});
  const runtime::TensorView inputs[] = {x};
  auto result = simulate(schedule, inputs);
  INFO(result.status().message());
  REQUIRE(result);
  return *result;
}

std::string firstFinding(const Schedule &schedule) {
  return firstOf(run(schedule).findings);
}

} // namespace

TEST_CASE("the schedule by hand computes relu(W x) in 17 cycles") {
  SimulationResult result = run(byHand());
  for (const Finding &finding : result.findings)
    UNSCOPED_INFO(printFinding(finding));
  CHECK(result.findings.empty());
  CHECK(result.cycles == 17);
  REQUIRE(result.outputs.size() == 1);
  CHECK(elementsOf(result.outputs[0]) == std::vector<double>{7, 1.5, 1.25, 0});
}

TEST_CASE("each single shift of a line by hand is found") {
  const Schedule original = byHand();
  size_t shifts = 0;
  for (size_t line = 0; line < original.instructions[0].size(); ++line)
    for (int shift : {-1, 1}) {
      Schedule changed = original;
      Instruction &in = changed.instructions[0][line];
      in.cycle += shift;
      if (in.cycle < 0) // No schedule: the reader refuses it.
        continue;
      ++shifts;
      INFO(printInstruction(changed, in));
      CHECK(firstFinding(changed) != "");
    }
  CHECK(shifts == 12);
}

TEST_CASE("changes of the schedule by hand have the findings of the docs") {
  const Schedule original = byHand();
  auto change = [&](size_t line, auto edit) {
    Schedule changed = original;
    edit(changed.instructions[0][line], changed);
    return firstFinding(changed);
  };
  CHECK(change(2, [](Instruction &in, auto &) { in.cycle = 2; }) ==
        "missing-operand 6");
  CHECK(change(2, [](Instruction &in, auto &) {
          in.operands[0].index.start = 1;
        }) == "undefined-read 1");
  CHECK(change(4, [](Instruction &in, auto &) {
          in.operands[1].index.start = 1;
        }) == "undefined-read 6");
  CHECK(change(6, [](Instruction &in, Schedule &schedule) {
          schedule.instructions[0].push_back(in);
        }) == "bank-conflict 15");
  CHECK(change(6, [](Instruction &, Schedule &schedule) {
          schedule.cycles = 18;
        }) == "wrong-length -1");
}

TEST_CASE("findings say where") {
  Schedule changed = byHand();
  changed.instructions[0][2].cycle = 2;
  SimulationResult result = run(changed);
  REQUIRE(!result.findings.empty());
  CHECK(printFinding(result.findings[0]) ==
        "chip-0.txt:8: error: cycle 6, chip 0 u0.p0.a: expected x[0].0 on w2, "
        "found nothing (missing-operand)");
  CHECK(result.outputs.empty());
}
