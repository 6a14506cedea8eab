#include "test/verify/spatial/RandomSchedule.h"

#include "spatial/program/InstructionText.h"
#include "test/verify/spatial/Breaks.h"
#include "verify/spatial/VerifySchedule.h"
#include <catch2/catch.hpp>
#include <map>

namespace tilewright::test {

using namespace spatial;

namespace {

/// How often something occurs.
using Counts = std::map<std::string, int>;

void count(const Schedule &schedule, Counts &counts) {
  for (const auto &lines : schedule.instructions)
    for (const Instruction &line : lines) {
      std::string_view name = line.opcode == Opcode::alu
                                  ? aluName(line.alu)
                                  : opcodeName(line.opcode);
      ++counts[std::string(name)];
      if (line.count > 1)
        ++counts["repeated"];
      if (line.results.size() > 1)
        ++counts["several results"];
      for (const Port &port : line.operands) {
        if (port.kind == Port::Kind::alu)
          ++counts["ALU operand"];
        if (port.kind == Port::Kind::accumulator)
          ++counts["accumulator added"];
      }
    }
}

} // namespace

TEST_CASE("Schedules placed by arithmetic are accepted") {
  Counts counts;
  int failed = 0;
  for (uint64_t seed = 0; seed < 300 && failed < 5; ++seed) {
    ScheduleBuilder builder = randomSchedule(seed);
    count(builder.schedule, counts);
    verify::ScheduleVerdict verdict = verify::verifySchedule(builder.schedule);
    std::string text = "seed " + std::to_string(seed) + "\n";
    for (const auto &lines : builder.schedule.instructions)
      for (const Instruction &line : lines)
        if (Status status = checkInstruction(builder.schedule, line);
            !status.ok())
          FAIL_CHECK(text << printInstruction(builder.schedule, line) << ": "
                          << status.message());
    if (verdict.findings.empty())
      continue;
    ++failed;
    for (const Finding &finding : verdict.findings)
      text += printFinding(finding) + "\n";
    FAIL_CHECK(text);
  }
  // It makes all that a schedule can say.
  for (const char *name :
       {"read", "write", "gather", "load", "mul", "map", "transpose", "send",
        "receive", "repeated", "several results", "ALU operand",
        "accumulator added"})
    CHECK(counts[name] >= 10);
#define ALU_OP(ENUMERATOR, NAME, OPERANDS, DELAY) CHECK(counts[NAME] >= 3);
#include "spatial/machine/AluOps.inc"
#undef ALU_OP
}

TEST_CASE("Repetitions a few at once are judged like all together") {
  auto summary = [](const verify::ScheduleVerdict &verdict) {
    std::string text = std::to_string(verdict.cycles) + "\n";
    for (const Finding &finding : verdict.findings)
      text += std::string(findingName(finding.code)) + " @" +
              std::to_string(finding.cycle) + " " + finding.queue + " " +
              std::to_string(finding.line) + "\n";
    return text;
  };
  Dice dice(7);
  int broken = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Schedule schedule = randomSchedule(seed).schedule;
    const Break &change = allBreaks()[seed % allBreaks().size()];
    if (!change.apply(schedule, dice))
      continue;
    verify::ScheduleVerdict verdict = verify::verifySchedule(schedule);
    broken += !verdict.findings.empty();
    for (uint64_t eventsAtOnce : {1, 20})
      if (std::string few =
              summary(verify::verifySchedule(schedule, 20, eventsAtOnce));
          few != summary(verdict))
        FAIL_CHECK("seed " << seed << ", " << change.name << ", "
                           << eventsAtOnce << " at once\n"
                           << summary(verdict) << few);
  }
  CHECK(broken > 150);
}

} // namespace tilewright::test
