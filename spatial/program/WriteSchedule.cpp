#include "runtime/core/PackageWriter.h"
#include "spatial/program/InstructionText.h"
#include "spatial/program/Manifest.h"
#include "spatial/program/Sha256.h"
#include "support/Format.h"
#include "tilewright/runtime/MappedFile.h"
#include <algorithm>
#include <map>
#include <numeric>

namespace tilewright::spatial {

namespace fs = std::filesystem;
using runtime::Json;
using runtime::PackageWriter;
using runtime::SafetensorsDeclaration;
using runtime::SafetensorsWriter;

//===----------------------------------------------------------------------===//
// The manifest
//===----------------------------------------------------------------------===//

static Json interfacesJson(const Schedule &schedule,
                           const std::vector<Interface> &interfaces) {
  Json list = Json::array();
  for (const Interface &interface : interfaces)
    list.push_back({{"name", interface.name},
                    {"dtype", runtime::dtypeName(interface.dtype)},
                    {"shape", interface.shape},
                    {"value", schedule.values[interface.value].name}});
  return list;
}

static Json placementJson(const Schedule &schedule, const Placement &place) {
  Json entry = {{"value", schedule.values[place.value].name},
                {"vector", place.vector},
                {"count", place.count}};
  if (place.step != 1)
    entry["step"] = place.step;
  entry["plane"] = place.plane;
  entry["chip"] = place.chip;
  entry["bank"] = printQueue(place.bank);
  entry["row"] = place.row;
  if (place.stride != 1)
    entry["stride"] = place.stride;
  return entry;
}

StatusOr<std::string> printManifest(const Schedule &schedule,
                                    const std::string &hash) {
  Json json = {{"format", scheduleFormat}, {"version", 1}};
  TILEWRIGHT_ASSIGN_OR_RETURN(
      json["machine"],
      runtime::parseJson(schedule.machine.text, schedule.machine.name));
  json["chips"] = schedule.chips;
  json["cycles"] = schedule.cycles;
  json["interval"] = schedule.interval;
  Json values = Json::object(), maps = Json::object();
  Json constants = Json::array(), places = Json::array();
  for (const Value &value : schedule.values) {
    Json entry = {{"dtype", valueTypeName(value.dtype)},
                  {"vectors", value.vectors}};
    if (!value.node.empty())
      entry["node"] = value.node;
    values.push_back({value.name, std::move(entry)});
  }
  for (const LaneMap &map : schedule.maps)
    maps.push_back({map.name, map.lanes});
  for (uint32_t constant : schedule.constants)
    constants.push_back(schedule.values[constant].name);
  for (const Placement &place : schedule.placements)
    places.push_back(placementJson(schedule, place));
  json["values"] = std::move(values);
  json["inputs"] = interfacesJson(schedule, schedule.inputs);
  json["outputs"] = interfacesJson(schedule, schedule.outputs);
  json["constants"] = std::move(constants);
  json["places"] = std::move(places);
  json["maps"] = std::move(maps);
  json["hash"] = hash;
  return runtime::printJson(json);
}

//===----------------------------------------------------------------------===//
// The other files
//===----------------------------------------------------------------------===//

/// Writes the constants and returns their hash, "sha256:..".
static StatusOr<std::string> writeWeights(const Schedule &schedule,
                                          const fs::path &path) {
  const Machine &machine = schedule.machine;
  std::vector<SafetensorsDeclaration> tensors;
  for (uint32_t constant : schedule.constants) {
    const Value &value = schedule.values[constant];
    tensors.push_back(
        {value.name,
         DType::U8,
         {value.vectors, machine.planesOf(value.dtype), machine.rowBytes()}});
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(SafetensorsWriter writer,
                              SafetensorsWriter::create(path, tensors));
  for (const ConstantBytes &bytes : schedule.constantBytes)
    TILEWRIGHT_RETURN_IF_ERROR(writer.append(bytes));
  TILEWRIGHT_RETURN_IF_ERROR(writer.finish());
  TILEWRIGHT_ASSIGN_OR_RETURN(auto written, runtime::MappedFile::open(path));
  return "sha256:" + sha256(written->bytes());
}

static Status writeLayouts(const Schedule &schedule, const fs::path &path) {
  // An output that is an input has one layout.
  std::map<std::string_view, const Interface *> named;
  std::vector<SafetensorsDeclaration> tensors;
  std::vector<const Interface *> order;
  for (const auto *list : {&schedule.inputs, &schedule.outputs})
    for (const Interface &interface : *list) {
      auto [found, isNew] = named.emplace(interface.name, &interface);
      if (!isNew && found->second->layout != interface.layout)
        return Status::invalidInput(
            format("'{}' is an input and an output with two layouts",
                   {interface.name}));
      if (!isNew)
        continue;
      order.push_back(&interface);
      tensors.push_back(
          {interface.name,
           DType::I32,
           {schedule.values[interface.value].vectors, schedule.machine.lanes}});
    }
  TILEWRIGHT_ASSIGN_OR_RETURN(SafetensorsWriter writer,
                              SafetensorsWriter::create(path, tensors));
  for (const Interface *interface : order)
    TILEWRIGHT_RETURN_IF_ERROR(
        writer.append(std::as_bytes(std::span(interface->layout))));
  return writer.finish();
}

/// The lines of a chip, by cycle, then by queue as text.
static std::string printChip(const Schedule &schedule,
                             const std::vector<Instruction> &instructions) {
  std::map<Queue, std::string> queues;
  for (const Instruction &instruction : instructions)
    if (std::string &text = queues[instruction.queue]; text.empty())
      text = printQueue(instruction.queue);
  std::vector<std::pair<const Instruction *, const std::string *>> order;
  order.reserve(instructions.size());
  for (const Instruction &instruction : instructions)
    order.emplace_back(&instruction, &queues[instruction.queue]);
  std::ranges::stable_sort(order, [](const auto &a, const auto &b) {
    return a.first->cycle != b.first->cycle ? a.first->cycle < b.first->cycle
                                            : *a.second < *b.second;
  });
  std::string text;
  for (const auto &[instruction, queue] : order) {
    appendInstruction(schedule, *instruction, text);
    text += '\n';
  }
  return text;
}

Status writeSchedule(const Schedule &schedule, const fs::path &folder) {
  TILEWRIGHT_ASSIGN_OR_RETURN(PackageWriter writer,
                              PackageWriter::create(folder, scheduleFormat));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      std::string hash,
      writeWeights(schedule, writer.directory() / weightsFile));
  TILEWRIGHT_RETURN_IF_ERROR(
      writeLayouts(schedule, writer.directory() / layoutsFile));
  for (size_t chip = 0; chip < schedule.instructions.size(); ++chip)
    TILEWRIGHT_RETURN_IF_ERROR(
        writer.addFile(format("chip-{}.txt", {chip}),
                       printChip(schedule, schedule.instructions[chip])));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string manifest,
                              printManifest(schedule, hash));
  TILEWRIGHT_RETURN_IF_ERROR(writer.addFile(manifestFile, manifest));
  return writer.commit();
}

} // namespace tilewright::spatial
