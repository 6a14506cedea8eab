#include "test/verify/spatial/HandSchedules.h"

#include "verify/spatial/VerifySchedule.h"
#include <stdexcept>

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

static std::string firstOf(const verify::ScheduleVerdict &verdict) {
  if (verdict.findings.empty())
    return "accepted";
  const Finding &finding = verdict.findings.front();
  return std::string(findingName(finding.code)) + " @" +
         std::to_string(finding.cycle) +
         (finding.queue.empty() ? "" : " " + finding.queue);
}

std::string firstFinding(const Schedule &schedule) {
  std::string first = firstOf(verify::verifySchedule(schedule));
  // Its memory is no matter: one repetition at a time is judged alike.
  std::string again = firstOf(verify::verifySchedule(schedule, 20, 1));
  return first == again ? first : first + ", one at a time: " + again;
}

std::string edited(std::string_view text, std::string_view from,
                   std::string_view to) {
  std::string result(text);
  size_t at = result.find(from);
  if (at == std::string::npos)
    throw std::runtime_error("no '" + std::string(from) + "' to replace");
  return result.replace(at, from.size(), to);
}

Small &Small::input(std::string name, DType dtype, int64_t vectors,
                    std::vector<Queue> planes, int64_t row) {
  uint32_t value = builder.addInput(std::move(name), dtype, vectors);
  for (size_t plane = 0; plane < planes.size(); ++plane)
    builder.place(value, vectors, static_cast<int64_t>(plane), planes[plane],
                  row);
  return *this;
}

Small &Small::value(std::string name, DType dtype, int64_t vectors) {
  builder.addValue(std::move(name), dtype, vectors);
  return *this;
}

std::string Small::judge(int64_t cycles, std::string_view lines,
                         std::string_view second) {
  builder.setLines(0, lines);
  if (!second.empty())
    builder.setLines(1, second);
  builder.finish(cycles);
  return firstFinding(builder.schedule);
}

} // namespace tilewright::test
