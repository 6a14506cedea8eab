#include "spatial/simulator/Line.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::spatial {

namespace {
/// Looks for the first number that the machine does not have.
class CapacityCheck {
public:
  CapacityCheck(const Schedule &schedule, const Issue &issue)
      : schedule(schedule), machine(schedule.machine), issue(issue),
        in(issue.instruction()) {}

  std::string check() {
    queue();
    for (const auto *list : {&in.operands, &in.results})
      for (const Port &port : *list)
        if (fault.empty())
          this->port(port);
    if (fault.empty())
      opcode();
    return std::move(fault);
  }

private:
  /// That `found` is one of `count`.
  void oneOf(std::string_view what, int64_t found, int64_t count) {
    if (fault.empty() && (found < 0 || found >= count))
      fault = format("expected {} below {}, found {}", {what, count, found});
  }
  void atMost(std::string_view what, int64_t found, int64_t most) {
    if (fault.empty() && found > most)
      fault =
          format("expected {} of at most {}, found {}", {what, most, found});
  }
  void unit(const Unit &found, UnitKind kind) {
    if (found.kind != kind)
      fault = format("expected a {} at position {}, found a {}",
                     {unitName(kind), in.queue.position, unitName(found.kind)});
  }

  void queue();
  void link(const Unit &unit);
  void port(const Port &port);
  void opcode();

  const Schedule &schedule;
  const Machine &machine;
  const Issue &issue;
  const Instruction &in;
  std::string fault;
};
} // namespace

void CapacityCheck::queue() {
  const Queue &queue = in.queue;
  oneOf("a position", queue.position,
        static_cast<int64_t>(machine.units.size()));
  if (!fault.empty())
    return;
  const Unit &found = machine.units[static_cast<size_t>(queue.position)];
  switch (queue.kind) {
  case QueueKind::bank:
    unit(found, UnitKind::mem);
    return oneOf("a bank", queue.index, machine.mem.banks);
  case QueueKind::weights:
  case QueueKind::activations:
    unit(found, UnitKind::mxm);
    return oneOf("a plane", queue.index, machine.mxm.planes);
  case QueueKind::alu:
    unit(found, UnitKind::vxm);
    return oneOf("an ALU", queue.index, machine.vxm.alus);
  case QueueKind::port:
    unit(found, UnitKind::sxm);
    return oneOf("a port", queue.index, machine.sxm ? machine.sxm->ports : 0);
  case QueueKind::send:
  case QueueKind::receive:
    unit(found, UnitKind::c2c);
    return link(found);
  }
}

void CapacityCheck::link(const Unit &unit) {
  if (!fault.empty())
    return;
  int64_t link = in.queue.index;
  if (!machine.link || link < unit.firstLink ||
      link >= unit.firstLink + unit.links) {
    fault = format(
        "the c2c at position {} has the {} from {} on, and no {}",
        {in.queue.position, counted(unit.links, "link"), unit.firstLink, link});
    return;
  }
  if (in.queue.kind != QueueKind::send)
    return;
  auto end = machine.links.find({issue.line->chip, link});
  if (end == machine.links.end())
    fault = format("link {} leads nowhere", {link});
  else if (end->second.chip >= schedule.chips)
    fault = format("link {} leads to chip {}, the schedule uses {}",
                   {link, end->second.chip, counted(schedule.chips, "chip")});
}

void CapacityCheck::port(const Port &port) {
  switch (port.kind) {
  case Port::Kind::streams:
    for (const Stream &stream : port.streams)
      oneOf(stream.direction == Direction::east ? "an eastward stream"
                                                : "a westward stream",
            stream.number,
            machine.streams[static_cast<size_t>(stream.direction)]);
    return;
  case Port::Kind::row: {
    int64_t row = issue.at(port.index);
    oneOf("a row", row, machine.mem.rows);
    if (in.opcode == Opcode::gather)
      oneOf("the last row of a table", row + in.rows - 1, machine.mem.rows);
    return;
  }
  case Port::Kind::buffer: {
    oneOf("a buffer", issue.at(port.index), machine.mxm.buffers);
    if (in.opcode != Opcode::load)
      return;
    const Port &from = in.operands[0];
    int64_t vectors = static_cast<int64_t>(from.streams.size()) /
                      machine.planesOf(schedule.values[from.name.value].dtype);
    int64_t row = issue.at(port.bufferRow);
    oneOf("a row of a buffer", row, machine.mxm.rows);
    return oneOf("a row of a buffer", row + vectors - 1, machine.mxm.rows);
  }
  case Port::Kind::accumulator:
    return oneOf("an accumulator", issue.at(port.index),
                 machine.mxm.accumulators);
  case Port::Kind::alu:
    if (in.results.data() != &port)
      oneOf("an ALU", issue.at(port.index), machine.vxm.alus);
    return;
  case Port::Kind::number:
    return;
  }
}

void CapacityCheck::opcode() {
  if (in.opcode == Opcode::load)
    return atMost("streams of loads in one cycle",
                  static_cast<int64_t>(in.operands[0].streams.size()),
                  machine.mxm.loadStreams);
  if (in.opcode != Opcode::mul)
    return;
  atMost("rows of a buffer", in.rows, machine.mxm.rows);
  if (fault.empty() && !machine.mxm.passes.contains(in.type)) {
    std::vector<std::string_view> types;
    for (const auto &[type, passes] : machine.mxm.passes)
      types.push_back(valueTypeName(type));
    fault = format("the matrix units multiply {}, and no {}",
                   {joined(types), valueTypeName(in.type)});
  }
}

std::string findCapacityFault(const Schedule &schedule, const Issue &issue) {
  return CapacityCheck(schedule, issue).check();
}

int64_t resultDelay(const Machine &machine, const Instruction &instruction) {
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
  default:
    return 0;
  }
}

/// The last of `count` iterations in which the number is one of `limit`, or
/// -1.
static int64_t lastWithin(const Affine &affine, int64_t count, int64_t limit) {
  int64_t start = affine.start, step = affine.step, last = count - 1;
  if (step > 0)
    last = std::min(last, start < limit ? (limit - 1 - start) / step : -1);
  else if (step < 0)
    last = std::min(last, start >= 0 ? start / -step : -1);
  int64_t found = affine.at(last);
  return last >= 0 && found >= 0 && found < limit ? last : -1;
}

int64_t lengthOf(const Schedule &schedule) {
  const Machine &machine = schedule.machine;
  int64_t length = 0;
  for (size_t chip = 0; chip < schedule.instructions.size(); ++chip)
    for (const Instruction &in : schedule.instructions[chip]) {
      if (in.opcode != Opcode::write)
        continue;
      Line line{&in, static_cast<int64_t>(chip), 0};
      int64_t last =
          lastWithin(in.results[0].index, in.count, machine.mem.rows);
      if (last >= 0 && findCapacityFault(schedule, {&line, last, 0}).empty())
        length = std::max(length, in.cycle + last * in.step +
                                      machine.mem.writeDelay + 1);
    }
  return length;
}

} // namespace tilewright::spatial
