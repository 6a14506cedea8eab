#include "support/Format.h"
#include "verify/spatial/Rules.h"
#include "verify/spatial/SlotHistory.h"
#include <algorithm>

namespace tilewright::verify {

using namespace spatial;

namespace {

using BankKey = std::pair<int64_t, Queue>;
using PlacementsByBank = std::map<BankKey, std::vector<const Placement *>>;

/// One bank of one chip.
class BankCheck {
public:
  BankCheck(const Timetable &timetable, FindingList &findings)
      : timetable(timetable), schedule(timetable.schedule), findings(findings),
        rows(timetable) {}

  void addPlacement(const Placement &placement);
  void addWrites(const std::vector<uint32_t> &lines);
  void checkReads(const std::vector<uint32_t> &lines);
  void checkOutput(const Placement &placement, int64_t length);
  void sort() { rows.sort(); }

private:
  template <typename Callback>
  void forEachRow(const Placement &placement, Callback callback) const;

  const Timetable &timetable;
  const Schedule &schedule;
  FindingList &findings;
  SlotHistory rows;
};

template <typename Callback>
void BankCheck::forEachRow(const Placement &placement,
                           Callback callback) const {
  for (int64_t run = 0; run < timetable.runs; ++run) {
    Issue issue{run * schedule.interval, 0, static_cast<uint32_t>(run)};
    for (int64_t i = 0; i < placement.count; ++i)
      if (hasRow(schedule, placement, i))
        callback(placement.row + i * placement.stride, issue,
                 timetable.nameAt({placement.value, {}}, issue,
                                  placement.vector + i * placement.step,
                                  placement.plane));
  }
}

/// Constants lie there before cycle 0, inputs before each run.
void BankCheck::addPlacement(const Placement &placement) {
  if (!timetable.isGiven(placement.value))
    return;
  bool isInput = timetable.isInput(placement.value);
  forEachRow(placement,
             [&](int64_t row, const Issue &issue, const PlaneName &name) {
               if (isInput || issue.run == 0)
                 rows.add({row, issue.cycle - 1, issue.cycle, name});
             });
}

void BankCheck::addWrites(const std::vector<uint32_t> &lines) {
  for (uint32_t line : lines) {
    const Instruction &instruction = *timetable.lines[line].instruction;
    if (instruction.opcode != Opcode::write)
      continue;
    const Port &row = instruction.results.front();
    timetable.forEachIssue(line, [&](const Issue &issue) {
      rows.add({row.index.at(issue.repetition), issue.cycle,
                issue.cycle + schedule.machine.mem.writeDelay,
                timetable.nameAt(row.name, issue, 0, row.plane), line});
    });
  }
}

void BankCheck::checkReads(const std::vector<uint32_t> &lines) {
  for (uint32_t line : lines) {
    const Instruction &instruction = *timetable.lines[line].instruction;
    if (instruction.opcode == Opcode::write)
      continue;
    const Port &row = instruction.operands.front();
    int64_t count = instruction.opcode == Opcode::gather ? instruction.rows : 1;
    timetable.forEachIssue(line, [&](const Issue &issue) {
      rows.demand({row.index.at(issue.repetition), count,
                   timetable.nameAt(row.name, issue, 0, row.plane), issue.cycle,
                   line, 0, "row", 0},
                  findings);
    });
  }
}

/// The rows of an output hold it behind the last cycle of the run.
void BankCheck::checkOutput(const Placement &placement, int64_t length) {
  forEachRow(placement, [&](int64_t row, const Issue &issue,
                            const PlaneName &name) {
    int64_t last = issue.cycle + length - 1;
    const SlotHistory::Entry *entry = rows.find(row, last + 1);
    // Inputs of a later run appear behind it.
    if (entry && entry->line == SlotHistory::noLine && entry->ready > last &&
        issue.cycle < entry->ready)
      entry = rows.find(row, last);
    bool ready = entry && entry->ready <= std::max(last, issue.cycle);
    if ((ready && entry->name == name) || !findings.wants(-1))
      return;
    findings.addToManifest(FindingCode::lostValue, placement.chip,
                           printQueue(placement.bank),
                           format("expected {} at the end, but {}",
                                  {timetable.print(name),
                                   rows.describe(entry, row, last, "row")}));
  });
}

} // namespace

void checkBanks(const Timetable &timetable, int64_t length,
                FindingList &findings) {
  const Schedule &schedule = timetable.schedule;
  PlacementsByBank placements;
  std::map<BankKey, const TimedQueue *> banks;
  for (const Placement &placement : schedule.placements) {
    placements[{placement.chip, placement.bank}].push_back(&placement);
    banks[{placement.chip, placement.bank}] = nullptr;
  }
  for (const TimedQueue &queue : timetable.queues)
    if (queue.queue.kind == QueueKind::bank)
      banks[{queue.chip, queue.queue}] = &queue;
  std::vector<bool> isOutput(schedule.values.size());
  for (const Interface &output : schedule.outputs)
    isOutput[output.value] = true;

  for (const auto &[key, queue] : banks) {
    BankCheck bank(timetable, findings);
    for (const Placement *placement : placements[key])
      bank.addPlacement(*placement);
    if (queue)
      bank.addWrites(queue->lines);
    bank.sort();
    if (queue)
      bank.checkReads(queue->lines);
    for (const Placement *placement : placements[key])
      if (isOutput[placement->value])
        bank.checkOutput(*placement, length);
  }
}

int64_t lengthOf(const Timetable &timetable) {
  int64_t length = 0;
  for (const TimedLine &line : timetable.lines)
    if (line.instruction->opcode == Opcode::write && line.first < line.end)
      length =
          std::max(length, line.instruction->cycle +
                               (line.end - 1) * line.instruction->step +
                               timetable.schedule.machine.mem.writeDelay + 1);
  return length;
}

} // namespace tilewright::verify
