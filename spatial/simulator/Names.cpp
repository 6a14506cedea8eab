#include "spatial/simulator/Names.h"

#include "spatial/simulator/Line.h"
#include "support/Format.h"
#include <algorithm>
#include <map>

namespace tilewright::spatial {

StatusOr<Names> Names::create(const Schedule &schedule, int64_t repetitions) {
  constexpr int64_t most = int64_t(1) << 60;
  Names names;
  names.schedule = &schedule;
  names.repetitions = repetitions;
  for (const Value &value : schedule.values) {
    names.ranges.push_back({names.total, false, false});
    if (value.vectors < 0 || value.vectors > most - names.total)
      return Status::unsupported(
          format("value '{}' has {} vectors: the simulator names {} at most",
                 {value.name, value.vectors, most}));
    names.total += value.vectors;
  }
  if (names.total > 0 && repetitions > most / names.total)
    return Status::unsupported(
        format("{} repetitions of {} vectors: the simulator names {} at most",
               {repetitions, names.total, most}));
  for (uint32_t constant : schedule.constants)
    names.ranges[constant].isConstant = true;
  for (const Interface &input : schedule.inputs)
    names.ranges[input.value].isInput = true;
  std::map<std::span<const int32_t>, uint32_t, decltype([](auto a, auto b) {
             return std::ranges::lexicographical_compare(a, b);
           })>
      found;
  for (uint32_t map = 0; map < schedule.maps.size(); ++map)
    names.firstEqual.push_back(
        found.try_emplace(schedule.maps[map].lanes, map).first->second);
  return names;
}

std::string Names::print(NameId name) const {
  auto index = static_cast<int64_t>(name);
  int64_t repetition = index / total;
  index %= total;
  // The last value that begins there, or before; those of no vectors, none.
  auto after = std::ranges::upper_bound(ranges, index, {}, &Range::first);
  auto value = static_cast<uint32_t>(after - ranges.begin() - 1);
  std::string text = printName(*schedule, value, index - ranges[value].first);
  if (repetitions > 1 && !ranges[value].isConstant)
    text += format(" of repetition {}", {repetition});
  return text;
}

Names::Made Names::make(uint32_t value, NameId name,
                        const Definition &definition) {
  if (ranges[value].isConstant || ranges[value].isInput)
    return Made::butGiven;
  auto [found, isNew] = definitions.try_emplace(name, definition);
  return isNew || found->second == definition ? Made::well : Made::inSecondWay;
}

Definition definitionOf(const Names &names, const Instruction &instruction,
                        int64_t iteration, int64_t repetition) {
  using Operand = Definition::Operand;
  Definition definition;
  definition.opcode = instruction.opcode;
  if (instruction.opcode == Opcode::alu)
    definition.alu = instruction.alu;
  if (instruction.opcode == Opcode::alu || instruction.opcode == Opcode::mul)
    definition.type = instruction.type;
  if (instruction.opcode == Opcode::map)
    definition.map = names.firstEqualMap(instruction.map);
  if (instruction.opcode == Opcode::mul || instruction.opcode == Opcode::gather)
    definition.rows = instruction.rows;
  size_t i = 0;
  for (const Port &port : instruction.operands) {
    Operand &operand = definition.operands[i];
    if (port.kind == Port::Kind::number)
      operand = {Operand::Kind::number,
                 numberLane(operandType(instruction, i), port.number)};
    else
      operand = {
          Operand::Kind::vector,
          names.of(port.name.value, port.name.index.at(iteration), repetition)};
    ++i;
  }
  return definition;
}

} // namespace tilewright::spatial
