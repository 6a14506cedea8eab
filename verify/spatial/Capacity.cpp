#include "support/Format.h"
#include "verify/spatial/Rules.h"
#include <algorithm>
#include <numeric>

namespace tilewright::verify {

using namespace spatial;

namespace {

/// What a line names that the machine lacks.
class LineCapacity {
public:
  LineCapacity(const Timetable &timetable, TimedLine &line)
      : timetable(timetable), machine(timetable.schedule.machine), line(line),
        instruction(*line.instruction) {}

  /// Why the machine can run no repetition of the line; empty if it may.
  std::string check();
  /// Why it cannot run those that check() took out of the line.
  std::string indexProblem;

private:
  std::string lackOfQueue() const;
  std::string lackOfStreams() const;
  std::string lackOfNumbers() const;
  void limitIndices();
  void limit(const Affine &index, int64_t size, std::string_view what);
  std::string exceeds(std::string_view what, int64_t number,
                      int64_t most) const;

  const Timetable &timetable;
  const Machine &machine;
  TimedLine &line;
  const Instruction &instruction;
};

UnitKind unitOf(QueueKind kind) {
  switch (kind) {
  case QueueKind::bank:
    return UnitKind::mem;
  case QueueKind::weights:
  case QueueKind::activations:
    return UnitKind::mxm;
  case QueueKind::alu:
    return UnitKind::vxm;
  case QueueKind::port:
    return UnitKind::sxm;
  case QueueKind::send:
  case QueueKind::receive:
    break;
  }
  return UnitKind::c2c;
}

/// How many queues of this kind a unit has.
int64_t queuesOf(const Machine &machine, QueueKind kind) {
  switch (unitOf(kind)) {
  case UnitKind::mem:
    return machine.mem.banks;
  case UnitKind::mxm:
    return machine.mxm.planes;
  case UnitKind::vxm:
    return machine.vxm.alus;
  case UnitKind::sxm:
    return machine.sxm ? machine.sxm->ports : 0;
  case UnitKind::c2c:
    break;
  }
  return 0;
}

/// Why there is no such queue; empty if there is.
std::string lackOf(const Machine &machine, const Queue &queue) {
  auto positions = static_cast<int64_t>(machine.units.size());
  if (queue.position < 0 || queue.position >= positions)
    return format("there is no unit {}, the machine has {}",
                  {queue.position, positions});
  const Unit &unit = machine.units[static_cast<size_t>(queue.position)];
  UnitKind kind = unitOf(queue.kind);
  if (unit.kind != kind)
    return format("{} is in a {}, but unit {} is a {}",
                  {printQueue(queue), unitName(kind), queue.position,
                   unitName(unit.kind)});
  int64_t first = 0;
  int64_t count = queuesOf(machine, queue.kind);
  if (kind == UnitKind::c2c)
    first = unit.firstLink, count = unit.links;
  if (queue.index < first || queue.index >= first + count)
    return format("there is no {}: the unit's numbers are {} to {}",
                  {printQueue(queue), first, first + count - 1});
  return {};
}

std::string LineCapacity::exceeds(std::string_view what, int64_t number,
                                  int64_t most) const {
  return format("{} {}: the machine has {}", {what, number, most});
}

std::string LineCapacity::lackOfQueue() const {
  std::string lack = lackOf(machine, instruction.queue);
  if (!lack.empty() || unitOf(instruction.queue.kind) != UnitKind::c2c)
    return lack;
  auto end = machine.links.find({line.chip, instruction.queue.index});
  if (end == machine.links.end() ||
      end->second.chip >= timetable.schedule.chips)
    return format("link {} leads to no chip of the schedule",
                  {instruction.queue.index});
  return {};
}

std::string LineCapacity::lackOfStreams() const {
  for (const auto *ports : {&instruction.operands, &instruction.results})
    for (const Port &port : *ports)
      for (const Stream &stream : port.streams) {
        int64_t streams =
            machine.streams[static_cast<size_t>(stream.direction)];
        if (stream.number >= streams)
          return format(
              "there is no stream {}{}: the machine has {} in this direction",
              {stream.direction == Direction::east ? 'e' : 'w', stream.number,
               streams});
      }
  return {};
}

std::string LineCapacity::lackOfNumbers() const {
  if (instruction.opcode == Opcode::mul) {
    if (!machine.mxm.passes.contains(instruction.type))
      return format("the mxm does not multiply {}",
                    {valueTypeName(instruction.type)});
    if (instruction.rows < 1 || instruction.rows > machine.mxm.rows)
      return exceeds("a product of rows", instruction.rows, machine.mxm.rows);
  }
  if (instruction.opcode == Opcode::load) {
    int64_t most = machine.mxm.loadStreams /
                   timetable.planesOf(instruction.operands.front());
    if (timetable.loadedVectors(instruction) > most)
      return exceeds("a load of vectors", timetable.loadedVectors(instruction),
                     most);
  }
  for (const Port &port : instruction.operands)
    if (port.kind == Port::Kind::alu &&
        (port.index.start < 0 || port.index.start >= machine.vxm.alus))
      return exceeds("ALU", port.index.start, machine.vxm.alus);
  return {};
}

/// Leaves the repetitions in which 0 <= index < size.
void LineCapacity::limit(const Affine &index, int64_t size,
                         std::string_view what) {
  using Wide = __int128;
  Wide start = index.start, step = index.step, last = Wide(size) - 1;
  Wide first = line.first, end = line.end;
  auto inside = [&](Wide i) {
    Wide at = start + i * step;
    return at >= 0 && at <= last;
  };
  if (first < end && inside(first) && inside(end - 1))
    return;
  if (step == 0 || last < 0) {
    first = end;
  } else {
    // step i >= -start and step i <= last - start.
    auto floorDivide = [](Wide a, Wide b) {
      return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
    };
    Wide low = step > 0 ? -start : start - last;
    Wide high = step > 0 ? last - start : start;
    Wide stride = step > 0 ? step : -step;
    first = std::max(first, -floorDivide(-low, stride));
    end = std::max(first, std::min(end, floorDivide(high, stride) + 1));
  }
  line.first = static_cast<int64_t>(std::min(first, Wide(instruction.count)));
  line.end = std::max(
      line.first, static_cast<int64_t>(std::min(end, Wide(instruction.count))));
  if (indexProblem.empty())
    indexProblem = format(
        "{} {}{}: the machine has {}",
        {what, index.start,
         index.step ? format(" and on by {}", {index.step}) : std::string(),
         std::max<int64_t>(size, 0)});
}

void LineCapacity::limitIndices() {
  bool isLoad = instruction.opcode == Opcode::load;
  for (const auto *ports : {&instruction.operands, &instruction.results})
    for (const Port &port : *ports)
      switch (port.kind) {
      case Port::Kind::row: {
        // A table has all of its rows in the bank.
        int64_t more = instruction.opcode == Opcode::gather
                           ? std::max<int64_t>(instruction.rows, 1) - 1
                           : 0;
        limit(port.index, machine.mem.rows - more,
              more ? "a table from row" : "row");
        break;
      }
      case Port::Kind::buffer:
        limit(port.index, machine.mxm.buffers, "buffer");
        if (isLoad)
          limit(port.bufferRow,
                machine.mxm.rows - timetable.loadedVectors(instruction) + 1,
                "a load from row");
        break;
      case Port::Kind::accumulator:
        limit(port.index, machine.mxm.accumulators, "accumulator");
        break;
      case Port::Kind::streams:
      case Port::Kind::alu:
      case Port::Kind::number:
        break;
      }
}

std::string LineCapacity::check() {
  for (auto lack : {&LineCapacity::lackOfQueue, &LineCapacity::lackOfStreams,
                    &LineCapacity::lackOfNumbers})
    if (std::string text = (this->*lack)(); !text.empty())
      return text;
  limitIndices();
  return {};
}

/// Finds the first row of each placement that the machine lacks.
void checkPlacements(const Timetable &timetable, FindingList &findings) {
  const Schedule &schedule = timetable.schedule;
  for (const Placement &placement : schedule.placements) {
    int64_t i = 0;
    while (i < placement.count && hasRow(schedule, placement, i))
      ++i;
    if (i == placement.count || !findings.wants(-1))
      continue;
    std::string lack = lackOf(schedule.machine, placement.bank);
    if (placement.chip < 0 || placement.chip >= schedule.chips)
      lack = format("there is no chip {}, the schedule has {}",
                    {placement.chip, schedule.chips});
    else if (lack.empty())
      lack = format("{} has no row {}, but {} rows",
                    {printQueue(placement.bank),
                     placement.row + i * placement.stride,
                     schedule.machine.mem.rows});
    findings.addToManifest(
        FindingCode::capacity, placement.chip, printQueue(placement.bank),
        format("a placement of {}: {}",
               {schedule.values[placement.value].name, lack}));
  }
}

} // namespace

bool hasRow(const Schedule &schedule, const Placement &placement, int64_t i) {
  int64_t row = placement.row + i * placement.stride;
  return placement.chip >= 0 && placement.chip < schedule.chips && row >= 0 &&
         row < schedule.machine.mem.rows &&
         placement.bank.kind == QueueKind::bank &&
         lackOf(schedule.machine, placement.bank).empty();
}

void checkCapacity(Timetable &timetable, FindingList &findings) {
  checkPlacements(timetable, findings);
  for (uint32_t number = 0; number < timetable.lines.size(); ++number) {
    TimedLine &line = timetable.lines[number];
    const Instruction &instruction = *line.instruction;
    LineCapacity capacity(timetable, line);
    std::string lack = capacity.check();
    if (!lack.empty())
      line.first = line.end = 0;
    else
      lack = capacity.indexProblem;
    for (int64_t i = 0; i < instruction.count && !lack.empty(); ++i) {
      if (i == line.first && line.end > line.first)
        i = line.end;
      int64_t cycle = instruction.cycle + i * instruction.step;
      if (i == instruction.count || !findings.wants(cycle))
        break;
      findings.add(FindingCode::capacity, cycle, number, FindingPart::lacks,
                   lack);
    }
    if (line.first < line.end)
      timetable.queues[line.queue].lines.push_back(number);
  }
}

} // namespace tilewright::verify
