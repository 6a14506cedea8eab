#include "test/verify/spatial/RandomScheduler.h"

#include <algorithm>

namespace tilewright::test {

using namespace spatial;

bool RandomScheduler::transpose() {
  auto position = pickUnit(UnitKind::sxm);
  if (!position)
    return false;
  int64_t size = machine().sxm->transpose;
  auto stored = pickStored(
      [&](const Stored &candidate) { return candidate.vectors() >= size; });
  if (!stored)
    return false;
  int64_t chip = pool[*stored].chip(), cycle = someCycle();
  Queue queue{*position, QueueKind::port,
              dice.number(0, machine().sxm->ports - 1)};
  if (!taken.takeQueue(chip, queue, cycle, {}, size))
    return false;
  Instruction instruction = instructionOf(queue, Opcode::transpose, cycle);
  int64_t first = dice.number(0, pool[*stored].vectors() - size);
  auto operand = feed(*stored, {first, 1}, chip, *position, cycle, {size, 1});
  if (!operand)
    return false;
  operand->name.index.step = 0; // One line takes them all.
  instruction.operands = {*operand};
  uint32_t value = newValue(pool[*stored].dtype, size);
  auto streams = store(value, chip, *position,
                       cycle + size - 1 + machine().sxm->delay, {size, 1});
  if (!streams)
    return false;
  Port result;
  result.streams = {streams->begin(), streams->end()};
  result.name = {value, {}};
  instruction.results = {result};
  addLine(chip, instruction);
  return true;
}

bool RandomScheduler::gather() {
  auto table = pickStored(
      [](const Stored &candidate) { return candidate.vectors() >= 2; });
  auto index = pickStored([&](const Stored &candidate) {
    return indices.contains(candidate.value);
  });
  if (!table || !index)
    return false;
  // Not references: the pool may grow.
  Stored source = pool[*table];
  int64_t rows = dice.number(2, source.vectors());
  int64_t first = dice.number(0, source.vectors() - rows);
  int64_t chip = source.chip();
  uint32_t value = newValue(source.dtype, 1);
  int64_t vector = dice.number(0, pool[*index].vectors() - 1);
  Stored stored{value, source.dtype, {}, -1};
  Direction flow = dice.chance(50) ? Direction::east : Direction::west;
  for (size_t plane = 0; plane < source.planes.size(); ++plane) {
    const Rows &from = source.planes[plane];
    int64_t cycle = someCycle();
    if (cycle < from.ready || !taken.takeQueue(chip, from.bank, cycle))
      return false;
    auto operand = feed(*index, {vector, 1}, chip, from.bank.position, cycle);
    auto number = static_cast<int64_t>(plane);
    auto stream =
        storePlane({value, {}}, number, flow, {}, chip, from.bank.position,
                   cycle + machine().mem.indexedDelay, {}, stored.planes);
    if (!operand || !stream)
      return false;
    Instruction gather = instructionOf(from.bank, Opcode::gather, cycle);
    gather.rows = rows;
    Port row, result;
    row.kind = Port::Kind::row;
    row.index.start = from.row + first;
    row.name = {source.value, {first, 0}};
    row.plane = result.plane = number;
    result.streams = {*stream};
    result.name = {value, {}};
    gather.operands = {row, *operand};
    gather.results = {result};
    addLine(chip, gather);
    int64_t old = pool[*table].lastRead, at = cycle;
    pool[*table].lastRead = std::max(old, at);
    taken.onRollBack([this, table, old] { pool[*table].lastRead = old; });
  }
  addStored(stored);
  return true;
}

bool RandomScheduler::copy() {
  auto from = pickStored([](const Stored &) { return true; });
  if (!from)
    return false;
  // Each plane on its own way, past a unit that reads it on.
  Stored source = pool[*from];
  Stored stored{source.value, source.dtype, {}, -1};
  int64_t chip = source.chip();
  Repeat repeat{source.vectors(), dice.number(1, 2)};
  for (size_t plane = 0; plane < source.planes.size(); ++plane) {
    const Rows &rows = source.planes[plane];
    Direction flow = dice.chance(50) ? Direction::east : Direction::west;
    // Often as early as can be.
    int64_t first =
        dice.chance(50) && rows.ready > 0 ? rows.ready : someCycle();
    int64_t put = first + machine().mem.readDelay;
    auto number = static_cast<int64_t>(plane);
    VectorName name{source.value, {0, repeat.count > 1 ? 1 : 0}};
    auto stream = storePlane(name, number, flow, {}, chip, rows.bank.position,
                             put, repeat, stored.planes);
    int64_t begin = put - machine().mem.readDelay;
    if (!stream || begin < rows.ready ||
        !taken.takeQueue(chip, rows.bank, begin, repeat))
      return false;
    Instruction read = instructionOf(rows.bank, Opcode::read, begin);
    read.count = repeat.count, read.step = repeat.cycles;
    Port row, result;
    row.kind = Port::Kind::row;
    row.index = {rows.row, repeat.count > 1 ? 1 : 0};
    row.name = result.name = name;
    row.plane = result.plane = number;
    result.streams = {*stream};
    read.operands = {row};
    read.results = {result};
    addLine(chip, read);
    int64_t old = pool[*from].lastRead;
    pool[*from].lastRead =
        std::max(old, begin + (repeat.count - 1) * repeat.cycles);
    taken.onRollBack([this, from, old] { pool[*from].lastRead = old; });
  }
  addStored(stored);
  return true;
}

/// Moves vectors of one plane to another chip.
bool RandomScheduler::send() {
  auto position = pickUnit(UnitKind::c2c);
  auto from = pickStored([&](const Stored &candidate) {
    return machine().planesOf(candidate.dtype) == 1;
  });
  if (!position || !from)
    return false;
  Repeat repeat{pool[*from].vectors(),
                machine().link->vectorCycles + dice.number(0, 3)};
  int64_t chip = pool[*from].chip(), cycle = someCycle();
  const Unit &unit = machine().units[static_cast<size_t>(*position)];
  int64_t link = unit.firstLink + dice.number(0, unit.links - 1);
  auto end = machine().links.find({chip, link});
  if (end == machine().links.end())
    return false;
  const Machine::Link &facts = *machine().link;
  Queue sender{*position, QueueKind::send, link};
  Instruction send = instructionOf(sender, Opcode::send, cycle);
  auto operand = feed(*from, {}, chip, *position, cycle, repeat);
  if (!operand ||
      !taken.takeQueue(chip, sender, cycle, repeat, facts.vectorCycles))
    return false;
  send.operands = {*operand};
  send.count = repeat.count, send.step = repeat.cycles;
  addLine(chip, send);

  int64_t arrives = cycle + facts.vectorCycles + facts.latency + facts.guard;
  LinkEnd there = end->second;
  Queue receiver{0, QueueKind::receive, there.link};
  for (int64_t other : machine().positionsOf(UnitKind::c2c)) {
    const Unit &candidate = machine().units[static_cast<size_t>(other)];
    if (there.link >= candidate.firstLink &&
        there.link < candidate.firstLink + candidate.links)
      receiver.position = other;
  }
  uint32_t value = pool[*from].value;
  Instruction receive = instructionOf(receiver, Opcode::receive, arrives);
  receive.count = repeat.count, receive.step = repeat.cycles;
  auto streams = store(value, there.chip, receiver.position, arrives, repeat);
  if (!streams || !taken.takeQueue(there.chip, receiver, arrives, repeat))
    return false;
  Port result;
  result.streams = {streams->begin(), streams->end()};
  result.name = operand->name;
  receive.results = {result};
  addLine(there.chip, receive);
  return true;
}

} // namespace tilewright::test
