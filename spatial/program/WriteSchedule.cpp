#include "runtime/core/PackageWriter.h"
#include "spatial/program/InstructionText.h"
#include "spatial/program/Manifest.h"
#include "spatial/program/Sha256.h"
#include "support/Format.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <tuple>

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

namespace {
struct Close {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;
} // namespace

static Status fileError(std::string_view verb, const fs::path &path) {
  return Status::ioError(format("cannot {} '{}': {}",
                                {verb, path.string(), std::strerror(errno)}));
}

/// The hash of a file, a block at a time: if it was mapped, all its pages would
/// count as memory.
static StatusOr<std::string> hashOf(const fs::path &path) {
  File file(std::fopen(path.c_str(), "rb"));
  std::vector<std::byte> block(size_t(1) << 20);
  Sha256 hash;
  for (size_t count = block.size(); file && count == block.size();) {
    count = std::fread(block.data(), 1, block.size(), file.get());
    hash.add(std::span(block).first(count));
  }
  if (!file || std::ferror(file.get()))
    return fileError("read", path);
  return hash.finish();
}

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
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string hash, hashOf(path));
  return "sha256:" + hash;
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

std::vector<uint32_t> lineOrder(std::span<const Instruction> instructions) {
  std::map<Queue, uint32_t> ranks;
  for (const Instruction &instruction : instructions)
    ranks[instruction.queue] = 0;
  std::vector<std::pair<std::string, Queue>> texts;
  for (const auto &[queue, rank] : ranks)
    texts.emplace_back(printQueue(queue), queue);
  std::ranges::sort(texts);
  for (size_t i = 0; i < texts.size(); ++i)
    ranks[texts[i].second] = static_cast<uint32_t>(i);
  std::vector<std::tuple<int64_t, uint32_t, uint32_t>> keys;
  keys.reserve(instructions.size());
  for (const Instruction &instruction : instructions)
    keys.emplace_back(instruction.cycle, ranks.at(instruction.queue),
                      static_cast<uint32_t>(keys.size()));
  std::ranges::sort(keys);
  std::vector<uint32_t> order;
  order.reserve(keys.size());
  for (const auto &[cycle, queue, number] : keys)
    order.push_back(number);
  return order;
}

/// The lines of a chip, piece by piece: the text of all of them is long.
static Status writeChip(const Schedule &schedule,
                        const std::vector<Instruction> &instructions,
                        const fs::path &path) {
  constexpr size_t piece = size_t(1) << 20;
  File file(std::fopen(path.c_str(), "wb"));
  if (!file)
    return fileError("create", path);
  std::string text;
  auto flush = [&] {
    const bool isDone =
        std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
    text.clear();
    return isDone;
  };
  for (uint32_t number : lineOrder(instructions)) {
    appendInstruction(schedule, instructions[number], text);
    text += '\n';
    if (text.size() >= piece && !flush())
      return fileError("write", path);
  }
  if (!flush() || std::fclose(file.release()) != 0)
    return fileError("write", path);
  return {};
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
        writeChip(schedule, schedule.instructions[chip],
                  writer.directory() / format("chip-{}.txt", {chip})));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string manifest,
                              printManifest(schedule, hash));
  TILEWRIGHT_RETURN_IF_ERROR(writer.addFile(manifestFile, manifest));
  return writer.commit();
}

} // namespace tilewright::spatial
