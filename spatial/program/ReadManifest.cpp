#include "spatial/program/InstructionText.h"
#include "spatial/program/Manifest.h"
#include "support/Format.h"
#include <algorithm>
#include <limits>
#include <set>

namespace tilewright::spatial {

using runtime::Json;
using runtime::JsonCursor;

bool isVectorName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || c == '_';
  });
}

namespace {
/// Reads the sections of a manifest into a schedule. The first error stays.
class ManifestReader {
public:
  ManifestReader(const Json &json, Schedule &schedule)
      : json(json), root(json, "", error), schedule(schedule) {}

  Status read(std::string &hash);

private:
  void machine();
  /// The members of an object in the order of the text.
  std::vector<std::pair<std::string, JsonCursor>> members(std::string_view key);
  void values();
  void maps();
  uint32_t value(const JsonCursor &name);
  void interfaces(std::string_view key, std::vector<Interface> &list);
  Interface interface(const JsonCursor &entry);
  void constants();
  void placements();
  Placement placement(const JsonCursor &entry);
  void roles();

  const Json &json;
  Status error;
  JsonCursor root;
  Schedule &schedule;
  std::unordered_map<std::string, uint32_t> indices;
};
} // namespace

void ManifestReader::machine() {
  if (root.at("machine").failed()) // It is missing.
    return;
  StatusOr<Machine> read =
      parseMachine(runtime::printJson(json["machine"]), "machine");
  if (read.ok())
    schedule.machine = *std::move(read);
  else
    root.fail(read.status().message());
}

std::vector<std::pair<std::string, JsonCursor>>
ManifestReader::members(std::string_view key) {
  std::vector<std::pair<std::string, JsonCursor>> list;
  JsonCursor object = root.at(key);
  if (root.failed())
    return list;
  const Json &found = json[key];
  if (!found.is_object())
    object.expected("an object");
  else
    for (auto item = found.begin(); item != found.end(); ++item)
      list.emplace_back(item.key(), object.at(item.key()));
  return list;
}

void ManifestReader::values() {
  for (const auto &[name, entry] : members("values")) {
    if (!isVectorName(name))
      return entry.fail("expected a name of letters, digits and underscores");
    Value value;
    value.name = name;
    std::optional<DType> dtype = valueTypeFromName(entry.at("dtype").string());
    if (!dtype)
      entry.at("dtype").expected("i1, i8, u8, i32, f16, bf16 or f32");
    value.dtype = dtype.value_or(DType::F32);
    value.vectors =
        entry.at("vectors").integer(1, std::numeric_limits<int32_t>::max());
    if (entry.has("node"))
      value.node = entry.at("node").string();
    if (entry.failed())
      return;
    indices.emplace(name, static_cast<uint32_t>(schedule.values.size()));
    schedule.values.push_back(std::move(value));
  }
}

void ManifestReader::maps() {
  const int64_t lanes = schedule.machine.lanes;
  for (const auto &[name, entry] : members("maps")) {
    if (!isVectorName(name))
      return entry.fail("expected a name of letters, digits and underscores");
    LaneMap map{name, {}};
    for (const JsonCursor &lane : entry.elements())
      map.lanes.push_back(
          static_cast<int32_t>(lane.integer(-1, 2 * lanes - 1)));
    if (static_cast<int64_t>(map.lanes.size()) != lanes)
      entry.expected(counted(lanes, "lane"));
    if (entry.failed())
      return;
    schedule.maps.push_back(std::move(map));
  }
}

uint32_t ManifestReader::value(const JsonCursor &name) {
  auto found = indices.find(name.string());
  if (found != indices.end())
    return found->second;
  name.expected("the name of a value");
  return 0;
}

/// Types of models that a value of a schedule can hold.
static std::optional<DType> interfaceType(std::string_view name) {
  if (std::optional<DType> type = valueTypeFromName(name))
    return type;
  if (name == runtime::dtypeName(DType::Bool))
    return DType::Bool;
  if (name == runtime::dtypeName(DType::I64))
    return DType::I64;
  return std::nullopt;
}

Interface ManifestReader::interface(const JsonCursor &entry) {
  Interface result;
  result.name = entry.at("name").string();
  std::string dtype = entry.at("dtype").string();
  if (std::optional<DType> type = interfaceType(dtype))
    result.dtype = *type;
  else
    entry.at("dtype").expected("bool, i8, u8, i32, i64, f16, bf16 or f32");
  constexpr int64_t mostElements = std::numeric_limits<int32_t>::max();
  int64_t elements = 1;
  for (const JsonCursor &size : entry.at("shape").elements()) {
    result.shape.push_back(size.integer(0, mostElements));
    // At most 2^62.
    elements *= result.shape.back();
    if (elements > mostElements) {
      entry.at("shape").expected("a shape of at most 2^31 - 1 elements");
      break;
    }
  }
  result.value = value(entry.at("value"));
  if (!entry.failed() &&
      isFloat(result.dtype) != isFloat(schedule.values[result.value].dtype))
    entry.at("value").fail(
        format("a value of {} cannot hold elements of {}",
               {valueTypeName(schedule.values[result.value].dtype), dtype}));
  return result;
}

