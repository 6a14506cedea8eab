#include "verify/spatial/VerifySchedule.h"

#include "test/verify/spatial/HandSchedules.h"
#include <catch2/catch.hpp>

namespace tilewright::test {

using namespace spatial;
using verify::ScheduleVerdict;
using verify::verifySchedule;

namespace {

/// The first finding of relu, with something replaced.
std::string ofEdited(std::string_view from, std::string_view to) {
  return firstFinding(reluSchedule(edited(reluLines, from, to)).schedule);
}

} // namespace

TEST_CASE("The schedule by hand is accepted") {
  ScheduleVerdict verdict = verifySchedule(reluSchedule().schedule);
  for (const Finding &finding : verdict.findings)
    FAIL_CHECK(printFinding(finding));
  CHECK(verdict.cycles == 17);
}

TEST_CASE("Each shift of a line by a cycle is found") {
  Schedule schedule = reluSchedule().schedule;
  for (size_t line = 0; line < schedule.instructions[0].size(); ++line)
    for (int shift : {-1, 1}) {
      Schedule shifted = schedule;
      shifted.instructions[0][line].cycle += shift;
      CAPTURE(line, shift);
      if (shifted.instructions[0][line].cycle >= 0)
        CHECK(firstFinding(shifted) != "accepted");
    }
}

TEST_CASE("A finding says what was expected and when it would be there") {
  Schedule schedule =
      reluSchedule(edited(reluLines, "@1 u3.b0", "@2 u3.b0")).schedule;
  ScheduleVerdict verdict = verifySchedule(schedule);
  REQUIRE(!verdict.findings.empty());
  CHECK(printFinding(verdict.findings.front()) ==
        "chip-0.txt:5: error: cycle 6, chip 0 u0.p0.a: expected x[0] at unit 0 "
        "in cycle 6, nothing is there; it is there in cycle 7 "
        "(missing-operand)");
  // No more than was asked for, the first ones.
  CHECK(verifySchedule(schedule, 1).findings.size() == 1);
}

TEST_CASE("Each rule has its code, cycle and queue") {
  CHECK(ofEdited("@1 u3.b0", "@2 u3.b0") == "missing-operand @6 u0.p0.a");
  CHECK(ofEdited("r0:x[0].0", "r1:x[0].0") == "undefined-read @1 u3.b0");
  CHECK(ofEdited("buffer 0:wt", "buffer 1:wt") == "undefined-read @6 u0.p0.a");
  CHECK(ofEdited("@15 u3.b1 write w0:y[0].0 -> r0\n",
                 "@15 u3.b1 write w0:y[0].0 -> r0\n"
                 "@15 u3.b1 write w0:y[0].0 -> r0\n") ==
        "bank-conflict @15 u3.b1");
  CHECK(ofEdited("w0:y[0].0 -> r0", "w0:y[0].0 -> r1") ==
        "lost-value @-1 u3.b1");
  CHECK(ofEdited("r0:x[0].0", "r0:h[0].0") == "wrong-operand @1 u3.b0");
  CHECK(ofEdited("w0,w1:wt", "w1,w0:wt") == "wrong-operand @4 u0.p0.w");
  CHECK(ofEdited("row 0+2 *2/1", "row 0+1 *2/1") == "wrong-operand @6 u0.p0.a");
  CHECK(ofEdited("row 0+2 *2/1", "row 0+2") == "undefined-read @6 u0.p0.a");
  CHECK(ofEdited("@6 u0.p0.a mul", "@5 u0.p0.a mul") ==
        "missing-operand @5 u0.p0.a");
  CHECK(ofEdited("-> w0:y[0]\n", "-> w0:y[0] -> w0:y[0]\n") ==
        "stream-collision @14 u4.a0");
  CHECK(ofEdited("@13 u4.a0 max f32 e0:h[0] 0 -> w0:y[0]\n",
                 "@13 u4.a0 max f32 e0:h[0] 0 -> w0:y[0]\n"
                 "@13 u4.a0 max f32 e0:h[0] 0 -> w3:y[0]\n") ==
        "unit-busy @13 u4.a0");
  // A name made in a second way; in the same way it may be made again.
  CHECK(ofEdited("@13 u4.a0 max f32 e0:h[0] 0 -> w0:y[0]\n",
                 "@13 u4.a0 max f32 e0:h[0] 0 -> w0:y[0]\n"
                 "@13 u4.a1 max f32 e0:h[0] 1 -> w3:y[0]\n") ==
        "wrong-operand @13 u4.a1");
  CHECK(ofEdited("@13 u4.a0 max f32 e0:h[0] 0 -> w0:y[0]\n",
                 "@13 u4.a0 max f32 e0:h[0] 0 -> w0:y[0]\n"
                 "@13 u4.a1 max f32 e0:h[0] 0 -> w3:y[0]\n") == "accepted");
  // An input cannot be made.
  CHECK(ofEdited("@13 u4.a0 max f32 e0:h[0] 0 -> w0:y[0]\n",
                 "@13 u4.a0 max f32 e0:h[0] 0 -> w0:y[0]\n"
                 "@13 u4.a1 move f32 e0:h[0] -> w3:x[0]\n") ==
        "wrong-operand @13 u4.a1");
  Schedule longer = reluSchedule().schedule;
  longer.cycles = longer.interval = 18;
  CHECK(firstFinding(longer) == "wrong-length @-1");
}

TEST_CASE("What the machine lacks is a finding of capacity") {
  CHECK(ofEdited("-> w2", "-> w8") == "capacity @1 u3.b0");
  CHECK(ofEdited("@1 u3.b0", "@1 u3.b2") == "capacity @1 u3.b2");
  CHECK(ofEdited("@1 u3.b0", "@1 u4.b0") == "capacity @1 u4.b0");
  CHECK(ofEdited("@1 u3.b0", "@1 u5.b0") == "capacity @1 u5.b0");
  CHECK(ofEdited("r0:x[0].0", "r16:x[0].0") == "capacity @1 u3.b0");
  CHECK(ofEdited("r0+1:wt[0+2]", "r0-1:wt[0+2]") == "capacity @1 u2.b0");
  CHECK(ofEdited("r0+1:wt[0+2]", "r15+1:wt[0+2]") == "undefined-read @0 u2.b0");
  CHECK(ofEdited("buffer 0:wt", "buffer 2:wt") == "capacity @6 u0.p0.a");
  CHECK(ofEdited("row 0+2 *2/1", "row 1+2 *2/1") == "capacity @5 u0.p0.w");
  CHECK(ofEdited("-> e0:h[0]", "-> acc 4:h[0]") == "capacity @6 u0.p0.a");
  CHECK(ofEdited("e0:h[0] 0 ->", "a4:h[0] 0 ->") == "capacity @13 u4.a0");
  Schedule misplaced = reluSchedule().schedule;
  misplaced.placements[2].row = 16;
  CHECK(firstFinding(misplaced) == "undefined-read @1 u3.b0");
  misplaced = reluSchedule().schedule;
  misplaced.placements[3].bank.position = 4;
  CHECK(firstFinding(misplaced) == "capacity @-1 u4.b1");
}

TEST_CASE("Runs that overlap") {
  Schedule schedule = reluSchedule().schedule;
  auto every = [&](int64_t interval) {
    schedule.interval = interval;
    return firstFinding(schedule);
  };
  // Loads of the next run come when the product has begun, at the earliest.
  CHECK(every(3) == "accepted");
  CHECK(every(16) == "accepted");
  CHECK(every(2) != "accepted");
  CHECK(every(1) != "accepted");
  // What overlaps comes before what is wrong at the end.
  schedule.cycles = 18;
  CHECK(every(2) == "unit-busy @6 u0.p0.w");
  CHECK(every(3) == "wrong-length @-1");
  // Each run finds its own input: a row that the last one wrote is not it.
  schedule.cycles = 17;
  Instruction again = schedule.instructions[0][2];
  again.cycle = 7;
  schedule.instructions[0].push_back(again);
  CHECK(every(17) == "accepted");
  CHECK(every(5) == "wrong-operand @7 u3.b0");
}

} // namespace tilewright::test
