#include "ScheduleBuilder.h"

#include "spatial/program/InstructionText.h"
#include "tilewright/runtime/HalfFloats.h"
#include <catch2/catch.hpp>
#include <cstring>
#include <sstream>

namespace tilewright::test {

using namespace spatial;

constexpr const char *machineText = R"({
 "format": "tilewright-machine", "version": 1, "name": "small", "class": "static",
 "clock_hz": 1e9, "lanes": 4, "stream_bytes": 4, "streams": {"east": 8, "west": 8},
 "units": [{"kind": "mxm"}, {"kind": "sxm"}, {"kind": "mem", "count": 2},
           {"kind": "vxm"}, {"kind": "c2c", "links": 2}],
 "mem": {"banks": 2, "rows": 64, "read_delay": 2, "write_delay": 1, "indexed_delay": 3},
 "mxm": {"planes": 2, "rows": 4, "columns": 3, "buffers": 2, "load_streams": 4,
         "delay": 3, "accumulators": 8,
         "types": {"f32": 1, "f16": 2, "bf16": 2, "i8": 1}},
 "vxm": {"alus": 4, "default_delay": 1, "delays": {"divide": 3}},
 "sxm": {"ports": 2, "delay": 1, "transpose": 2},
 "link": {"vector_cycles": 3, "latency": 4, "guard": 1},
 "chips": 2, "topology": {"kind": "ring"}})";

Machine
smallMachine(const std::vector<std::pair<std::string, std::string>> &edit) {
  std::string text = machineText;
  for (const auto &[from, to] : edit) {
    size_t found = text.find(from);
    REQUIRE(found != std::string::npos);
    text.replace(found, from.size(), to);
  }
  auto machine = parseMachine(text, "small.json");
  INFO(machine.status().message());
  REQUIRE(machine);
  return *machine;
}

ScheduleBuilder::ScheduleBuilder(Machine machine, int64_t chips) {
  schedule.machine = std::move(machine);
  schedule.chips = chips;
  schedule.instructions.resize(static_cast<size_t>(chips));
  for (int64_t chip = 0; chip < chips; ++chip)
    schedule.files.push_back("chip-" + std::to_string(chip) + ".txt");
}

ScheduleBuilder &ScheduleBuilder::value(const std::string &name, DType type,
                                        int64_t vectors) {
  schedule.values.push_back({name, type, vectors});
  return *this;
}

void ScheduleBuilder::place(const std::string &name, const std::string &bank,
                            int64_t row, int64_t chip) {
  auto index = static_cast<uint32_t>(schedule.values.size() - 1);
  const Value &value = schedule.values.back();
  REQUIRE(value.name == name);
  std::vector<Queue> banks;
  std::istringstream names(bank);
  for (std::string text; std::getline(names, text, ',');) {
    auto queue = parseQueue(text);
    REQUIRE(queue);
    banks.push_back(*queue);
  }
  auto count = static_cast<int64_t>(banks.size());
  for (int64_t plane = 0; plane < schedule.machine.planesOf(value.dtype);
       ++plane)
    schedule.placements.push_back({index, 0, value.vectors, 1, plane, chip,
                                   banks[static_cast<size_t>(plane % count)],
                                   row + plane / count * value.vectors, 1});
}

static Interface interfaceOf(const Schedule &schedule) {
  const Value &value = schedule.values.back();
  Interface interface;
  interface.name = value.name;
  interface.dtype = value.dtype;
  interface.shape = {value.vectors, schedule.machine.lanes};
  interface.value = static_cast<uint32_t>(schedule.values.size() - 1);
  for (int32_t i = 0; i < value.vectors * schedule.machine.lanes; ++i)
    interface.layout.push_back(i);
  return interface;
}

ScheduleBuilder &ScheduleBuilder::input(const std::string &name, DType type,
                                        int64_t vectors,
                                        const std::string &bank, int64_t row,
                                        int64_t chip) {
  value(name, type, vectors).place(name, bank, row, chip);
  schedule.inputs.push_back(interfaceOf(schedule));
  return *this;
}

ScheduleBuilder &ScheduleBuilder::output(const std::string &name, DType type,
                                         int64_t vectors,
                                         const std::string &bank, int64_t row,
                                         int64_t chip) {
  value(name, type, vectors).place(name, bank, row, chip);
  schedule.outputs.push_back(interfaceOf(schedule));
  return *this;
}

