// A value put eastward at position p in cycle t is at p + d in t + d: t - p
// stays the same, as t + p does of one that flows westward. So values on one
// stream meet only on one such diagonal, and there the one put last before a
// position is what is seen at it: a sweep along each diagonal proves all.
#include "support/Format.h"
#include "verify/spatial/EventSweep.h"
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
  /// Where a use is, and what is there, but for the repetition.
  struct Track {
    const Port *port = nullptr;
    /// Of the vector, from the port's name on.
    int64_t offset = 0, plane = 0;
    /// Cycles from the issue.
    int64_t later = 0;
    int64_t downstream = 0;
  };
  Track trackOf(const StreamUse &use) const;
  void checkPassages();
  void reportCollision(const Passage &first, const Passage &second);
  void reportOperand(const Passage &taken, const Passage *seen);
  std::string whenThere(const Passage &taken) const;

  const Timetable &timetable;
  FindingList &findings;
  std::vector<Passage> passages;
};

/// Instructions on one plane say which; those on vectors name all planes.
bool isOnePlane(const Instruction &instruction, bool isPut) {
  switch (instruction.opcode) {
  case Opcode::read:
  case Opcode::write:
  case Opcode::send:
  case Opcode::receive:
    return true;
  case Opcode::gather:
    return isPut;
  case Opcode::load:
  case Opcode::mul:
  case Opcode::alu:
  case Opcode::map:
  case Opcode::transpose:
    break;
  }
  return false;
}

StreamCheck::Track StreamCheck::trackOf(const StreamUse &use) const {
  const Instruction &instruction = *timetable.lines[use.line].instruction;
  const Port &port =
      (use.isPut ? instruction.results : instruction.operands)[use.port];
  Track track{&port, use.step, port.plane, use.step, 0};
  if (!isOnePlane(instruction, use.isPut)) {
    track.plane = use.stream % timetable.planesOf(port);
    track.offset += use.stream / timetable.planesOf(port);
  }
  if (use.isPut)
    track.later += timetable.resultDelay(instruction);
  track.downstream = port.streams[use.stream].direction == Direction::east
                         ? instruction.queue.position
                         : -instruction.queue.position;
  return track;
}

void StreamCheck::check(const std::vector<StreamUse> &uses) {
  std::vector<Track> tracks;
  EventSweep sweep(timetable);
  for (const StreamUse &use : uses) {
    const Track &track = tracks.emplace_back(trackOf(use));
    // By diagonal.
    sweep.add(use.line, track.later - track.downstream,
              static_cast<uint32_t>(tracks.size() - 1));
  }
  while (sweep.next()) {
    passages.clear();
    sweep.forEach([&](uint32_t number, uint32_t line, const Issue &issue) {
      const Track &track = tracks[number];
      const StreamUse &use = uses[number];
      passages.push_back({issue.cycle + track.later - track.downstream,
                          track.downstream, use.isPut, use.port, use.stream,
                          line,
                          timetable.nameAt(track.port->name, issue,
                                           track.offset, track.plane)});
    });
    checkPassages();
  }
}

void StreamCheck::checkPassages() {
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
        const PortList &ports =
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
