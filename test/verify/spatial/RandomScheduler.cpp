#include "test/verify/spatial/RandomScheduler.h"

#include "test/verify/spatial/RandomSchedule.h"
#include <algorithm>

namespace tilewright::test {

using namespace spatial;

namespace {

Port streamsPort(const std::vector<Stream> &streams, VectorName name,
                 int64_t plane = 0) {
  Port port;
  port.streams = {streams.begin(), streams.end()};
  port.name = name;
  port.plane = plane;
  return port;
}

Port rowPort(Affine row, VectorName name, int64_t plane) {
  Port port;
  port.kind = Port::Kind::row;
  port.index = row;
  port.name = name;
  port.plane = plane;
  return port;
}

std::string machineOf(uint64_t seed) {
  Dice dice(seed);
  return randomMachine(dice);
}

/// Steps matter only where something is repeated.
Affine indexOf(int64_t start, int64_t step, const Repeat &repeat) {
  return {start, repeat.count > 1 ? step : 0};
}

} // namespace

RandomScheduler::RandomScheduler(uint64_t seed)
    : dice(seed ^ 0x9e3779b97f4a7c15), builder(machineOf(seed)) {
  lines.resize(static_cast<size_t>(machine().chips));
}

std::optional<int64_t> RandomScheduler::pickUnit(UnitKind kind) {
  std::vector<int64_t> positions = machine().positionsOf(kind);
  if (positions.empty())
    return std::nullopt;
  return dice.pick(positions);
}

std::optional<size_t>
RandomScheduler::pickStored(const std::function<bool(const Stored &)> &fits) {
  std::vector<size_t> found;
  for (size_t i = 0; i < pool.size(); ++i)
    if (fits(pool[i]))
      found.push_back(i);
  if (found.empty())
    return std::nullopt;
  return dice.pick(found);
}

std::optional<std::vector<Stream>>
RandomScheduler::pickStreams(Direction direction, int64_t count,
                             const std::vector<Stream> &taken) {
  std::vector<Stream> free;
  for (int64_t i = 0; i < machine().streams[static_cast<size_t>(direction)];
       ++i) {
    Stream stream{direction, static_cast<uint16_t>(i)};
    if (std::ranges::find(taken, stream) == taken.end())
      free.push_back(stream);
  }
  dice.shuffle(free);
  if (static_cast<int64_t>(free.size()) < count)
    return std::nullopt;
  free.resize(static_cast<size_t>(count));
  return free;
}

std::optional<Rows> RandomScheduler::pickRows(int64_t chip, Queue bank,
                                              int64_t count, int64_t cycle) {
  for (size_t i = 0; i < freeRows.size(); ++i) {
    Rows rows = freeRows[i];
    if (rows.chip != chip || rows.bank != bank || rows.count < count ||
        rows.ready > cycle || dice.chance(20))
      continue;
    freeRows.erase(freeRows.begin() + static_cast<ptrdiff_t>(i));
    taken.onRollBack([this, rows] { freeRows.push_back(rows); });
    rows.count = count;
    return rows;
  }
  int64_t &used = usedRows[{chip, bank}];
  if (used + count > machine().mem.rows)
    return std::nullopt;
  Rows rows{chip, bank, used, count, 0};
  used += count;
  taken.onRollBack([&used, count] { used -= count; });
  return rows;
}

uint32_t RandomScheduler::newValue(DType dtype, int64_t vectors) {
  // Values of attempts that fail stay in the manifest; nobody makes them.
  return builder.addValue("v" + std::to_string(builder.schedule.values.size()),
                          dtype, vectors);
}

void RandomScheduler::addLine(int64_t chip, Instruction instruction) {
  std::vector<Instruction> &list = lines[static_cast<size_t>(chip)];
  list.push_back(std::move(instruction));
  taken.onRollBack([&list] { list.pop_back(); });
}

void RandomScheduler::addStored(Stored stored) {
  pool.push_back(std::move(stored));
  taken.onRollBack([this] { pool.pop_back(); });
}

std::optional<Port> RandomScheduler::feed(size_t number, Choice choice,
                                          int64_t chip, int64_t position,
                                          int64_t cycle, Repeat repeat) {
  Stored &stored = pool[number];
  if (stored.chip() != chip)
    return std::nullopt;
  int64_t side = position - stored.planes.front().bank.position;
  Direction flow = side > 0 ? Direction::east : Direction::west;
  auto streams = pickStreams(flow, static_cast<int64_t>(stored.planes.size()));
  if (!streams || side == 0)
    return std::nullopt;
  VectorName name{stored.value, indexOf(choice.first, choice.step, repeat)};
  for (size_t j = 0; j < stored.planes.size(); ++j) {
    const Rows &rows = stored.planes[j];
    int64_t distance = position - rows.bank.position;
    if (distance == 0 || (distance > 0) != (side > 0))
      return std::nullopt;
    int64_t put = cycle - std::abs(distance);
    int64_t begin = put - machine().mem.readDelay;
    if (begin < rows.ready ||
        !taken.takeQueue(chip, rows.bank, begin, repeat) ||
        !taken.takeStream(chip, (*streams)[j], rows.bank.position, position,
                          put, repeat))
      return std::nullopt;
    Instruction read;
    read.cycle = begin;
    read.queue = rows.bank;
    read.opcode = Opcode::read;
    auto plane = static_cast<int64_t>(j);
    read.operands = {rowPort(
        indexOf(rows.row + choice.first, choice.step, repeat), name, plane)};
    read.results = {streamsPort({(*streams)[j]}, name, plane)};
    read.count = repeat.count, read.step = repeat.cycles;
    addLine(chip, read);
    int64_t last = begin + (repeat.count - 1) * repeat.cycles;
    int64_t old = stored.lastRead;
    stored.lastRead = std::max(old, last);
    taken.onRollBack([this, number, old] { pool[number].lastRead = old; });
  }
  return streamsPort(std::move(*streams), name);
}

std::optional<Stream>
RandomScheduler::storePlane(VectorName name, int64_t plane, Direction flow,
                            const std::vector<Stream> &others, int64_t chip,
                            int64_t position, int64_t cycle, Repeat repeat,
                            std::vector<Rows> &planes) {
  auto streams = pickStreams(flow, 1, others);
  auto slice = pickUnit(UnitKind::mem);
  if (!streams || !slice || *slice == position ||
      (*slice > position) != (flow == Direction::east))
    return std::nullopt;
  Queue bank = bankOf(*slice, dice.number(0, machine().mem.banks - 1));
  int64_t begin = cycle + std::abs(*slice - position);
  // Planes of a vector that are read in one cycle lie in different banks.
  bool twice = std::ranges::any_of(
      planes, [&](const Rows &rows) { return rows.bank == bank; });
  if (twice || !taken.takeQueue(chip, bank, begin, repeat) ||
      !taken.takeStream(chip, streams->front(), position, *slice, cycle,
                        repeat))
    return std::nullopt;
  auto rows = pickRows(chip, bank, repeat.count, begin);
  if (!rows)
    return std::nullopt;
  Instruction write;
  write.cycle = begin;
  write.queue = bank;
  write.opcode = Opcode::write;
  write.operands = {streamsPort(*streams, name, plane)};
  write.results = {rowPort(indexOf(rows->row, 1, repeat), name, plane)};
  write.count = repeat.count, write.step = repeat.cycles;
  addLine(chip, write);
  // All rows are ready when the last one is.
  rows->ready =
      begin + (repeat.count - 1) * repeat.cycles + machine().mem.writeDelay;
  planes.push_back(*rows);
  return streams->front();
}

std::optional<std::vector<Stream>>
RandomScheduler::store(uint32_t value, int64_t chip, int64_t position,
                       int64_t cycle, Repeat repeat) {
  Direction flow = dice.chance(50) ? Direction::east : Direction::west;
  VectorName name{value, indexOf(0, 1, repeat)};
  std::vector<Stream> streams;
  Stored stored{value, dtypeOf(value), {}, -1};
  for (int64_t plane = 0; plane < machine().planesOf(stored.dtype); ++plane) {
    std::optional<Stream> stream;
    for (int tries = 0; tries < 6 && !stream; ++tries) {
      auto mark = taken.mark();
      stream = storePlane(name, plane, flow, streams, chip, position, cycle,
                          repeat, stored.planes);
      if (!stream)
        taken.rollBack(mark);
    }
    if (!stream)
      return std::nullopt;
    streams.push_back(*stream);
  }
  addStored(std::move(stored));
  return streams;
}

bool RandomScheduler::finish(Instruction &instruction, uint32_t value,
                             int64_t chip, int64_t cycle, Repeat repeat,
                             int depth) {
  int64_t position = instruction.queue.position;
  VectorName name{value, indexOf(0, 1, repeat)};
  bool wentOn = repeat.count == 1 && depth < 3 && dice.chance(45) &&
                goOn(instruction, value, chip, cycle, depth);
  // A result for ALUs only goes nowhere else.
  bool isAlone = wentOn && instruction.results.front().kind == Port::Kind::alu;
  bool isAlu = instruction.opcode == Opcode::alu;
  if (!isAlone && (!wentOn || (isAlu && dice.chance(50)))) {
    int groups = isAlu && dice.chance(15) ? 2 : 1;
    for (int i = 0; i < groups; ++i)
      for (int tries = 0; tries < 4; ++tries) {
        auto mark = taken.mark();
        if (auto streams = store(value, chip, position, cycle, repeat)) {
          instruction.results.push_back(streamsPort(*streams, name));
          break;
        }
        taken.rollBack(mark);
      }
  }
  return !instruction.results.empty();
}

/// Another instruction takes the result where it passes.
bool RandomScheduler::goOn(Instruction &instruction, uint32_t value,
                           int64_t chip, int64_t cycle, int depth) {
  auto mark = taken.mark();
  Flight flight{
      {value, {}}, dtypeOf(value), chip, instruction.queue.position, cycle, {},
      {}};
  Port result;
  result.name = flight.name;
  if (instruction.opcode == Opcode::alu && dice.chance(50)) {
    flight.alu = instruction.queue.index;
    if (operate(&flight, depth + 1)) {
      result.kind = Port::Kind::alu;
      result.index.start = *flight.alu;
      instruction.results.push_back(result);
      return true;
    }
    taken.rollBack(mark);
    return false;
  }
  Direction flow = dice.chance(50) ? Direction::east : Direction::west;
  auto streams = pickStreams(flow, machine().planesOf(flight.dtype));
  if (!streams)
    return false;
  flight.streams = *streams;
  if (operate(&flight, depth + 1)) {
    instruction.results.push_back(streamsPort(*streams, flight.name));
    return true;
  }
  taken.rollBack(mark);
  return false;
}

void RandomScheduler::addGiven(bool isInput) {
  DType dtype = dice.oneOf({DType::F32, DType::F16, DType::BF16, DType::I8,
                            DType::I32, DType::I32, DType::U8, DType::Bool});
  bool isIndex = dtype == DType::I32 && dice.chance(60);
  int64_t vectors = dice.chance(40) ? 1 : dice.number(2, 6);
  std::string name = "g" + std::to_string(builder.schedule.values.size());
  uint32_t value = isInput ? builder.addInput(name, dtype, vectors)
                           : builder.addConstant(name, dtype, vectors);
  if (isIndex) {
    indices.insert(value);
    builder.boundElements(value, 2);
  }
  int64_t copies = isInput ? 1 : dice.number(1, 2);
  for (int64_t copy = 0; copy < copies; ++copy) {
    Stored stored{value, dtype, {}, -1};
    int64_t chip = dice.number(0, machine().chips - 1);
    std::vector<int64_t> slices = machine().positionsOf(UnitKind::mem);
    int64_t first = dice.number(0, static_cast<int64_t>(slices.size()) - 1);
    std::vector<Queue> banks;
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t bank = 0; bank < machine().mem.banks; ++bank)
        if (first + i < static_cast<int64_t>(slices.size()))
          banks.push_back(bankOf(slices[static_cast<size_t>(first + i)], bank));
    dice.shuffle(banks);
    auto planes = static_cast<size_t>(machine().planesOf(dtype));
    // An input must lie somewhere.
    for (size_t plane = 0; plane < planes; ++plane) {
      Queue bank = banks[plane % banks.size()];
      auto rows = pickRows(chip, bank, vectors, -1);
      if (!rows)
        continue;
      builder.place(value, vectors, static_cast<int64_t>(plane), bank,
                    rows->row, chip);
      stored.planes.push_back(*rows);
    }
    if (stored.planes.size() == planes)
      pool.push_back(stored);
  }
}

