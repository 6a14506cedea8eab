//===- CpuSchedule.cpp - How a tile kernel becomes loops on a CPU ---------===//
#include "tilewright/codegen/CpuSchedule.h"

#include "codegen/schedule/ScheduleText.h"

namespace tilewright::schedule {

static constexpr ParameterMember<CpuSchedule> cpuMembers[] = {
    {"rows", &CpuSchedule::rows},       {"vectors", &CpuSchedule::vectors},
    {"unroll", &CpuSchedule::unroll},   {"packlhs", &CpuSchedule::packlhs},
    {"packrhs", &CpuSchedule::packrhs}, {"order", &CpuSchedule::order},
    {"chunk", &CpuSchedule::chunk},     {"threads", &CpuSchedule::threads},
};

std::string CpuSchedule::text() const {
  std::string text;
  for (const ParameterMember<CpuSchedule> &member : cpuMembers)
    if (this->*member.value)
      appendPart(text, member.name, this->*member.value);
  appendTunables(text, tunables);
  return text;
}

StatusOr<CpuSchedule> CpuSchedule::parse(std::string_view text) {
  return parseSchedule(text, Kind::cpu, cpuMembers);
}

} // namespace tilewright::schedule
