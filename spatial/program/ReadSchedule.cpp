#include "spatial/program/InstructionText.h"
#include "spatial/program/Manifest.h"
#include "spatial/program/Sha256.h"
#include "support/Format.h"
#include "tilewright/runtime/MappedFile.h"
#include <cstring>

namespace tilewright::spatial {

namespace fs = std::filesystem;
using runtime::SafetensorsEntry;
using runtime::SafetensorsFile;

/// The tensor `name`, which must have this type and shape.
static StatusOr<const SafetensorsEntry *>
findTensor(const SafetensorsFile &file, std::string_view name,
           std::string_view dtype, const runtime::Shape &shape) {
  const SafetensorsEntry *entry = file.find(name);
  const std::string path = file.mapping()->path().string();
  if (!entry)
    return Status::invalidInput(
        format("{}: expected a tensor '{}', found none", {path, name}));
  if (entry->dtype != dtype || entry->shape != shape)
    return Status::invalidInput(
        format("{}: '{}': expected {} {}, found {} {}",
               {path, name, dtype, runtime::printShape(shape), entry->dtype,
                runtime::printShape(entry->shape)}));
  return entry;
}

static Status readWeights(const fs::path &folder, const std::string &hash,
                          Schedule &schedule) {
  if (schedule.constants.empty())
    return {};
  TILEWRIGHT_ASSIGN_OR_RETURN(SafetensorsFile file,
                              SafetensorsFile::open(folder / weightsFile));
  std::string found = "sha256:" + sha256(file.mapping()->bytes());
  if (found != hash)
    return Status::invalidInput(
        format("{}: the manifest expects {}, found {}",
               {(folder / weightsFile).string(),
                hash.empty() ? "a key 'hash'" : hash.substr(0, 80), found}));
  const Machine &machine = schedule.machine;
  for (uint32_t constant : schedule.constants) {
    const Value &value = schedule.values[constant];
    TILEWRIGHT_ASSIGN_OR_RETURN(
        const SafetensorsEntry *entry,
        findTensor(file, value.name, "U8",
                   {value.vectors, machine.planesOf(value.dtype),
                    machine.rowBytes()}));
    schedule.constantBytes.push_back(entry->data);
  }
  schedule.storage = file.mapping();
  return {};
}

static Status readLayouts(const fs::path &folder, Schedule &schedule) {
  if (schedule.inputs.empty() && schedule.outputs.empty())
    return {};
  TILEWRIGHT_ASSIGN_OR_RETURN(SafetensorsFile file,
                              SafetensorsFile::open(folder / layoutsFile));
  for (auto *list : {&schedule.inputs, &schedule.outputs})
    for (Interface &interface : *list) {
      const Value &value = schedule.values[interface.value];
      TILEWRIGHT_ASSIGN_OR_RETURN(
          const SafetensorsEntry *entry,
          findTensor(file, interface.name, "I32",
                     {value.vectors, schedule.machine.lanes}));
      interface.layout.resize(entry->data.size() / sizeof(int32_t));
      if (!entry->data.empty())
        std::memcpy(interface.layout.data(), entry->data.data(),
                    entry->data.size());
    }
  return {};
}

static Status readInstructions(const fs::path &folder, Schedule &schedule) {
  int64_t issued = 0;
  for (int64_t chip = 0; chip < schedule.chips; ++chip) {
    schedule.files.push_back(format("chip-{}.txt", {chip}));
    fs::path path = folder / schedule.files.back();
    TILEWRIGHT_ASSIGN_OR_RETURN(std::string text, runtime::readFile(path));
    TILEWRIGHT_ASSIGN_OR_RETURN(
        std::vector<Instruction> instructions,
        parseInstructions(schedule, text, path.string()));
    for (const Instruction &instruction : instructions)
      issued += instruction.count;
    if (issued > mostInstructions)
      return Status::invalidInput(
          format("{}: expected at most 2^31 instructions in all chips, "
                 "repetitions counted",
                 {path.string()}));
    schedule.instructions.push_back(std::move(instructions));
  }
  return {};
}

StatusOr<Schedule> readSchedule(const fs::path &folder) {
  fs::path path = folder / manifestFile;
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string text, runtime::readFile(path));
  TILEWRIGHT_ASSIGN_OR_RETURN(Manifest manifest,
                              parseManifest(text, path.string()));
  Schedule &schedule = manifest.schedule;
  TILEWRIGHT_RETURN_IF_ERROR(readLayouts(folder, schedule));
  if (Status status = checkPlacements(schedule); !status.ok())
    return status.prefixed(path.string());
  TILEWRIGHT_RETURN_IF_ERROR(readWeights(folder, manifest.hash, schedule));
  TILEWRIGHT_RETURN_IF_ERROR(readInstructions(folder, schedule));
  return std::move(schedule);
}

bool isSchedule(const fs::path &path) {
  fs::path named = path.has_filename() ? path : path.parent_path(); // "X.tws/"
  if (named.extension() == ".tws")
    return true;
  std::error_code error;
  if (!fs::is_directory(path, error))
    return false;
  StatusOr<std::string> text = runtime::readFile(path / manifestFile);
  if (!text.ok() || text->find(scheduleFormat) == std::string::npos)
    return false;
  StatusOr<runtime::Json> json = runtime::parseJson(*text);
  return json.ok() && json->is_object() && json->contains("format") &&
         (*json)["format"] == scheduleFormat;
}

} // namespace tilewright::spatial
