#include "spatial/program/Flows.h"
#include "spatial/program/Use.h"
#include "support/Format.h"
#include <tuple>

namespace tilewright::spatial {

/// So that a cycle fits in 32 bits, and tables into memory.
static constexpr int64_t mostCycles = int64_t(1) << 26;
static constexpr int64_t mostIssues = int64_t(1) << 27;

static int64_t lastCycle(const Instruction &in) {
  return in.cycle + (in.count - 1) * in.step;
}

/// Whether the machine has the queue and the type of a line.
static bool exists(const Machine &machine, const Instruction &in) {
  if (in.queue.index >=
      queuesOf(machine, in.queue.position, in.queue.kind) +
          (in.queue.kind == QueueKind::send ||
                   in.queue.kind == QueueKind::receive
               ? machine.units[static_cast<size_t>(in.queue.position)].firstLink
               : 0))
    return false;
  return in.opcode != Opcode::mul || machine.mxm.passes.contains(in.type);
}

StatusOr<Flows> Flows::of(const Schedule &schedule, size_t chip) {
  Flows flows(schedule, chip);
  const auto positions = static_cast<int64_t>(schedule.machine.units.size());
  int64_t issues = 0;
  for (const Instruction &in : flows.lines) {
    const size_t line = flows.firstIssue.size();
    flows.firstIssue.push_back(static_cast<Issue>(issues));
    if (in.queue.position >= positions || !exists(schedule.machine, in))
      continue;
    issues += in.count;
    if (lastCycle(in) >= mostCycles || issues > mostIssues)
      return Status::resourceExhausted(
          format("expected at most {} cycles and {} instructions, found more",
                 {mostCycles, mostIssues}));
    flows.lineOf.resize(static_cast<size_t>(issues),
                        static_cast<uint32_t>(line));
  }
  flows.firstIssue.push_back(static_cast<Issue>(issues));
  for (size_t line = 0; line < flows.lines.size(); ++line) {
    flows.firstEnd.push_back(flows.allEnds.size());
    if (flows.firstIssue[line] != flows.firstIssue[line + 1])
      flows.addEnds(line);
  }
  flows.firstEnd.push_back(flows.allEnds.size());
  for (size_t line = 0; line < flows.lines.size(); ++line)
    flows.addEvents(line);
  for (Wire &wire : flows.wires)
    std::ranges::sort(wire.events, {}, [](const Event &event) {
      return std::tuple(event.diagonal, event.position, event.isPut,
                        event.issue);
    });
  return flows;
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

/// In keys of wires.
static constexpr uint64_t isOfAlu = uint64_t(1) << 63;

/// What is so far away takes no part.
static int32_t inRange(int64_t cycle) {
  return static_cast<int32_t>(std::min<int64_t>(cycle, INT32_MAX));
}

uint32_t Flows::wireOf(uint64_t key) {
  auto [found, isNew] =
      wireNumbers.try_emplace(key, static_cast<uint32_t>(wires.size()));
  if (isNew)
    wires.push_back({(key & isOfAlu) != 0, {}});
  return found->second;
}

void Flows::addStreams(const Port &port, const Queue &queue, int64_t offset,
                       bool isPut, int64_t vectors) {
  for (const Stream &stream : port.streams) {
    const bool isEast = stream.direction == Direction::east;
    const uint32_t wire = wireOf(uint64_t(stream.number) * 2 + isEast);
    const auto position =
        static_cast<int32_t>(isEast ? queue.position : -queue.position);
    for (int64_t i = 0; i < vectors; ++i)
      allEnds.push_back({wire, position, inRange(offset + i), isPut});
  }
}

void Flows::addAlu(int64_t position, int64_t alu, int64_t offset, bool isPut) {
  // Its only position is its unit's.
  if (alu >= 0 && alu < machine.vxm.alus)
    allEnds.push_back(
        {wireOf(isOfAlu | uint64_t(position) << 32 | uint64_t(alu)),
         static_cast<int32_t>(position), inRange(offset), isPut});
}

void Flows::addEnds(size_t line) {
  const Instruction &in = lines[line];
  const int64_t vectors = in.opcode == Opcode::transpose && machine.sxm
                              ? machine.sxm->transpose
                              : 1;
  for (const Port &port : in.operands) {
    if (port.kind == Port::Kind::streams)
      addStreams(port, in.queue, 0, false, vectors);
    else if (port.kind == Port::Kind::alu)
      addAlu(in.queue.position, port.index.start, 0, false);
  }
  const int64_t offset = cyclesToResult(machine, in);
  for (const Port &port : in.results) {
    if (port.kind == Port::Kind::streams)
      addStreams(port, in.queue, offset, true, vectors);
    else if (port.kind == Port::Kind::alu)
      addAlu(in.queue.position, in.queue.index, offset, true);
  }
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void Flows::addEvents(size_t line) {
  const Instruction &in = lines[line];
  const Issue first = firstIssue[line], count = firstIssue[line + 1] - first;
  for (size_t i = firstEnd[line]; count && i < firstEnd[line + 1]; ++i) {
    const End &end = allEnds[i];
    std::vector<Event> &events = wires[end.wire].events;
    for (Issue repetition = 0; repetition < count; ++repetition)
      events.push_back(
          {inRange(in.cycle + repetition * in.step + end.offset - end.position),
           end.position, end.isPut, first + repetition});
  }
}

std::span<const Flows::Event> Flows::diagonal(uint32_t wire, int64_t position,
                                              int64_t cycle) const {
  auto found = std::ranges::equal_range(wires[wire].events, cycle - position,
                                        {}, &Event::diagonal);
  return {found.begin(), found.end()};
}

Issue Flows::putter(uint32_t wire, int64_t position, int64_t cycle) const {
  Issue last = noIssue;
  for (const Event &event : diagonal(wire, position, cycle))
    if (event.isPut && (wires[wire].isAlu || event.position < position))
      last = event.issue;
  return last;
}

} // namespace tilewright::spatial
