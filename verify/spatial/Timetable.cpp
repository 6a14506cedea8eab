#include "verify/spatial/Timetable.h"

#include "support/Format.h"
#include <algorithm>

namespace tilewright::verify {

using namespace spatial;

Timetable::Timetable(const Schedule &schedule, int64_t runs,
                     uint64_t eventsAtOnce)
    : schedule(schedule), runs(runs), eventsAtOnce(eventsAtOnce),
      isConstant(schedule.values.size()), given(schedule.values.size()) {
  for (uint32_t value : schedule.constants)
    isConstant[value] = given[value] = true;
  for (const Interface &input : schedule.inputs)
    given[input.value] = true;

  for (size_t chip = 0; chip < schedule.instructions.size(); ++chip)
    for (const Instruction &instruction : schedule.instructions[chip]) {
      auto key = std::pair(static_cast<int64_t>(chip), instruction.queue);
      if (queueNumbers.try_emplace(key, 0).second)
        queues.push_back(
            {key.first, key.second, printQueue(instruction.queue), {}});
      lines.push_back(
          {&instruction, static_cast<uint32_t>(chip), 0, 0, instruction.count});
    }
  std::ranges::sort(queues, {}, [](const TimedQueue &queue) {
    return std::pair(queue.chip, std::string_view(queue.text));
  });
  for (size_t i = 0; i < queues.size(); ++i)
    queueNumbers[{queues[i].chip, queues[i].queue}] = static_cast<uint32_t>(i);
  for (TimedLine &line : lines)
    line.queue = queueNumbers.at({line.chip, line.instruction->queue});
}

int64_t Timetable::resultDelay(const Instruction &instruction) const {
  const Machine &machine = schedule.machine;
  switch (instruction.opcode) {
  case Opcode::read:
    return machine.mem.readDelay;
  case Opcode::gather:
    return machine.mem.indexedDelay;
  case Opcode::mul:
    return machine.mxm.passes.at(instruction.type) - 1 + machine.mxm.delay;
  case Opcode::alu:
    return machine.delayOf(instruction.alu);
  case Opcode::map:
    return machine.sxm->delay;
  case Opcode::transpose:
    return machine.sxm->transpose - 1 + machine.sxm->delay;
  case Opcode::write:
  case Opcode::load:
  case Opcode::send:
  case Opcode::receive:
    return 0;
  }
  return 0;
}

std::string Timetable::print(const PlaneName &name) const {
  std::string text = printName(schedule, name.value, name.index);
  if (schedule.machine.planesOf(schedule.values[name.value].dtype) > 1)
    text += format(".{}", {name.plane});
  if (name.run)
    text += format(" of run {}", {name.run});
  return text;
}

const std::vector<uint32_t> &Timetable::linesOf(int64_t chip,
                                                const Queue &queue) const {
  static const std::vector<uint32_t> none;
  auto found = queueNumbers.find({chip, queue});
  return found == queueNumbers.end() ? none : queues[found->second].lines;
}

} // namespace tilewright::verify