void ManifestReader::interfaces(std::string_view key,
                                std::vector<Interface> &list) {
  std::set<std::string> names;
  JsonCursor entries = root.at(key);
  if (root.failed())
    return;
  for (const JsonCursor &entry : entries.elements()) {
    list.push_back(interface(entry));
    if (!names.insert(list.back().name).second)
      entry.at("name").fail(
          format("the name '{}' stands twice", {list.back().name}));
    if (entry.failed())
      return;
  }
}

void ManifestReader::constants() {
  JsonCursor entries = root.at("constants");
  if (root.failed())
    return;
  for (const JsonCursor &entry : entries.elements()) {
    schedule.constants.push_back(value(entry));
    if (entry.failed())
      return;
  }
}

/// That a value is an input or a constant once, and that what is placed is an
/// input, an output or a constant.
void ManifestReader::roles() {
  std::vector<bool> isGiven(schedule.values.size());
  auto give = [&](uint32_t value) {
    if (isGiven[value])
      root.fail(format("the value '{}' is an input or constant twice",
                       {schedule.values[value].name}));
    isGiven[value] = true;
  };
  for (const Interface &input : schedule.inputs)
    give(input.value);
  for (uint32_t constant : schedule.constants)
    give(constant);
  for (const Interface &output : schedule.outputs)
    isGiven[output.value] = true;
  for (size_t i = 0; i < schedule.placements.size(); ++i)
    if (!isGiven[schedule.placements[i].value])
      root.fail(
          format("places[{}]: expected an input, an output or a "
                 "constant, found '{}'",
                 {i, schedule.values[schedule.placements[i].value].name}));
}

Placement ManifestReader::placement(const JsonCursor &entry) {
  auto number = [&](std::string_view key) {
    return entry.at(key).integer(-mostLineNumber, mostLineNumber);
  };
  auto optional = [&](std::string_view key) {
    return entry.has(key) ? number(key) : 1;
  };
  Placement place;
  place.value = value(entry.at("value"));
  place.vector = number("vector");
  place.count = optional("count");
  place.step = optional("step");
  place.plane = number("plane");
  place.chip = number("chip");
  std::string bank = entry.at("bank").string();
  std::optional<Queue> queue = parseQueue(bank);
  if (queue && queue->kind == QueueKind::bank)
    place.bank = *queue;
  else
    entry.at("bank").expected("a bank (u2.b0)");
  place.row = number("row");
  place.stride = optional("stride");
  if (entry.failed())
    return place;
  const Value &placed = schedule.values[place.value];
  const int64_t planes = schedule.machine.planesOf(placed.dtype);
  if (place.count < 1 || place.count > mostInstructions)
    entry.at("count").expected("an integer from 1 to 2^31");
  else if (place.plane < 0 || place.plane >= planes)
    entry.at("plane").expected(
        format("a plane from 0 to {} of {}",
               {planes - 1, valueTypeName(placed.dtype)}));
  __int128 lastVector = __int128(place.count - 1) * place.step + place.vector;
  __int128 lastRow = __int128(place.count - 1) * place.stride + place.row;
  if (place.vector < 0 || place.vector >= placed.vectors || lastVector < 0 ||
      lastVector >= placed.vectors)
    entry.fail(format("expected vectors 0 to {} of '{}', found {} from {} in "
                      "steps of {}",
                      {placed.vectors - 1, placed.name, place.count,
                       place.vector, place.step}));
  if (lastRow > mostLineNumber || lastRow < -mostLineNumber)
    entry.fail("expected rows of at most 2^40");
  return place;
}

void ManifestReader::placements() {
  JsonCursor entries = root.at("places");
  if (root.failed())
    return;
  for (const JsonCursor &entry : entries.elements()) {
    schedule.placements.push_back(placement(entry));
    if (entry.failed())
      return;
  }
}

Status ManifestReader::read(std::string &hash) {
  if (root.at("format").string() != scheduleFormat)
    root.at("format").expected("\"tilewright-schedule\"");
  if (root.at("version").integer() != 1)
    root.at("version").expected("1");
  machine();
  if (root.failed())
    return error;
  schedule.chips = root.at("chips").integer(1, schedule.machine.chips);
  schedule.cycles = root.at("cycles").integer(0, 2 * mostLineNumber);
  schedule.interval = root.at("interval").integer(0, 2 * mostLineNumber);
  if (schedule.interval == 0 && schedule.cycles != 0)
    root.at("interval").expected("an integer of at least 1");
  values();
  maps();
  interfaces("inputs", schedule.inputs);
  interfaces("outputs", schedule.outputs);
  constants();
  placements();
  if (!root.failed())
    roles();
  if (root.has("hash"))
    hash = root.at("hash").string();
  return error;
}

StatusOr<Manifest> parseManifest(std::string_view text, std::string_view name) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Json json, runtime::parseJson(text, name));
  Manifest manifest;
  Status status = ManifestReader(json, manifest.schedule).read(manifest.hash);
  if (!status.ok())
    return status.prefixed(name);
  return manifest;
}

} // namespace tilewright::spatial
