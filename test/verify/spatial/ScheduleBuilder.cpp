#include "test/verify/spatial/ScheduleBuilder.h"

#include "spatial/program/InstructionText.h"
#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace tilewright::test {

using namespace spatial;

namespace {

template <typename T> T valueOf(StatusOr<T> result) {
  if (!result.ok())
    throw std::runtime_error(result.status().message());
  return std::move(*result);
}

/// An element near 1, as bits; an integer from 0 below `bound`, or from -100 to
/// 100 if that is 0.
uint32_t randomElement(DType dtype, std::mt19937_64 &random, int64_t bound) {
  auto bits = static_cast<uint32_t>(random());
  switch (dtype) {
  case DType::F32:
    return (bits & 0x807fffff) | ((124 + (bits >> 24) % 6) << 23);
  case DType::BF16:
    return (bits & 0x807f) | ((124 + (bits >> 24) % 6) << 7);
  case DType::F16:
    return (bits & 0x83ff) | ((12 + (bits >> 24) % 6) << 10);
  case DType::Bool:
    return bits & 1;
  case DType::U8:
    return bits % 200;
  default:
    break;
  }
  if (bound)
    return bits % static_cast<uint32_t>(bound);
  return static_cast<uint32_t>(static_cast<int32_t>(bits % 201) - 100);
}

void fillElements(DType dtype, std::span<std::byte> bytes,
                  std::mt19937_64 &random, int64_t bound) {
  size_t size = runtime::dtypeBytes(dtype);
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    // Of i64, too, which interfaces of models have.
    auto element = static_cast<int64_t>(
        static_cast<int32_t>(randomElement(dtype, random, bound)));
    std::memcpy(&bytes[at], &element, size);
  }
}

Interface interfaceOf(const Schedule &schedule, uint32_t number) {
  const Value &value = schedule.values[number];
  Interface result{value.name,
                   value.dtype,
                   {value.vectors, schedule.machine.lanes},
                   number,
                   {}};
  for (int64_t i = 0; i < value.vectors * schedule.machine.lanes; ++i)
    result.layout.push_back(static_cast<int32_t>(i));
  return result;
}

/// The rows of a constant, from elements in order.
void appendRows(const Machine &machine, DType dtype, int64_t vectors,
                std::span<const std::byte> elements,
                std::vector<std::byte> &rows) {
  auto size = static_cast<int64_t>(runtime::dtypeBytes(dtype));
  for (int64_t vector = 0; vector < vectors; ++vector)
    for (int64_t plane = 0; plane < machine.planesOf(dtype); ++plane)
      for (int64_t lane = 0; lane < machine.lanes; ++lane)
        for (int64_t i = 0; i < machine.streamBytes; ++i) {
          int64_t byte = plane * machine.streamBytes + i;
          int64_t element = vector * machine.lanes + lane;
          rows.push_back(
              byte < size ? elements[static_cast<size_t>(element * size + byte)]
                          : std::byte{0});
        }
}

} // namespace

ScheduleBuilder::ScheduleBuilder(std::string_view machine) {
  schedule.machine = valueOf(parseMachine(machine, "machine"));
}

uint32_t ScheduleBuilder::addValue(std::string name, DType dtype,
                                   int64_t vectors) {
  schedule.values.push_back({std::move(name), dtype, vectors});
  return static_cast<uint32_t>(schedule.values.size() - 1);
}

uint32_t ScheduleBuilder::addInput(std::string name, DType dtype,
                                   int64_t vectors) {
  uint32_t value = addValue(std::move(name), dtype, vectors);
  schedule.inputs.push_back(interfaceOf(schedule, value));
  return value;
}

uint32_t ScheduleBuilder::addConstant(std::string name, DType dtype,
                                      int64_t vectors) {
  uint32_t value = addValue(std::move(name), dtype, vectors);
  schedule.constants.push_back(value);
  return value;
}

void ScheduleBuilder::addOutput(uint32_t value) {
  schedule.outputs.push_back(interfaceOf(schedule, value));
}

void ScheduleBuilder::setLines(int64_t chip, std::string_view text) {
  auto chips = static_cast<size_t>(chip) + 1;
  if (schedule.instructions.size() < chips)
    schedule.instructions.resize(chips);
  schedule.instructions[static_cast<size_t>(chip)] =
      valueOf(parseInstructions(schedule, text, "lines"));
}

int64_t ScheduleBuilder::boundOf(uint32_t value) const {
  auto found = bounds.find(value);
  return found == bounds.end() ? 0 : found->second;
}

void ScheduleBuilder::finish(int64_t cycles, uint64_t seed) {
  schedule.cycles = schedule.interval = cycles;
  schedule.chips = static_cast<int64_t>(schedule.instructions.size());
  schedule.files.clear();
  for (int64_t chip = 0; chip < schedule.chips; ++chip)
    schedule.files.push_back("chip-" + std::to_string(chip) + ".txt");
  std::mt19937_64 random(seed);
  auto storage = std::make_shared<std::vector<std::vector<std::byte>>>();
  for (uint32_t constant : schedule.constants) {
    const Value &value = schedule.values[constant];
    std::vector<std::byte> elements(
        static_cast<size_t>(value.vectors * schedule.machine.lanes) *
        runtime::dtypeBytes(value.dtype));
    fillElements(value.dtype, elements, random, boundOf(constant));
    appendRows(schedule.machine, value.dtype, value.vectors, elements,
               storage->emplace_back());
  }
  schedule.constantBytes.assign(storage->begin(), storage->end());
  schedule.storage = storage;
}

std::vector<runtime::HostTensor>
ScheduleBuilder::makeInputs(uint64_t seed) const {
  return randomInputs(schedule, seed, bounds);
}

std::vector<runtime::HostTensor>
randomInputs(const Schedule &schedule, uint64_t seed,
             const std::map<uint32_t, int64_t> &bounds) {
  std::mt19937_64 random(seed);
  std::vector<runtime::HostTensor> inputs;
  for (const Interface &input : schedule.inputs) {
    auto tensor =
        valueOf(runtime::HostTensor::allocate(input.dtype, input.shape));
    auto bound = bounds.find(input.value);
    fillElements(input.dtype, {tensor.data(), tensor.bytes()}, random,
                 bound == bounds.end() ? 0 : bound->second);
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

} // namespace tilewright::test
