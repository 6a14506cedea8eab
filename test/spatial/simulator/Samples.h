// Schedules that are right, with what they compute: each instruction is in one
// of them.
#ifndef TILEWRIGHT_TEST_SPATIAL_SIMULATOR_SAMPLES_H
#define TILEWRIGHT_TEST_SPATIAL_SIMULATOR_SAMPLES_H

#include "ScheduleBuilder.h"

namespace tilewright::test {

using Elements = std::vector<double>;

struct Sample {
  const char *name;
  ScheduleBuilder builder;
  std::vector<Elements> inputs, outputs;
};

std::vector<Sample> samples();
/// The one of this name.
Sample sample(const std::string &name);

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_SPATIAL_SIMULATOR_SAMPLES_H
