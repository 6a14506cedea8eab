// Changes of schedules, of which most break something.
#ifndef TILEWRIGHT_TEST_VERIFY_SPATIAL_BREAKS_H
#define TILEWRIGHT_TEST_VERIFY_SPATIAL_BREAKS_H

#include "spatial/program/Schedule.h"
#include "test/verify/spatial/RandomMachine.h"
#include <span>

namespace tilewright::test {

/// A way to change one thing of a schedule.
struct Break {
  std::string_view name;
  /// It says where and when something happens, not what: a schedule that is
  /// still accepted computes the same.
  bool moves = false;
  /// False if there is nothing of the kind to change.
  bool (*apply)(spatial::Schedule &schedule, Dice &dice);
};

[[nodiscard]] std::span<const Break> allBreaks();

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_VERIFY_SPATIAL_BREAKS_H
