#include "support/Format.h"
#include "verify/spatial/EventSweep.h"
#include "verify/spatial/Rules.h"
#include "verify/spatial/SlotHistory.h"
#include <algorithm>
#include <set>

namespace tilewright::verify {

using namespace spatial;

namespace {

/// A product that uses a buffer in cycles [begin, end).
struct Use {
  int64_t buffer = 0, begin = 0, end = 0;
  uint32_t line = 0;
};

/// One plane of one mxm: its buffers and accumulators.
class PlaneCheck {
public:
  PlaneCheck(const Timetable &timetable, FindingList &findings)
      : timetable(timetable), machine(timetable.schedule.machine),
        findings(findings),
        buffers(timetable, "row", timetable.schedule.machine.mxm.rows),
        accumulators(timetable, "accumulator") {}

  void checkBuffers(const std::vector<uint32_t> &loads,
                    const std::vector<uint32_t> &products);
  void checkAccumulators(const std::vector<uint32_t> &products);

private:
  void addLoad(uint32_t line, const Issue &issue);
  void addUse(uint32_t line, const Issue &issue);
  void checkWeights(uint32_t line, const Issue &issue);
  void checkLoadInUse(uint32_t line, const Issue &issue);
  void sortUses();

  const Timetable &timetable;
  const Machine &machine;
  FindingList &findings;
  SlotHistory buffers, accumulators;
  /// By buffer and begin; `end` is the latest so far of its buffer.
  std::vector<Use> uses;
};

void PlaneCheck::addLoad(uint32_t line, const Issue &issue) {
  const Instruction &instruction = *timetable.lines[line].instruction;
  const Port &buffer = instruction.results.front();
  int64_t slot = buffer.index.at(issue.repetition) * machine.mxm.rows +
                 buffer.bufferRow.at(issue.repetition);
  for (int64_t i = 0; i < timetable.loadedVectors(instruction); ++i)
    buffers.add({slot + i, issue.cycle, issue.cycle + 1,
                 timetable.nameAt(buffer.name, issue, i), line});
}

void PlaneCheck::addUse(uint32_t line, const Issue &issue) {
  const Instruction &instruction = *timetable.lines[line].instruction;
  uses.push_back({instruction.operands[1].index.at(issue.repetition),
                  issue.cycle,
                  issue.cycle + machine.mxm.passes.at(instruction.type), line});
}

void PlaneCheck::checkWeights(uint32_t line, const Issue &issue) {
  const Instruction &instruction = *timetable.lines[line].instruction;
  const Port &weights = instruction.operands[1];
  int64_t base = weights.index.at(issue.repetition) * machine.mxm.rows;
  buffers.demand({base, instruction.rows, timetable.nameAt(weights.name, issue),
                  issue.cycle, line, 1},
                 findings);
}

void PlaneCheck::checkLoadInUse(uint32_t line, const Issue &issue) {
  const Instruction &instruction = *timetable.lines[line].instruction;
  int64_t buffer = instruction.results.front().index.at(issue.repetition);
  auto next = std::ranges::upper_bound(
      uses, std::pair(buffer, issue.cycle), {},
      [](const Use &use) { return std::pair(use.buffer, use.begin); });
  if (next == uses.begin())
    return;
  const Use &use = *std::prev(next);
  if (use.buffer != buffer || use.end <= issue.cycle ||
      !findings.wants(issue.cycle))
    return;
  findings.add(FindingCode::unitBusy, issue.cycle, line, FindingPart::busy,
               format("buffer {} is in use until cycle {} (line {})",
                      {buffer, use.end - 1,
                       timetable.lines[use.line].instruction->line}));
}

void PlaneCheck::sortUses() {
  std::ranges::sort(uses, {}, [](const Use &use) {
    return std::pair(use.buffer, use.begin);
  });
  for (size_t i = 1; i < uses.size(); ++i)
    if (uses[i].buffer == uses[i - 1].buffer)
      uses[i].end = std::max(uses[i].end, uses[i - 1].end);
}

void PlaneCheck::checkBuffers(const std::vector<uint32_t> &loads,
                              const std::vector<uint32_t> &products) {
  enum Tag : uint32_t { load, product };
  EventSweep sweep(timetable);
  for (uint32_t line : loads)
    sweep.add(line, 0, load);
  for (uint32_t line : products)
    sweep.add(line, 0, product);
  while (sweep.next()) {
    sweep.forEach([&](uint32_t tag, uint32_t line, const Issue &issue) {
      tag == load ? addLoad(line, issue) : addUse(line, issue);
    });
    buffers.sort();
    sortUses();
    sweep.forEach([&](uint32_t tag, uint32_t line, const Issue &issue) {
      tag == load ? checkLoadInUse(line, issue) : checkWeights(line, issue);
    });
    if (sweep.isLast())
      return;
    buffers.forgetBefore(sweep.spanEnd());
    std::erase_if(uses,
                  [&](const Use &use) { return use.end <= sweep.spanEnd(); });
  }
}

/// Accumulators are written, and read, when a product is there.
void PlaneCheck::checkAccumulators(const std::vector<uint32_t> &products) {
  EventSweep sweep(timetable);
  for (uint32_t line : products)
    sweep.add(line, timetable.resultDelay(*timetable.lines[line].instruction));
  while (sweep.next()) {
    sweep.forEach([&](uint32_t, uint32_t line, const Issue &issue) {
      const Instruction &instruction = *timetable.lines[line].instruction;
      int64_t ready = issue.cycle + timetable.resultDelay(instruction);
      for (const Port &result : instruction.results)
        if (result.kind == Port::Kind::accumulator)
          accumulators.add({result.index.at(issue.repetition), ready, ready + 1,
                            timetable.nameAt(result.name, issue), line});
    });
    accumulators.sort();
    sweep.forEach([&](uint32_t, uint32_t line, const Issue &issue) {
      const Instruction &instruction = *timetable.lines[line].instruction;
      if (instruction.operands.size() < 3)
        return;
      const Port &added = instruction.operands[2];
      accumulators.demand({added.index.at(issue.repetition), 1,
                           timetable.nameAt(added.name, issue),
                           issue.cycle + timetable.resultDelay(instruction),
                           line, 2},
                          findings);
    });
    accumulators.forgetBefore(sweep.spanEnd());
  }
}

} // namespace

void checkPlanes(const Timetable &timetable, FindingList &findings) {
  std::set<std::pair<int64_t, Queue>> planes;
  for (const TimedQueue &queue : timetable.queues)
    if (queue.queue.kind == QueueKind::weights ||
        queue.queue.kind == QueueKind::activations) {
      Queue plane = queue.queue;
      plane.kind = QueueKind::weights;
      planes.insert({queue.chip, plane});
    }
  for (auto [chip, weights] : planes) {
    Queue activations = weights;
    activations.kind = QueueKind::activations;
    PlaneCheck plane(timetable, findings);
    plane.checkBuffers(timetable.linesOf(chip, weights),
                       timetable.linesOf(chip, activations));
    plane.checkAccumulators(timetable.linesOf(chip, activations));
  }
}

} // namespace tilewright::verify
