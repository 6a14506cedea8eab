#include "spatial/machine/MachineJson.h"
#include "support/Format.h"
#include "tilewright/runtime/MappedFile.h"
#include <cmath>

namespace tilewright::spatial {

using runtime::Json;
using runtime::JsonCursor;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The number itself, of a bare one or of one with a grade.
static JsonCursor bare(const JsonCursor &json) {
  if (!json.has("v"))
    return json;
  json.allowOnly({"v", "grade", "source"});
  return json.at("v");
}

void NumberReader::note(const JsonCursor &json, std::string path,
                        double value) {
  GradedNumber number{std::move(path), value, Grade::assumed, {}};
  if (json.has("grade")) {
    std::optional<Grade> grade = gradeFromName(json.at("grade").string());
    if (!grade)
      json.at("grade").expected(
          "a grade (public, second, measured, derived, assumed)");
    number.grade = grade.value_or(Grade::assumed);
  }
  if (json.has("source"))
    number.source = json.at("source").string();
  machine.numbers.push_back(std::move(number));
}

int64_t NumberReader::integer(const JsonCursor &json, std::string path,
                              int64_t least, int64_t most) {
  int64_t value = bare(json).integer(least, most);
  note(json, std::move(path), static_cast<double>(value));
  return value;
}

int64_t NumberReader::member(const JsonCursor &json, std::string_view group,
                             std::string_view key, int64_t least,
                             int64_t most) {
  std::string path(group);
  if (!path.empty())
    path += '.';
  path += key;
  return integer(json.at(key), std::move(path), least, most);
}

double NumberReader::positive(const JsonCursor &json, std::string path) {
  JsonCursor number = bare(json);
  double value = number.real();
  if (!(value > 0) || !std::isfinite(value))
    number.expected("a positive number");
  note(json, std::move(path), value);
  return value;
}

int64_t NumberReader::unnoted(const JsonCursor &json, int64_t most) {
  return bare(json).integer(0, most);
}

//===----------------------------------------------------------------------===//
// Sections of the file
//===----------------------------------------------------------------------===//

/// Positions of a chip.
static constexpr size_t mostUnits = 65536;

static void readUnits(const JsonCursor &json, Machine &machine,
                      NumberReader &numbers) {
  std::vector<JsonCursor> entries = json.elements();
  int64_t links = 0;
  for (size_t i = 0; i < entries.size() && !json.failed(); ++i) {
    const JsonCursor &entry = entries[i];
    std::string path = format("units[{}]", {i});
    entry.allowOnly({"kind", "count", "links"});
    std::optional<UnitKind> kind = unitFromName(entry.at("kind").string());
    if (!kind) {
      entry.at("kind").expected("a unit (mem, mxm, vxm, sxm, c2c)");
      return;
    }
    Unit unit{*kind, 0, 0};
    if (*kind == UnitKind::c2c)
      unit.links =
          numbers.member(entry, path, "links", 1, NumberReader::mostCount);
    else if (entry.has("links"))
      entry.at("links").fail(
          format("a unit of kind {} has no links", {unitName(*kind)}));
    int64_t count = entry.has("count")
                        ? numbers.member(entry, path, "count", 1,
                                         static_cast<int64_t>(mostUnits))
                        : 1;
    if (machine.units.size() + static_cast<size_t>(count) > mostUnits)
      entry.fail(format("expected at most {} units", {mostUnits}));
    for (int64_t k = 0; k < count && !json.failed(); ++k) {
      unit.firstLink = links;
      links += unit.links;
      machine.units.push_back(unit);
    }
  }
  if (machine.units.empty())
    json.expected("units");
}

static void readMem(const JsonCursor &json, Machine::Mem &mem,
                    NumberReader &numbers) {
  json.allowOnly(
      {"banks", "rows", "read_delay", "write_delay", "indexed_delay"});
  mem.banks = numbers.member(json, "mem", "banks", 1, NumberReader::mostCount);
  mem.rows = numbers.member(json, "mem", "rows");
  mem.readDelay = numbers.member(json, "mem", "read_delay");
  mem.writeDelay = numbers.member(json, "mem", "write_delay");
  mem.indexedDelay = numbers.member(json, "mem", "indexed_delay");
}

/// The types that a plane may multiply.
static bool isMxmType(std::optional<DType> type) {
  return type == DType::I8 || type == DType::F16 || type == DType::BF16 ||
         type == DType::F32;
}

static void readMxm(const JsonCursor &json, Machine &machine,
                    NumberReader &numbers) {
  json.allowOnly({"planes", "rows", "columns", "buffers", "load_streams",
                  "delay", "accumulators", "types"});
  Machine::Mxm &mxm = machine.mxm;
  auto count = [&](std::string_view key) {
    return numbers.member(json, "mxm", key, 1, NumberReader::mostCount);
  };
  mxm.planes = count("planes");
  mxm.rows = count("rows");
  mxm.columns = count("columns");
  mxm.buffers = count("buffers");
  mxm.loadStreams = count("load_streams");
  mxm.delay = numbers.member(json, "mxm", "delay");
  mxm.accumulators = numbers.member(json, "mxm", "accumulators");
  for (const auto &[name, passes] : json.at("types").members()) {
    std::optional<DType> type = valueTypeFromName(name);
    if (!isMxmType(type))
      return json.at("types").fail(format(
          "unknown type '{}'; the types are i8, f16, bf16, f32", {name}));
    mxm.passes[*type] = numbers.integer(passes, "mxm.types." + name);
  }
}

static void readVxm(const JsonCursor &json, Machine::Vxm &vxm,
                    NumberReader &numbers) {
  json.allowOnly({"alus", "default_delay", "delays"});
  vxm.alus = numbers.member(json, "vxm", "alus", 1, NumberReader::mostCount);
  vxm.defaultDelay = numbers.member(json, "vxm", "default_delay");
  for (const auto &[name, delay] : json.at("delays").members()) {
    std::optional<DelayClass> named = delayFromName(name);
    if (!named)
      return json.at("delays").fail(
          format("unknown operation '{}'; docs/spatial.md lists them", {name}));
    vxm.delays[*named] = numbers.integer(delay, "vxm.delays." + name);
  }
}

static void readSxm(const JsonCursor &json, Machine &machine,
                    NumberReader &numbers) {
  json.allowOnly({"ports", "delay", "transpose"});
  Machine::Sxm sxm;
  sxm.ports = numbers.member(json, "sxm", "ports", 1, NumberReader::mostCount);
  sxm.delay = numbers.member(json, "sxm", "delay");
  sxm.transpose =
      numbers.member(json, "sxm", "transpose", 1, NumberReader::mostCount);
  if (!json.failed() && machine.lanes % sxm.transpose != 0)
    json.at("transpose")
        .fail(format("expected a divisor of lanes, {}, found {}",
                     {machine.lanes, sxm.transpose}));
  machine.sxm = sxm;
}

static void readLink(const JsonCursor &json, Machine &machine,
                     NumberReader &numbers) {
  json.allowOnly({"vector_cycles", "latency", "guard"});
  Machine::Link link;
  link.vectorCycles = numbers.member(json, "link", "vector_cycles");
  link.latency = numbers.member(json, "link", "latency", 0);
  link.guard = numbers.member(json, "link", "guard", 0);
  machine.link = link;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static void readHeader(const JsonCursor &json, Machine &machine,
                       NumberReader &numbers) {
  json.allowOnly({"format", "version", "name", "class", "clock_hz", "lanes",
                  "stream_bytes", "streams", "units", "mem", "mxm", "vxm",
                  "sxm", "link", "chips", "topology"});
  if (json.at("format").string() != "tilewright-machine")
    json.at("format").expected("\"tilewright-machine\"");
  if (json.at("version").integer() != 1)
    json.at("version").expected("1");
  machine.name = json.at("name").string();
  if (json.at("class").string() != "static")
    json.at("class").expected("\"static\"");
  machine.clockHz = numbers.positive(json.at("clock_hz"), "clock_hz");
  machine.lanes = numbers.member(json, "", "lanes", 1, NumberReader::mostCount);
  machine.streamBytes = numbers.member(json, "", "stream_bytes", 1, 4);
  if (machine.streamBytes == 3)
    json.at("stream_bytes").expected("1, 2 or 4");
  JsonCursor streams = json.at("streams");
  streams.allowOnly({"east", "west"});
  // An f32 must find streams in each direction (M2).
  int64_t least = json.failed() ? 1 : machine.planesOf(DType::F32);
  for (std::string_view direction : {"east", "west"})
    machine.streams[direction == "west"] = numbers.member(
        streams, "streams", direction, least, NumberReader::mostCount);
}

/// Relations between sections.
static void checkMxm(const JsonCursor &json, const Machine &machine) {
  auto atMostLanes = [&](std::string_view key, int64_t found) {
    if (found > machine.lanes)
      json.at(key).fail(format("expected at most lanes, {}, found {}",
                               {machine.lanes, found}));
  };
  atMostLanes("rows", machine.mxm.rows);
  atMostLanes("columns", machine.mxm.columns);
  for (const auto &[type, passes] : machine.mxm.passes)
    if (machine.planesOf(type) > machine.mxm.loadStreams)
      json.at("load_streams")
          .fail(format("expected at least the {} planes of {}, found {}",
                       {machine.planesOf(type), valueTypeName(type),
                        machine.mxm.loadStreams}));
}

static void readSections(const JsonCursor &json, Machine &machine) {
  NumberReader numbers(machine);
  readHeader(json, machine, numbers);
  readUnits(json.at("units"), machine, numbers);
  readMem(json.at("mem"), machine.mem, numbers);
  readMxm(json.at("mxm"), machine, numbers);
  readVxm(json.at("vxm"), machine.vxm, numbers);
  if (json.has("sxm") || !machine.positionsOf(UnitKind::sxm).empty())
    readSxm(json.at("sxm"), machine, numbers);
  if (json.has("link") || !machine.positionsOf(UnitKind::c2c).empty())
    readLink(json.at("link"), machine, numbers);
  machine.chips = numbers.member(json, "", "chips", 1, NumberReader::mostCount);
  if (json.failed())
    return;
  checkMxm(json.at("mxm"), machine);
  if (json.has("topology") || machine.chips > 1)
    readTopology(json.at("topology"), machine, numbers);
}

StatusOr<Machine> parseMachine(std::string_view text, std::string_view name) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Json json, runtime::parseJson(text, name));
  Machine machine;
  Status error;
  readSections(JsonCursor(json, "", error), machine);
  if (!error.ok())
    return error.prefixed(name);
  machine.text = text;
  return machine;
}

StatusOr<Machine> readMachine(const std::filesystem::path &file) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string text, runtime::readFile(file));
  return parseMachine(text, file.string());
}

} // namespace tilewright::spatial
