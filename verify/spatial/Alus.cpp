#include "support/Format.h"
#include "verify/spatial/EventSweep.h"
#include "verify/spatial/Rules.h"
#include <algorithm>

namespace tilewright::verify {

using namespace spatial;

namespace {

/// A result of an ALU: it is there in this cycle, and in no other.
struct Result {
  int64_t alu = 0, cycle = 0;
  PlaneName name;
};

/// One vxm of one chip.
class AluCheck {
public:
  AluCheck(const Timetable &timetable, FindingList &findings)
      : timetable(timetable), findings(findings) {}

  void check(const std::vector<const TimedQueue *> &queues);

private:
  void addResult(uint32_t line, const Issue &issue);
  void checkOperands(uint32_t line, const Issue &issue);
  void report(uint32_t line, size_t operand, int64_t cycle, int64_t alu,
              const PlaneName &name) const;

  const Timetable &timetable;
  FindingList &findings;
  std::vector<Result> results;
};

void AluCheck::addResult(uint32_t line, const Issue &issue) {
  const Instruction &instruction = *timetable.lines[line].instruction;
  results.push_back(
      {instruction.queue.index,
       issue.cycle + timetable.resultDelay(instruction),
       timetable.nameAt(instruction.results.front().name, issue)});
}

void AluCheck::checkOperands(uint32_t line, const Issue &issue) {
  const Instruction &instruction = *timetable.lines[line].instruction;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const Port &operand = instruction.operands[i];
    if (operand.kind != Port::Kind::alu)
      continue;
    int64_t alu = operand.index.start;
    PlaneName name = timetable.nameAt(operand.name, issue);
    // Two operations of different delays may end in one cycle.
    auto ready = std::ranges::equal_range(
        results, std::pair(alu, issue.cycle), {}, [](const Result &result) {
          return std::pair(result.alu, result.cycle);
        });
    if (std::ranges::find(ready, name, &Result::name) == ready.end() &&
        findings.wants(issue.cycle))
      report(line, i, issue.cycle, alu, name);
  }
}

void AluCheck::report(uint32_t line, size_t operand, int64_t cycle, int64_t alu,
                      const PlaneName &name) const {
  const Result *other = nullptr, *same = nullptr;
  for (const Result &result : results) {
    if (result.alu != alu)
      continue;
    if (result.cycle == cycle)
      other = &result;
    if (result.name == name && (!same || std::abs(result.cycle - cycle) <
                                             std::abs(same->cycle - cycle)))
      same = &result;
  }
  std::string message =
      format("expected {} of a{} in cycle {}, {}{}",
             {timetable.print(name), alu, cycle,
              other ? "found " : "it has no result then",
              other ? timetable.print(other->name) : std::string()});
  if (same)
    message += format("; it is there in cycle {}", {same->cycle});
  findings.add(other ? FindingCode::wrongOperand : FindingCode::missingOperand,
               cycle, line, FindingPart::operands + static_cast<int>(operand),
               std::move(message));
}

void AluCheck::check(const std::vector<const TimedQueue *> &queues) {
  enum Tag : uint32_t { result, operand };
  EventSweep sweep(timetable);
  for (const TimedQueue *queue : queues)
    for (uint32_t line : queue->lines) {
      const Instruction &instruction = *timetable.lines[line].instruction;
      sweep.add(line, timetable.resultDelay(instruction), result);
      if (std::ranges::find(instruction.operands, Port::Kind::alu,
                            &Port::kind) != instruction.operands.end())
        sweep.add(line, 0, operand);
    }
  while (sweep.next()) {
    results.clear();
    sweep.forEach([&](uint32_t tag, uint32_t line, const Issue &issue) {
      if (tag == result)
        addResult(line, issue);
    });
    std::ranges::sort(results, {}, [](const Result &each) {
      return std::pair(each.alu, each.cycle);
    });
    sweep.forEach([&](uint32_t tag, uint32_t line, const Issue &issue) {
      if (tag == operand)
        checkOperands(line, issue);
    });
  }
}

} // namespace

void checkAlus(const Timetable &timetable, FindingList &findings) {
  std::map<std::pair<int64_t, int64_t>, std::vector<const TimedQueue *>> units;
  for (const TimedQueue &queue : timetable.queues)
    if (queue.queue.kind == QueueKind::alu)
      units[{queue.chip, queue.queue.position}].push_back(&queue);
  for (const auto &[unit, queues] : units)
    AluCheck(timetable, findings).check(queues);
}

} // namespace tilewright::verify
