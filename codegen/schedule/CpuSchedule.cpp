//===- CpuSchedule.cpp - How a tile kernel becomes loops on a CPU ---------===//
#include "codegen/schedule/CpuSchedule.h"

#include "codegen/schedule/ScheduleText.h"
#include <algorithm>
#include <iterator>

namespace tilewright::schedule {

namespace {
struct Member {
  std::string_view name;
  unsigned CpuSchedule::*value;
};
constexpr Member members[] = {
    {"rows", &CpuSchedule::rows},       {"vectors", &CpuSchedule::vectors},
    {"unroll", &CpuSchedule::unroll},   {"packlhs", &CpuSchedule::packlhs},
    {"packrhs", &CpuSchedule::packrhs}, {"order", &CpuSchedule::order},
    {"chunk", &CpuSchedule::chunk},     {"threads", &CpuSchedule::threads},
};
} // namespace

std::string CpuSchedule::text() const {
  std::string text;
  for (const Member &member : members)
    if (this->*member.value)
      appendPart(text, member.name, this->*member.value);
  appendTunables(text, tunables);
  return text;
}

StatusOr<CpuSchedule> CpuSchedule::parse(std::string_view text) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<SchedulePart> parts,
                              readSchedule(text, Kind::cpu));
  CpuSchedule schedule;
  for (const SchedulePart &part : parts)
    if (part.key)
      schedule.*
          std::ranges::find(members, part.key->name, &Member::name)->value =
          unsigned(part.value);
    else
      schedule.tunables[part.name] = part.value;
  return schedule;
}

} // namespace tilewright::schedule
