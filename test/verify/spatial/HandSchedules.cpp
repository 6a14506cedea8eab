#include "test/verify/spatial/HandSchedules.h"

namespace tilewright::test {

using namespace spatial;

ScheduleBuilder reluSchedule(std::string_view lines) {
  ScheduleBuilder builder(toyMachine);
  uint32_t weights = builder.addConstant("wt", DType::F32, 4);
  uint32_t x = builder.addInput("x", DType::F32, 1);
  builder.addValue("h", DType::F32, 1);
  uint32_t y = builder.addValue("y", DType::F32, 1);
  builder.addOutput(y);
  for (int64_t bank : {0, 1})
    builder.schedule.placements.push_back(
        {weights, bank, 2, 2, 0, 0, bankOf(2, bank), 0, 1});
  builder.place(x, 1, 0, bankOf(3, 0), 0);
  builder.place(y, 1, 0, bankOf(3, 1), 0);
  builder.setLines(0, lines);
  builder.finish(17);
  return builder;
}

} // namespace tilewright::test
