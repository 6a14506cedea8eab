#include "support/Format.h"
#include "verify/spatial/EventSweep.h"
#include "verify/spatial/Rules.h"
#include <algorithm>

namespace tilewright::verify {

using namespace spatial;

namespace {

struct Occupation {
  int64_t cycle = 0;
  uint32_t line = 0;
};

/// How many cycles an instruction keeps its queue.
int64_t durationOf(const Machine &machine, const Instruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::mul:
    return machine.mxm.passes.at(instruction.type);
  case Opcode::transpose:
    return machine.sxm->transpose;
  case Opcode::send:
    return machine.link->vectorCycles;
  default:
    return 1;
  }
}

FindingCode codeOf(const TimedQueue &queue, bool sameCycle) {
  if (queue.queue.kind == QueueKind::bank)
    return FindingCode::bankConflict;
  return queue.queue.kind == QueueKind::send && !sameCycle
             ? FindingCode::linkBusy
             : FindingCode::unitBusy;
}

class QueueCheck {
public:
  QueueCheck(const Timetable &timetable, FindingList &findings,
             const TimedQueue &queue)
      : timetable(timetable), findings(findings), queue(queue) {}
  void check();

private:
  void begin(const Occupation &next);

  const Timetable &timetable;
  FindingList &findings;
  const TimedQueue &queue;
  /// The one that keeps the queue longest so far, and the cycle in which the
  /// queue is free again.
  Occupation holder;
  int64_t free = 0;
};

void QueueCheck::check() {
  EventSweep sweep(timetable);
  for (uint32_t line : queue.lines)
    sweep.add(line, 0);
  std::vector<Occupation> begun;
  while (sweep.next()) {
    begun.clear();
    sweep.forEach([&](uint32_t, uint32_t line, const Issue &issue) {
      begun.push_back({issue.cycle, line});
    });
    std::ranges::sort(begun, {}, [](const Occupation &occupation) {
      return std::pair(occupation.cycle, occupation.line);
    });
    for (const Occupation &next : begun)
      begin(next);
  }
}

void QueueCheck::begin(const Occupation &next) {
  const Schedule &schedule = timetable.schedule;
  const Instruction &instruction = *timetable.lines[next.line].instruction;
  if (next.cycle < free && findings.wants(next.cycle)) {
    const Instruction &other = *timetable.lines[holder.line].instruction;
    findings.add(
        codeOf(queue, holder.cycle == next.cycle), next.cycle, next.line,
        FindingPart::busy,
        format("{} is busy until cycle {} with the one begun in cycle {}: "
               "{} (line {})",
               {queue.text, free - 1, holder.cycle,
                printInstruction(schedule, other), other.line}));
  }
  int64_t end = next.cycle + durationOf(schedule.machine, instruction);
  if (end > free)
    free = end, holder = next;
}

} // namespace

void checkQueues(const Timetable &timetable, FindingList &findings) {
  for (const TimedQueue &queue : timetable.queues)
    QueueCheck(timetable, findings, queue).check();
}

} // namespace tilewright::verify
