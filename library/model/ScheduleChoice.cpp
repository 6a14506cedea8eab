#include "library/model/ScheduleChoice.h"

namespace tilewright {

std::optional<ChosenSchedule> takenFor(const KernelToSchedule &kernel,
                                       const CompileModelOptions &options) {
  if (options.chooseSchedule)
    if (auto chosen = options.chooseSchedule(kernel))
      return chosen;
  const bool isCpu = kernel.target == "cpu";
  if (isCpu && options.cpuSchedule)
    return ChosenSchedule{options.cpuSchedule->text(), ""};
  if (!isCpu && options.schedule)
    return ChosenSchedule{options.schedule->text(), ""};
  return std::nullopt;
}

StatusOr<graph::GroupChoice> splitSchedule(const ChosenSchedule &chosen,
                                           bool isCpu) {
  auto take = [&](auto schedule) -> StatusOr<graph::GroupChoice> {
    if (!schedule.ok())
      return schedule.status();
    graph::GroupChoice choice;
    choice.isChosen = true;
    std::swap(choice.cut, schedule->tunables);
    choice.schedule = schedule->text();
    choice.origin = chosen.origin;
    return choice;
  };
  return isCpu ? take(schedule::CpuSchedule::parse(chosen.text))
               : take(schedule::Schedule::parse(chosen.text));
}

} // namespace tilewright
