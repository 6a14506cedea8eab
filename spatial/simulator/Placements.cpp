#include "spatial/simulator/Simulation.h"

#include "support/Format.h"
#include <cstring>

// What lies in memory before the first cycle and after the last.
namespace tilewright::spatial {

bool Simulation::hasBank(const Placement &place, bool isReported) {
  const Machine &machine = core.machine;
  auto positions = static_cast<int64_t>(machine.units.size());
  std::string fault;
  if (place.chip < 0 || place.chip >= core.schedule.chips)
    fault = format("expected a chip below {}, found {}",
                   {core.schedule.chips, place.chip});
  else if (place.bank.position < 0 || place.bank.position >= positions ||
           machine.units[static_cast<size_t>(place.bank.position)].kind !=
               UnitKind::mem)
    fault = format("there is no mem at position {}", {place.bank.position});
  else if (place.bank.index < 0 || place.bank.index >= machine.mem.banks)
    fault = format("expected a bank below {}, found {}",
                   {machine.mem.banks, place.bank.index});
  if (!fault.empty() && isReported)
    core.findings.addWithoutCycle(
        FindingCode::capacity, place.chip, printQueue(place.bank),
        format("a place of '{}': {}",
               {core.schedule.values[place.value].name, fault}));
  return fault.empty();
}

void Simulation::place(const Placement &place, int64_t repetition,
                       std::span<const VectorRef> values) {
  bool isFirst = repetition == 0;
  if (!hasBank(place, isFirst))
    return;
  for (int64_t i = 0; i < place.count; ++i) {
    int64_t row = place.row + i * place.stride;
    int64_t vector = place.vector + i * place.step;
    if (hasRow(row)) {
      memory.place(place.chip, place.bank, row,
                   {core.names.of(place.value, vector, repetition), place.plane,
                    values[static_cast<size_t>(vector)]});
    } else if (std::exchange(isFirst, false)) {
      core.findings.addWithoutCycle(
          FindingCode::capacity, place.chip, printQueue(place.bank),
          format("a place of '{}': expected a row below {}, found {}",
                 {core.schedule.values[place.value].name, core.machine.mem.rows,
                  row}));
    }
  }
}

/// The lanes of a constant's vector, from its rows in memory. `elements` is
/// memory for the elements of a vector.
static void decode(const Machine &machine, DType type,
                   std::span<const std::byte> planes,
                   std::vector<std::byte> &elements, std::span<Lane> lanes) {
  auto streamBytes = static_cast<size_t>(machine.streamBytes);
  auto rowBytes = static_cast<size_t>(machine.rowBytes());
  size_t bytes = runtime::dtypeBytes(type);
  elements.resize(lanes.size() * bytes);
  for (size_t b = 0; b < bytes; ++b) {
    const std::byte *from =
        planes.data() + b / streamBytes * rowBytes + b % streamBytes;
    std::byte *to = elements.data() + b;
    for (size_t lane = 0; lane < lanes.size(); ++lane)
      to[lane * bytes] = from[lane * streamBytes];
  }
  lanesOfElements(type, elements, lanes);
}

void Simulation::placeConstants() {
  const Schedule &schedule = core.schedule;
  std::vector<std::byte> elements;
  for (size_t i = 0; i < schedule.constants.size(); ++i) {
    const Value &value = schedule.values[schedule.constants[i]];
    auto vectorBytes = static_cast<size_t>(core.machine.planesOf(value.dtype) *
                                           core.machine.rowBytes());
    std::vector<VectorRef> values;
    for (size_t v = 0; v < static_cast<size_t>(value.vectors); ++v) {
      values.emplace_back(core.pool);
      decode(core.machine, value.dtype,
             schedule.constantBytes[i].subspan(v * vectorBytes, vectorBytes),
             elements, values.back().lanes());
    }
    for (const Placement &placement : schedule.placements)
      if (placement.value == schedule.constants[i])
        place(placement, 0, values);
  }
}

void Simulation::placeInputs(int64_t repetition) {
  const Schedule &schedule = core.schedule;
  for (size_t i = 0; i < schedule.inputs.size(); ++i) {
    const Interface &input = schedule.inputs[i];
    std::vector<VectorRef> values;
    auto lanes = static_cast<size_t>(core.machine.lanes);
    for (size_t first = 0; first < input.layout.size(); first += lanes) {
      values.emplace_back(core.pool);
      std::span<Lane> vector = values.back().lanes();
      for (size_t lane = 0; lane < lanes; ++lane) {
        int32_t element = input.layout[first + lane];
        vector[lane] =
            element < 0 ? 0 : inputs[i][static_cast<size_t>(element)];
      }
    }
    for (const Placement &placement : schedule.placements)
      if (placement.value == input.value)
        place(placement, repetition, values);
  }
}

void Simulation::readOutput(size_t output, const Placement &place,
                            int64_t repetition) {
  const Interface &interface = core.schedule.outputs[output];
  if (!hasBank(place, repetition == 0))
    return;
  bool isReported = repetition != 0;
  for (int64_t i = 0; i < place.count; ++i) {
    int64_t row = place.row + i * place.stride;
    int64_t vector = place.vector + i * place.step;
    NameId name = core.names.of(place.value, vector, repetition);
    if (!hasRow(row)) {
      if (!std::exchange(isReported, true))
        core.findings.addWithoutCycle(
            FindingCode::capacity, place.chip, printQueue(place.bank),
            format("a place of '{}': expected a row below {}, found {}",
                   {core.schedule.values[place.value].name,
                    core.machine.mem.rows, row}));
      continue;
    }
    const NamedPlane *held = memory.held(place.chip, place.bank, row);
    if (!held || held->name != name || held->plane != place.plane) {
      std::string found =
          held ? format("{}.{}", {core.names.print(held->name), held->plane})
               : "nothing";
      core.findings.addWithoutCycle(
          FindingCode::lostValue, place.chip, printQueue(place.bank),
          format("expected {}.{} of output '{}' in row {} at the end, found {}",
                 {core.names.print(name), place.plane, interface.name, row,
                  found}));
      continue;
    }
    // All planes share the lanes of the vector.
    std::span<const Lane> lanes = held->lanes.lanes();
    size_t first = static_cast<size_t>(vector) * lanes.size();
    for (size_t lane = 0; repetition == 0 && lane < lanes.size(); ++lane)
      if (int32_t element = interface.layout[first + lane]; element >= 0)
        outputs[output][static_cast<size_t>(element)] = lanes[lane];
  }
}

void Simulation::takeOutputs(int64_t repetition) {
  const Schedule &schedule = core.schedule;
  for (size_t i = 0; i < schedule.outputs.size(); ++i) {
    size_t elements = 1;
    for (int64_t size : schedule.outputs[i].shape)
      elements *= static_cast<size_t>(size);
    if (repetition == 0)
      outputs[i].assign(elements, 0);
    for (const Placement &placement : schedule.placements)
      if (placement.value == schedule.outputs[i].value)
        readOutput(i, placement, repetition);
  }
}

void Simulation::checkLength() {
  int64_t stated = core.schedule.cycles;
  if (length() != stated)
    core.findings.addWithoutCycle(
        FindingCode::wrongLength, 0, "",
        format("the lines take {}, the manifest states {}",
               {counted(length(), "cycle"), stated}));
}

} // namespace tilewright::spatial
