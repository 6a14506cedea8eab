// A value put eastward at position p in cycle t is at p + d in t + d: t - p
// stays the same, as t + p does of one that flows westward. So values on one
// stream meet only on one such diagonal, and there the one put last before a
// position is what is seen at it: a sweep along each diagonal proves all.
#include "support/Format.h"
#include "verify/spatial/Rules.h"
#include <algorithm>

namespace tilewright::verify {

using namespace spatial;

namespace {

/// One stream of one port of a line; of a transpose, in one of its steps.
struct StreamUse {
  uint32_t line = 0;
  uint16_t port = 0, stream = 0;
  uint32_t step = 0;
  bool isPut = false;
};

/// A value put on a stream, or taken from it.
struct Passage {
  int64_t diagonal = 0;
  /// The position, counted downstream (westward: negative).
  int64_t downstream = 0;
  bool isPut = false;
  uint16_t operand = 0, stream = 0;
  uint32_t line = 0;
  PlaneName name;
  [[nodiscard]] int64_t cycle() const { return diagonal + downstream; }
};

/// All uses of one stream of one chip.
class StreamCheck {
public:
  StreamCheck(const Timetable &timetable, FindingList &findings)
      : timetable(timetable), findings(findings) {}

  void check(const std::vector<StreamUse> &uses);

private:
  void expand(const StreamUse &use);
  void reportCollision(const Passage &first, const Passage &second);
  void reportOperand(const Passage &taken, const Passage *seen);
  std::string whenThere(const Passage &taken) const;

  const Timetable &timetable;
  FindingList &findings;
  std::vector<Passage> passages;
};

void StreamCheck::expand(const StreamUse &use) {
  const Instruction &instruction = *timetable.lines[use.line].instruction;
  const Port &port =
      (use.isPut ? instruction.results : instruction.operands)[use.port];
  Stream stream = port.streams[use.stream];
  // Instructions on one plane say which; those on vectors name all planes.
  bool onePlane =
      instruction.opcode != Opcode::load && instruction.opcode != Opcode::mul &&
      instruction.opcode != Opcode::alu && instruction.opcode != Opcode::map &&
      instruction.opcode != Opcode::transpose &&
      (instruction.opcode != Opcode::gather || use.isPut);
  int64_t planes = timetable.planesOf(port);
  int64_t plane = onePlane ? port.plane : use.stream % planes;
  int64_t offset = onePlane ? use.step : use.stream / planes + use.step;
  int64_t later =
      use.step + (use.isPut ? timetable.resultDelay(instruction) : 0);
  int64_t downstream = stream.direction == Direction::east
                           ? instruction.queue.position
                           : -instruction.queue.position;
  timetable.forEachIssue(use.line, [&](const Issue &issue) {
    passages.push_back({issue.cycle + later - downstream, downstream, use.isPut,
                        use.port, use.stream, use.line,
                        timetable.nameAt(port.name, issue, offset, plane)});
  });
}

void StreamCheck::check(const std::vector<StreamUse> &uses) {
  for (const StreamUse &use : uses)
    expand(use);
  // At one position what is taken comes first: it does not see what is put.
  std::ranges::sort(passages, {}, [](const Passage &passage) {
    return std::tuple(passage.diagonal, passage.downstream, passage.isPut,
                      passage.line);
  });
  const Passage *last = nullptr;
  for (const Passage &passage : passages) {
    if (last && last->diagonal != passage.diagonal)
      last = nullptr;
    if (!passage.isPut) {
      if (!last || last->name != passage.name)
        reportOperand(passage, last);
      continue;
    }
    if (last && last->downstream == passage.downstream)
      reportCollision(*last, passage);
    last = &passage;
  }
}

void StreamCheck::reportCollision(const Passage &first, const Passage &second) {
  if (!findings.wants(second.cycle()))
    return;
  const Instruction &other = *timetable.lines[first.line].instruction;
  // Of two queues, it is the later one's.
  bool swapped =
      timetable.lines[first.line].queue > timetable.lines[second.line].queue;
  findings.add(
      FindingCode::streamCollision, second.cycle(),
      swapped ? first.line : second.line, FindingPart::collides,
      format("{} and {} are put on one stream at unit {} in one cycle "
             "(lines {} and {})",
             {timetable.print(first.name), timetable.print(second.name),
              other.queue.position, other.line,
              timetable.lines[second.line].instruction->line}));
}

void StreamCheck::reportOperand(const Passage &taken, const Passage *seen) {
  if (!findings.wants(taken.cycle()))
    return;
  const Instruction &instruction = *timetable.lines[taken.line].instruction;
  std::string message =
      format("expected {} at unit {} in cycle {}, {}{}",
             {timetable.print(taken.name), instruction.queue.position,
              taken.cycle(), seen ? "found " : "nothing is there",
              seen ? timetable.print(seen->name) : std::string()});
  findings.add(seen ? FindingCode::wrongOperand : FindingCode::missingOperand,
               taken.cycle(), taken.line, FindingPart::operands + taken.operand,
               message + whenThere(taken), taken.stream);
}

/// "; it is there in cycle 7", of the nearest one upstream on this stream.
std::string StreamCheck::whenThere(const Passage &taken) const {
  const Passage *best = nullptr;
  auto distance = [&](const Passage &put) {
    return std::abs(put.diagonal - taken.diagonal);
  };
  for (size_t i = 0; i < passages.size(); ++i) {
    const Passage &put = passages[i];
    if (!put.isPut || put.name != taken.name ||
        put.downstream >= taken.downstream ||
        (best && distance(*best) <= distance(put)))
      continue;
    // A newer value may end it on its way.
    size_t next = i + 1;
    while (next < passages.size() && !passages[next].isPut)
      ++next;
    if (next == passages.size() || passages[next].diagonal != put.diagonal ||
        passages[next].downstream >= taken.downstream)
      best = &put;
  }
  return best ? format("; it is there in cycle {}",
                       {best->diagonal + taken.downstream})
              : std::string();
}

} // namespace

void checkStreams(const Timetable &timetable, FindingList &findings) {
  std::map<std::pair<uint32_t, Stream>, std::vector<StreamUse>> uses;
  const Machine &machine = timetable.schedule.machine;
  for (const TimedQueue &queue : timetable.queues)
    for (uint32_t line : queue.lines) {
      const TimedLine &timed = timetable.lines[line];
      const Instruction &instruction = *timed.instruction;
      auto steps = static_cast<uint32_t>(
          instruction.opcode == Opcode::transpose ? machine.sxm->transpose : 1);
      for (bool isPut : {false, true}) {
        const std::vector<Port> &ports =
            isPut ? instruction.results : instruction.operands;
        for (uint16_t port = 0; port < ports.size(); ++port)
          for (uint16_t i = 0; i < ports[port].streams.size(); ++i)
            for (uint32_t step = 0; step < steps; ++step)
              uses[{timed.chip, ports[port].streams[i]}].push_back(
                  {line, port, i, step, isPut});
      }
    }
  for (const auto &[stream, list] : uses)
    StreamCheck(timetable, findings).check(list);
}

} // namespace tilewright::verify
