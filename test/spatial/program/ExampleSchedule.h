// The schedule by hand of docs/spatial.md, and others on its machine.
#ifndef TILEWRIGHT_TEST_SPATIAL_PROGRAM_EXAMPLESCHEDULE_H
#define TILEWRIGHT_TEST_SPATIAL_PROGRAM_EXAMPLESCHEDULE_H

#include "spatial/program/InstructionText.h"
#include <catch2/catch.hpp>

namespace tilewright::spatial::test {

inline Schedule relu() {
  auto schedule = readSchedule(TEST_EXAMPLES "/spatial/relu.tws");
  INFO(schedule.status().message());
  REQUIRE(schedule.ok());
  return *schedule;
}

/// The example with other lines.
inline Schedule with(std::string_view lines, int64_t cycles) {
  Schedule schedule = relu();
  auto parsed = parseInstructions(schedule, lines, "f");
  INFO(parsed.status().message());
  REQUIRE(parsed.ok());
  schedule.instructions[0] = *parsed;
  schedule.cycles = cycles;
  return schedule;
}

} // namespace tilewright::spatial::test

#endif // TILEWRIGHT_TEST_SPATIAL_PROGRAM_EXAMPLESCHEDULE_H
