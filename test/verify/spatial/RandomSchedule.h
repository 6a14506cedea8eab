// Schedules that no compiler wrote: instructions placed by arithmetic.
#ifndef TILEWRIGHT_TEST_VERIFY_SPATIAL_RANDOMSCHEDULE_H
#define TILEWRIGHT_TEST_VERIFY_SPATIAL_RANDOMSCHEDULE_H

#include "test/verify/spatial/ScheduleBuilder.h"

namespace tilewright::test {

/// A schedule that a random machine can run. The same for the same seed.
[[nodiscard]] ScheduleBuilder randomSchedule(uint64_t seed);

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_VERIFY_SPATIAL_RANDOMSCHEDULE_H
