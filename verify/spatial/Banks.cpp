#include "support/Format.h"
#include "verify/spatial/EventSweep.h"
#include "verify/spatial/Rules.h"
#include "verify/spatial/SlotHistory.h"
#include <algorithm>
#include <limits>

namespace tilewright::verify {

using namespace spatial;

namespace {

using BankKey = std::pair<int64_t, Queue>;
using PlacementsByBank = std::map<BankKey, std::vector<const Placement *>>;

/// One bank of one chip.
class BankCheck {
public:
  BankCheck(const Timetable &timetable, int64_t length, FindingList &findings)
      : timetable(timetable), schedule(timetable.schedule), findings(findings),
        length(length), rows(timetable, "row") {}

  void addPlacement(const Placement &placement);
  void checkLines(const std::vector<uint32_t> &lines);
  void addOutput(const Placement &placement) { outputs.push_back(&placement); }

private:
  void addWrite(uint32_t line, const Issue &issue);
  void checkRead(uint32_t line, const Issue &issue);
  void checkOutputs(int64_t cycle);
  void checkOutput(const Placement &placement, int64_t row, const Issue &run,
                   const PlaneName &name);
  template <typename Callback>
  void forEachRow(const Placement &placement, int64_t run,
                  Callback callback) const;

  const Timetable &timetable;
  const Schedule &schedule;
  FindingList &findings;
  const int64_t length;
  SlotHistory rows;
  std::vector<const Placement *> outputs;
  int64_t checkedRuns = 0;
};

template <typename Callback>
void BankCheck::forEachRow(const Placement &placement, int64_t run,
                           Callback callback) const {
  Issue issue{run * schedule.interval, 0, static_cast<uint32_t>(run)};
  for (int64_t i = 0; i < placement.count; ++i)
    if (hasRow(schedule, placement, i))
      callback(placement.row + i * placement.stride, issue,
               timetable.nameAt({placement.value, {}}, issue,
                                placement.vector + i * placement.step,
                                placement.plane));
}

/// Constants lie there before cycle 0, inputs before each run.
void BankCheck::addPlacement(const Placement &placement) {
  if (!timetable.isGiven(placement.value))
    return;
  int64_t runs = timetable.isInput(placement.value) ? timetable.runs : 1;
  for (int64_t run = 0; run < runs; ++run)
    forEachRow(placement, run,
               [&](int64_t row, const Issue &issue, const PlaneName &name) {
                 rows.add({row, issue.cycle - 1, issue.cycle, name});
               });
}

void BankCheck::checkLines(const std::vector<uint32_t> &lines) {
  EventSweep sweep(timetable);
  for (uint32_t line : lines)
    sweep.add(line, 0);
  rows.sort();
  while (sweep.next()) {
    sweep.forEach([&](uint32_t, uint32_t line, const Issue &issue) {
      addWrite(line, issue);
    });
    rows.sort();
    sweep.forEach([&](uint32_t, uint32_t line, const Issue &issue) {
      checkRead(line, issue);
    });
    checkOutputs(sweep.spanEnd());
    if (!sweep.isLast())
      rows.forgetBefore(sweep.spanEnd());
  }
  checkOutputs(std::numeric_limits<int64_t>::max());
}

void BankCheck::addWrite(uint32_t line, const Issue &issue) {
  const Instruction &instruction = *timetable.lines[line].instruction;
  if (instruction.opcode != Opcode::write)
    return;
  const Port &row = instruction.results.front();
  rows.add({row.index.at(issue.repetition), issue.cycle,
            issue.cycle + schedule.machine.mem.writeDelay,
            timetable.nameAt(row.name, issue, 0, row.plane), line});
}

void BankCheck::checkRead(uint32_t line, const Issue &issue) {
  const Instruction &instruction = *timetable.lines[line].instruction;
  if (instruction.opcode == Opcode::write)
    return;
  const Port &row = instruction.operands.front();
  int64_t count = instruction.opcode == Opcode::gather ? instruction.rows : 1;
  rows.demand({row.index.at(issue.repetition), count,
               timetable.nameAt(row.name, issue, 0, row.plane), issue.cycle,
               line, 0},
              findings);
}

/// Of runs that end before `cycle` and were not yet checked.
void BankCheck::checkOutputs(int64_t cycle) {
  for (; checkedRuns < timetable.runs &&
         checkedRuns * schedule.interval + length - 1 < cycle;
       ++checkedRuns)
    for (const Placement *placement : outputs)
      forEachRow(*placement, checkedRuns,
                 [&](int64_t row, const Issue &run, const PlaneName &name) {
                   checkOutput(*placement, row, run, name);
                 });
}

/// The rows of an output hold it behind the last cycle of the run.
void BankCheck::checkOutput(const Placement &placement, int64_t row,
                            const Issue &run, const PlaneName &name) {
  int64_t last = run.cycle + length - 1;
  const SlotHistory::Entry *entry = rows.find(row, last + 1);
  // Inputs of a later run appear behind it.
  if (entry && entry->line == SlotHistory::noLine && entry->ready > last &&
      run.cycle < entry->ready)
    entry = rows.find(row, last);
  bool ready = entry && entry->ready <= std::max(last, run.cycle);
  if ((ready && entry->name == name) || !findings.wants(-1))
    return;
  findings.addToManifest(
      FindingCode::lostValue, placement.chip, printQueue(placement.bank),
      format("expected {} at the end, but {}",
             {timetable.print(name), rows.describe(entry, row, last)}));
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
    BankCheck bank(timetable, length, findings);
    for (const Placement *placement : placements[key]) {
      bank.addPlacement(*placement);
      if (isOutput[placement->value])
        bank.addOutput(*placement);
    }
    bank.checkLines(queue ? queue->lines : std::vector<uint32_t>());
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
