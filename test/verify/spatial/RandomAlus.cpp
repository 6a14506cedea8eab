#include "test/verify/spatial/RandomScheduler.h"

#include "spatial/program/InstructionText.h"
#include <algorithm>

namespace tilewright::test {

using namespace spatial;

namespace {

constexpr AluOp aluOps[] = {
#define ALU_OP(ENUMERATOR, NAME, OPERANDS, DELAY) AluOp::ENUMERATOR,
#include "spatial/machine/AluOps.inc"
#undef ALU_OP
};

DType randomResult(Dice &dice, DType computed) {
  if (computed == DType::F32)
    return dice.oneOf({DType::F32, DType::F16, DType::BF16});
  if (computed == DType::I32)
    return dice.oneOf({DType::I32, DType::I8, DType::U8, DType::Bool});
  return DType::Bool;
}

/// What the flight is as an operand.
Port portOf(const Flight &flight) {
  Port port;
  port.name = flight.name;
  port.streams = {flight.streams.begin(), flight.streams.end()};
  if (flight.alu) {
    port.kind = Port::Kind::alu;
    port.index.start = *flight.alu;
  }
  return port;
}

/// Takes the streams of a flight up to `position`; the cycle in which it is
/// there, or -1.
int64_t arrival(const Flight &flight, int64_t position, Reservations &taken) {
  int64_t distance = position - flight.position;
  if (flight.alu)
    return distance == 0 ? flight.cycle : -1;
  bool isEast = flight.streams.front().direction == Direction::east;
  if (distance == 0 || (distance > 0) != isEast)
    return -1;
  for (Stream stream : flight.streams)
    if (!taken.takeStream(flight.chip, stream, flight.position, position,
                          flight.cycle))
      return -1;
  return flight.cycle + std::abs(distance);
}

} // namespace

std::optional<Port> RandomScheduler::operandOf(const Flight *flight,
                                               DType operation, bool isFirst,
                                               Queue queue, int64_t chip,
                                               int64_t cycle) {
  auto fits = [&](DType dtype) {
    return operation == DType::Bool
               ? dtype == DType::Bool
               : isFloat(dtype) == (operation == DType::F32);
  };
  if (isFirst && flight)
    return fits(flight->dtype) ? std::optional(portOf(*flight)) : std::nullopt;
  if (!isFirst && dice.chance(25)) {
    Port port;
    port.kind = Port::Kind::number;
    port.number =
        operation == DType::Bool ? dice.number(0, 1) : dice.number(-4, 4);
    return port;
  }
  auto stored = pickStored([&](const Stored &candidate) {
    return fits(candidate.dtype) && candidate.chip() == chip;
  });
  if (!stored)
    return std::nullopt;
  int64_t vector = dice.number(0, pool[*stored].vectors() - 1);
  return feed(*stored, {vector, 1}, chip, queue.position, cycle);
}

bool RandomScheduler::alu(const Flight *flight, int depth) {
  auto position = flight && flight->alu ? std::optional(flight->position)
                                        : pickUnit(UnitKind::vxm);
  if (!position)
    return false;
  int64_t chip = flight ? flight->chip : dice.number(0, machine().chips - 1);
  int64_t cycle = flight ? arrival(*flight, *position, taken) : someCycle();
  Queue queue{*position, QueueKind::alu,
              dice.number(0, machine().vxm.alus - 1)};
  if (cycle < 0 || !taken.takeQueue(chip, queue, cycle))
    return false;
  Instruction instruction = instructionOf(queue, Opcode::alu, cycle);
  instruction.alu = aluOps[dice.number(0, std::size(aluOps) - 1)];
  instruction.type = dice.oneOf({DType::F32, DType::I32});
  bool hasCondition = instruction.alu == AluOp::select;
  for (int i = 0; i < aluOperands(instruction.alu); ++i) {
    DType type = hasCondition && i == 0 ? DType::Bool : instruction.type;
    auto operand = operandOf(flight, type, i == 0, queue, chip, cycle);
    if (!operand)
      return false;
    instruction.operands.push_back(*operand);
  }
  DType dtype =
      randomResult(dice, resultType(instruction.alu, instruction.type));
  uint32_t value = newValue(dtype, 1);
  if (!finish(instruction, value, chip,
              cycle + machine().delayOf(instruction.alu), {}, depth) ||
      !checkInstruction(builder.schedule, instruction).ok())
    return false;
  recipes.push_back({instruction, chip});
  taken.onRollBack([this] { recipes.pop_back(); });
  addLine(chip, instruction);
  return true;
}

/// Makes a vector again, as it was made before, elsewhere.
bool RandomScheduler::again() {
  auto position = pickUnit(UnitKind::vxm);
  if (recipes.empty() || !position)
    return false;
  Recipe recipe = dice.pick(recipes);
  Instruction &instruction = recipe.instruction;
  instruction.cycle = someCycle();
  instruction.queue = {*position, QueueKind::alu,
                       dice.number(0, machine().vxm.alus - 1)};
  if (!taken.takeQueue(recipe.chip, instruction.queue, instruction.cycle))
    return false;
  for (Port &operand : instruction.operands) {
    if (operand.kind == Port::Kind::number)
      continue;
    auto stored = pickStored([&](const Stored &candidate) {
      return candidate.value == operand.name.value;
    });
    auto fed = stored ? feed(*stored, {operand.name.index.start, 1},
                             recipe.chip, *position, instruction.cycle)
                      : std::nullopt;
    if (!fed)
      return false;
    operand = *fed;
  }
  uint32_t value = instruction.results.front().name.value;
  instruction.results.clear();
  if (!finish(instruction, value, recipe.chip,
              instruction.cycle + machine().delayOf(instruction.alu), {}, 3))
    return false;
  addLine(recipe.chip, instruction);
  return true;
}

bool RandomScheduler::map(const Flight *flight, int depth) {
  auto position = pickUnit(UnitKind::sxm);
  if (!position || (flight && flight->alu))
    return false;
  int64_t chip = flight ? flight->chip : dice.number(0, machine().chips - 1);
  int64_t cycle = flight ? arrival(*flight, *position, taken) : someCycle();
  Queue queue{*position, QueueKind::port,
              dice.number(0, machine().sxm->ports - 1)};
  if (cycle < 0 || !taken.takeQueue(chip, queue, cycle))
    return false;
  Instruction instruction = instructionOf(queue, Opcode::map, cycle);
  int operands = dice.chance(40) ? 2 : 1;
  std::optional<DType> dtype;
  if (flight) {
    instruction.operands.push_back(portOf(*flight));
    dtype = flight->dtype;
  }
  while (static_cast<int>(instruction.operands.size()) < operands) {
    auto stored = pickStored([&](const Stored &candidate) {
      return !dtype || candidate.dtype == *dtype;
    });
    if (!stored)
      return false;
    dtype = pool[*stored].dtype;
    auto operand =
        feed(*stored, {dice.number(0, pool[*stored].vectors() - 1), 1}, chip,
             *position, cycle);
    if (!operand)
      return false;
    instruction.operands.push_back(*operand);
  }
  std::vector<int32_t> sources;
  for (int64_t lane = 0; lane < machine().lanes; ++lane)
    sources.push_back(
        static_cast<int32_t>(dice.number(-1, operands * machine().lanes - 1)));
  instruction.map = static_cast<uint32_t>(builder.schedule.maps.size());
  builder.addMap("m" + std::to_string(instruction.map), sources);
  if (!finish(instruction, newValue(*dtype, 1), chip,
              cycle + machine().sxm->delay, {}, depth))
    return false;
  addLine(chip, instruction);
  return true;
}

bool RandomScheduler::operate(const Flight *flight, int depth) {
  if (flight)
    return dice.chance(70) || flight->alu ? alu(flight, depth)
                                          : map(flight, depth);
  bool sends = machine().chips > 1 && dice.chance(25);
  int64_t choice = sends ? 100 : dice.number(1, 95);
  bool done = false;
  if (choice <= 35)
    done = alu(nullptr, depth);
  else if (choice <= 45)
    done = map(nullptr, depth);
  else if (choice <= 65)
    done = product();
  else if (choice <= 72)
    done = transpose();
  else if (choice <= 79)
    done = gather();
  else if (choice <= 89)
    done = copy();
  else if (choice <= 95)
    done = again();
  else
    done = send();
  // Later ones mostly find what earlier ones wrote.
  if (done)
    for (const Rows &rows : pool.back().planes)
      horizon = std::max(horizon, rows.ready);
  return done;
}

} // namespace tilewright::test
