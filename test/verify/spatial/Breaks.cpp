#include "test/verify/spatial/Breaks.h"

#include <algorithm>
#include <functional>

namespace tilewright::test {

using namespace spatial;

namespace {

/// A line of any chip; null if there is none that fits.
template <typename Fits>
Instruction *pickLine(Schedule &schedule, Dice &dice, Fits fits) {
  // A few draws are enough in schedules that have such lines, and the first of
  // them serves where they are rare.
  std::vector<Instruction *> lines;
  for (int tries = 0; tries < 40; ++tries) {
    auto &chip = dice.pick(schedule.instructions);
    if (!chip.empty())
      if (Instruction &line = dice.pick(chip); fits(line))
        return &line;
  }
  for (auto &chip : schedule.instructions)
    for (Instruction &line : chip)
      if (fits(line))
        return &line;
  return nullptr;
}

/// The chip that a line is of.
std::vector<Instruction> &chipOf(Schedule &schedule, const Instruction *line) {
  for (auto &chip : schedule.instructions)
    if (std::less_equal<>()(chip.data(), line) &&
        std::less<>()(line, chip.data() + chip.size()))
      return chip;
  return schedule.instructions.front();
}

bool anyLine(const Instruction &) { return true; }

/// A port of one of the kinds, in a line.
struct PickedPort {
  Instruction *line = nullptr;
  Port *port = nullptr;
};

PickedPort pickPort(Schedule &schedule, Dice &dice, Port::Kind kind) {
  auto portsOf = [&](Instruction &line) {
    std::vector<Port *> ports;
    for (auto *list : {&line.operands, &line.results})
      for (Port &port : *list)
        if (port.kind == kind)
          ports.push_back(&port);
    return ports;
  };
  Instruction *line = pickLine(schedule, dice, [&](Instruction &candidate) {
    return !portsOf(candidate).empty();
  });
  if (!line)
    return {};
  auto ports = portsOf(*line);
  return {line, dice.pick(ports)};
}

/// Instructions that keep the name have one in the text.
bool keepsName(Opcode opcode) {
  return opcode == Opcode::read || opcode == Opcode::write ||
         opcode == Opcode::load;
}

int64_t smallStep(Dice &dice) {
  return dice.chance(50) ? dice.number(1, 3) : -dice.number(1, 3);
}

bool shiftCycle(Schedule &schedule, Dice &dice) {
  Instruction *line = pickLine(schedule, dice, anyLine);
  if (!line)
    return false;
  line->cycle += smallStep(dice);
  return line->cycle >= 0;
}

/// Reads a row about when it is written.
bool readEarly(Schedule &schedule, Dice &dice) {
  Instruction *write = pickLine(schedule, dice, [](const Instruction &each) {
    return each.opcode == Opcode::write;
  });
  if (!write)
    return false;
  for (Instruction &read : chipOf(schedule, write))
    if (read.opcode == Opcode::read && read.queue == write->queue &&
        read.operands.front().name.value == write->results.front().name.value) {
      read.cycle =
          write->cycle + dice.number(0, schedule.machine.mem.writeDelay);
      return true;
    }
  return false;
}

bool changeStream(Schedule &schedule, Dice &dice) {
  auto [line, port] = pickPort(schedule, dice, Port::Kind::streams);
  if (!port || port->streams.empty())
    return false;
  Stream &stream = dice.pick(port->streams);
  if (dice.chance(15)) {
    for (Stream &each : port->streams)
      each.direction =
          each.direction == Direction::east ? Direction::west : Direction::east;
    return true;
  }
  int64_t most =
      schedule.machine.streams[static_cast<size_t>(stream.direction)] -
      (dice.chance(90) ? 1 : 0);
  auto number = static_cast<uint16_t>(dice.number(0, most));
  return std::exchange(stream.number, number) != number;
}

bool changeRow(Schedule &schedule, Dice &dice) {
  auto [line, port] = pickPort(schedule, dice, Port::Kind::row);
  if (!port)
    return false;
  if (dice.chance(15))
    port->index.step += smallStep(dice);
  else if (dice.chance(15))
    port->index.start = dice.number(0, schedule.machine.mem.rows);
  else
    port->index.start += smallStep(dice);
  return true;
}

bool changeBuffer(Schedule &schedule, Dice &dice) {
  auto [line, port] = pickPort(schedule, dice, Port::Kind::buffer);
  if (!port)
    return false;
  if (line->opcode == Opcode::load && dice.chance(40))
    port->bufferRow.start += smallStep(dice);
  else if (line->opcode == Opcode::load && dice.chance(30))
    port->bufferRow.step += smallStep(dice);
  else
    port->index.start += dice.oneOf<int64_t>({-1, 1});
  return true;
}

bool changeAccumulator(Schedule &schedule, Dice &dice) {
  auto [line, port] = pickPort(schedule, dice, Port::Kind::accumulator);
  if (!port)
    return false;
  port->index.start += smallStep(dice);
  return true;
}

bool changeAlu(Schedule &schedule, Dice &dice) {
  auto [line, port] = pickPort(schedule, dice, Port::Kind::alu);
  // Of a result, the port says what the queue says.
  if (port && line->results.front().kind != Port::Kind::alu &&
      dice.chance(40)) {
    port->index.start += dice.oneOf<int64_t>({-1, 1});
    return true;
  }
  line = pickLine(schedule, dice, [](const Instruction &candidate) {
    return candidate.opcode == Opcode::alu;
  });
  if (!line)
    return false;
  line->queue.index += dice.oneOf<int64_t>({-1, 1});
  return line->queue.index >= 0;
}

bool deleteLine(Schedule &schedule, Dice &dice) {
  auto &chip = dice.pick(schedule.instructions);
  if (chip.empty())
    return false;
  chip.erase(chip.begin() +
             dice.number(0, static_cast<int64_t>(chip.size()) - 1));
  return true;
}

bool doubleLine(Schedule &schedule, Dice &dice) {
  auto &chip = dice.pick(schedule.instructions);
  if (chip.empty())
    return false;
  Instruction line = dice.pick(chip);
  if (dice.chance(60))
    line.cycle += dice.number(0, 4);
  if (dice.chance(30))
    line.queue.index += dice.oneOf<int64_t>({-1, 1});
  chip.push_back(line);
  return line.queue.index >= 0;
}

bool changeQueue(Schedule &schedule, Dice &dice) {
  Instruction *line = pickLine(schedule, dice, anyLine);
  if (!line)
    return false;
  if (dice.chance(60))
    line->queue.index += dice.oneOf<int64_t>({-1, 1});
  else
    line->queue.position =
        dice.number(0, static_cast<int64_t>(schedule.machine.units.size()));
  return line->queue.index >= 0;
}

bool changePlane(Schedule &schedule, Dice &dice) {
  Instruction *line = pickLine(schedule, dice, [](const Instruction &each) {
    return each.opcode == Opcode::read || each.opcode == Opcode::write;
  });
  if (!line)
    return false;
  int64_t plane = line->operands.front().plane ^ 1;
  line->operands.front().plane = line->results.front().plane = plane;
  return true;
}

bool changeRows(Schedule &schedule, Dice &dice) {
  Instruction *line = pickLine(schedule, dice, [](const Instruction &each) {
    return each.opcode == Opcode::mul || each.opcode == Opcode::gather;
  });
  if (!line)
    return false;
  line->rows += smallStep(dice);
  return line->rows > 0;
}

bool changeName(Schedule &schedule, Dice &dice) {
  Instruction *line = pickLine(schedule, dice, anyLine);
  if (!line)
    return false;
  std::vector<Port *> ports;
  for (auto *list : {&line->operands, &line->results})
    for (Port &port : *list)
      if (port.kind != Port::Kind::number)
        ports.push_back(&port);
  VectorName name = dice.pick(ports)->name, old = name;
  if (dice.chance(40)) {
    name.index.start += dice.oneOf<int64_t>({-1, 1});
  } else {
    std::vector<uint32_t> others;
    for (uint32_t i = 0; i < schedule.values.size(); ++i)
      if (i != name.value &&
          schedule.values[i].dtype == schedule.values[name.value].dtype)
        others.push_back(i);
    if (others.empty())
      return false;
    name.value = dice.pick(others);
  }
  bool all = keepsName(line->opcode);
  for (Port *port : ports)
    if (port->name == old && (all || port == ports.back() || dice.chance(50))) {
      port->name = name;
      all = all || port->kind == Port::Kind::alu;
    }
  // Results of one instruction have one name.
  for (Port &result : line->results)
    if (line->opcode == Opcode::alu)
      result.name = line->results.front().name;
  return true;
}

bool changeMap(Schedule &schedule, Dice &dice) {
  if (schedule.maps.empty())
    return false;
  Instruction *line = pickLine(schedule, dice, [](const Instruction &each) {
    return each.opcode == Opcode::map;
  });
  if (!line)
    return false;
  line->map = static_cast<uint32_t>(
      dice.number(0, static_cast<int64_t>(schedule.maps.size()) - 1));
  return true;
}

bool changeOperation(Schedule &schedule, Dice &dice) {
  Instruction *line = pickLine(schedule, dice, [](const Instruction &each) {
    return each.opcode == Opcode::alu;
  });
  if (!line)
    return false;
  if (dice.chance(30))
    for (Port &operand : line->operands)
      if (operand.kind == Port::Kind::number) {
        operand.number += 1;
        return true;
      }
  if (line->operands.size() > 1 && dice.chance(40)) {
    std::swap(line->operands[0], line->operands[1]);
    return true;
  }
  line->alu =
      static_cast<AluOp>(dice.number(0, static_cast<int64_t>(AluOp::pow)));
  return static_cast<size_t>(aluOperands(line->alu)) == line->operands.size();
}

bool changeRepetition(Schedule &schedule, Dice &dice) {
  Instruction *line = pickLine(schedule, dice, [&](const Instruction &each) {
    return each.count > 1 || dice.chance(10);
  });
  if (!line)
    return false;
  (dice.chance(50) ? line->count : line->step) += dice.oneOf<int64_t>({-1, 1});
  return line->count > 0 && line->step > 0;
}

bool changeLength(Schedule &schedule, Dice &dice) {
  schedule.cycles += smallStep(dice);
  if (dice.chance(50))
    schedule.interval = schedule.cycles;
  return schedule.cycles > 0;
}

bool changePlacement(Schedule &schedule, Dice &dice) {
  if (schedule.placements.empty())
    return false;
  Placement &placement = dice.pick(schedule.placements);
  int64_t choice = dice.number(1, 10);
  if (choice <= 6)
    placement.row += smallStep(dice);
  else if (choice <= 8)
    placement.bank.index += dice.oneOf<int64_t>({-1, 1});
  else if (choice == 9)
    placement.bank.position += dice.oneOf<int64_t>({-1, 1});
  else
    placement.chip += 1;
  return placement.bank.index >= 0 && placement.bank.position >= 0 &&
         placement.row >= 0;
}

/// Begins the schedule again before it ends, which is fine if it is short.
bool overlapRuns(Schedule &schedule, Dice &dice) {
  if (schedule.cycles < 2)
    return false;
  schedule.interval = dice.number(std::max<int64_t>(1, schedule.cycles / 8),
                                  schedule.cycles - 1);
  return true;
}

/// A result that is put twice, by one ALU, or by another ALU or port of the
/// unit.
bool putTwice(Schedule &schedule, Dice &dice) {
  Instruction *line = pickLine(schedule, dice, [](const Instruction &each) {
    return (each.opcode == Opcode::alu || each.opcode == Opcode::map) &&
           each.results.front().kind == Port::Kind::streams;
  });
  if (!line)
    return false;
  if (line->opcode == Opcode::alu && dice.chance(60)) {
    line->results.push_back(line->results.front());
    return true;
  }
  Instruction second = *line;
  second.queue.index = line->queue.index > 0 ? line->queue.index - 1 : 1;
  chipOf(schedule, line).push_back(second);
  return true;
}

/// An instruction begun twice by a unit other than a bank, the second time
/// while the first is at work.
bool beginTwice(Schedule &schedule, Dice &dice) {
  Instruction *line = pickLine(schedule, dice, [](const Instruction &each) {
    return each.queue.kind != QueueKind::bank;
  });
  if (!line)
    return false;
  Instruction second = *line;
  if (line->opcode == Opcode::mul || line->opcode == Opcode::transpose)
    second.cycle += dice.number(0, 3);
  chipOf(schedule, line).push_back(second);
  return true;
}

constexpr Break breaks[] = {
    {"cycle", true, shiftCycle},
    {"early read", true, readEarly},
    {"stream", true, changeStream},
    {"row", true, changeRow},
    {"buffer", true, changeBuffer},
    {"accumulator", true, changeAccumulator},
    {"alu", true, changeAlu},
    {"deleted line", true, deleteLine},
    {"doubled line", true, doubleLine},
    {"queue", true, changeQueue},
    {"repetition", false, changeRepetition},
    {"plane", false, changePlane},
    {"K or N", false, changeRows},
    {"name", false, changeName},
    {"map", false, changeMap},
    {"operation", false, changeOperation},
    {"length", false, changeLength},
    {"placement", false, changePlacement},
    {"interval", false, overlapRuns},
    {"put twice", false, putTwice},
    {"begun twice", true, beginTwice},
};

} // namespace

std::span<const Break> allBreaks() { return breaks; }

} // namespace tilewright::test