void RandomScheduler::addOutputs() {
  std::vector<size_t> made;
  for (size_t i = 0; i < pool.size(); ++i)
    if (builder.schedule.values[pool[i].value].name.starts_with("v"))
      made.push_back(i);
  dice.shuffle(made);
  std::set<uint32_t> outputs;
  for (size_t i : made) {
    const Stored &stored = pool[i];
    if (outputs.size() == 3 || !outputs.insert(stored.value).second)
      continue;
    builder.addOutput(stored.value);
    for (size_t plane = 0; plane < stored.planes.size(); ++plane) {
      const Rows &rows = stored.planes[plane];
      builder.place(stored.value, rows.count, static_cast<int64_t>(plane),
                    rows.bank, rows.row, rows.chip);
    }
  }
}

/// Rows that nobody reads again may be written anew.
void RandomScheduler::retire() {
  if (pool.size() < 6)
    return;
  size_t i = static_cast<size_t>(
      dice.number(0, static_cast<int64_t>(pool.size()) - 1));
  for (Rows rows : pool[i].planes) {
    rows.ready = std::max(pool[i].lastRead + 1, rows.ready);
    freeRows.push_back(rows);
  }
  pool.erase(pool.begin() + static_cast<ptrdiff_t>(i));
}

ScheduleBuilder RandomScheduler::run() {
  for (int64_t i = dice.number(3, 8); i > 0; --i)
    addGiven(dice.chance(50));
  int64_t wanted = dice.number(2, 14);
  for (int tries = 0; tries < 300 && wanted > 0; ++tries) {
    auto mark = taken.mark();
    if (operate(nullptr, 0))
      --wanted;
    else
      taken.rollBack(mark);
    if (dice.chance(3))
      retire();
  }
  addOutputs();
  int64_t length = 0;
  builder.schedule.instructions.resize(lines.size());
  for (size_t chip = 0; chip < lines.size(); ++chip) {
    for (Instruction &line : lines[chip])
      if (line.opcode == Opcode::write)
        length = std::max(length, line.cycle + (line.count - 1) * line.step +
                                      machine().mem.writeDelay + 1);
    std::ranges::stable_sort(lines[chip], {}, [](const Instruction &line) {
      return std::pair(line.cycle, printQueue(line.queue));
    });
    for (size_t i = 0; i < lines[chip].size(); ++i)
      lines[chip][i].line = static_cast<uint32_t>(i + 1);
    builder.schedule.instructions[chip] = lines[chip];
  }
  builder.finish(length, dice.bits());
  return std::move(builder);
}

ScheduleBuilder randomSchedule(uint64_t seed) {
  return RandomScheduler(seed).run();
}

} // namespace tilewright::test