ScheduleBuilder &ScheduleBuilder::constant(const std::string &name, DType type,
                                           const std::vector<double> &elements,
                                           const std::string &bank, int64_t row,
                                           int64_t chip) {
  const Machine &machine = schedule.machine;
  auto lanes = static_cast<size_t>(machine.lanes);
  auto stream = static_cast<size_t>(machine.streamBytes);
  auto planes = static_cast<size_t>(machine.planesOf(type));
  size_t vectors = elements.size() / lanes;
  value(name, type, static_cast<int64_t>(vectors)).place(name, bank, row, chip);
  runtime::HostTensor dense =
      tensorOf(type, {static_cast<int64_t>(elements.size())}, elements);
  size_t width = runtime::dtypeBytes(type);
  std::vector<std::byte> &rows =
      bytes->emplace_back(vectors * planes * lanes * stream);
  for (size_t i = 0; i < elements.size(); ++i)
    for (size_t b = 0; b < width; ++b)
      rows[((i / lanes * planes + b / stream) * lanes + i % lanes) * stream +
           b % stream] = dense.data()[i * width + b];
  schedule.constants.push_back(
      static_cast<uint32_t>(schedule.values.size() - 1));
  schedule.constantBytes.push_back(rows);
  return *this;
}

ScheduleBuilder &ScheduleBuilder::map(const std::string &name,
                                      std::vector<int32_t> lanes) {
  schedule.maps.push_back({name, std::move(lanes)});
  return *this;
}

ScheduleBuilder &ScheduleBuilder::lines(const std::string &text, int64_t chip) {
  auto index = static_cast<size_t>(chip);
  auto parsed = parseInstructions(schedule, text, schedule.files[index]);
  INFO(parsed.status().message());
  REQUIRE(parsed);
  auto &all = schedule.instructions[index];
  all.insert(all.end(), parsed->begin(), parsed->end());
  return *this;
}

ScheduleBuilder &ScheduleBuilder::cycles(int64_t count) {
  schedule.cycles = count;
  if (schedule.interval == 0)
    schedule.interval = count;
  return *this;
}

ScheduleBuilder &ScheduleBuilder::interval(int64_t count) {
  schedule.interval = count;
  return *this;
}

ScheduleBuilder::Run
ScheduleBuilder::run(const std::vector<std::vector<double>> &inputs,
                     size_t mostFindings) {
  std::vector<runtime::HostTensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i)
    tensors.push_back(tensorOf(schedule.inputs[i].dtype,
                               schedule.inputs[i].shape, inputs[i]));
  std::vector<runtime::TensorView> views(tensors.begin(), tensors.end());
  auto result = simulate(schedule, views, {mostFindings});
  INFO(result.status().message());
  REQUIRE(result);
  Run run;
  run.findings = result->findings;
  run.cycles = result->cycles;
  run.first = firstOf(result->findings);
  for (const runtime::HostTensor &output : result->outputs)
    run.outputs.push_back(elementsOf(output));
  return run;
}

runtime::HostTensor tensorOf(DType type, runtime::Shape shape,
                             const std::vector<double> &elements) {
  auto tensor = runtime::HostTensor::allocate(type, std::move(shape));
  REQUIRE(tensor);
  REQUIRE(tensor->size() == elements.size());
  auto fill = [&](auto element) {
    auto out = tensor->as<decltype(element)>();
    for (size_t i = 0; i < elements.size(); ++i)
      out[i] = static_cast<decltype(element)>(elements[i]);
  };
  switch (type) {
  case DType::F32:
    fill(0.0F);
    break;
  case DType::F16:
    fill(Float16());
    break;
  case DType::BF16:
    fill(BFloat16());
    break;
  case DType::I64:
    fill(int64_t());
    break;
  case DType::I32:
    fill(int32_t());
    break;
  case DType::I8:
    fill(int8_t());
    break;
  default: // u8, i1
    fill(uint8_t());
  }
  return *tensor;
}

std::vector<double> elementsOf(const runtime::TensorView &tensor) {
  std::vector<double> elements;
  auto read = [&](auto element) {
    for (size_t i = 0; i < tensor.data.size(); i += sizeof element) {
      std::memcpy(&element, tensor.data.data() + i, sizeof element);
      elements.push_back(static_cast<double>(element));
    }
  };
  switch (tensor.dtype) {
  case DType::F32:
    read(0.0F);
    break;
  case DType::F16:
    read(Float16());
    break;
  case DType::BF16:
    read(BFloat16());
    break;
  case DType::I64:
    read(int64_t());
    break;
  case DType::I32:
    read(int32_t());
    break;
  case DType::I8:
    read(int8_t());
    break;
  default:
    read(uint8_t());
  }
  return elements;
}

std::string firstOf(const std::vector<Finding> &findings) {
  if (findings.empty())
    return "";
  return std::string(findingName(findings[0].code)) + " " +
         std::to_string(findings[0].cycle);
}

} // namespace tilewright::test
